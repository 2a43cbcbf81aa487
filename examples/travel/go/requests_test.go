package travel

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/grpc/metadata"
)

func Test31TheSystemPrompt(t *testing.T) {
	directive := step{"messages": []step{{"system_prompt_echo": step{}}}}
	answer, err := start("scripted").Ask(session(t), script(t, "Hello!", directive))
	check(t, err)
	equal(t, answer, systemPrompt)
}

func Test33EveryFieldOfTheRequest(t *testing.T) {
	temperature, scrub, none := 0.5, true, dapr.ToolChoiceNoneAlpha2
	_, err := start("echo").Ask(session(t), "Hello!", func(request *dapr.ConversationRequestAlpha2) {
		request.Temperature, request.ScrubPII, request.ToolChoice = &temperature, &scrub, &none
		request.Metadata = map[string]string{"tier": "gold"}
	})
	check(t, err)
	entries := journal(t)
	equal(t, len(entries), 1)
	request := entries[0]["request"].(map[string]any)
	equal(t, request["temperature"], any(0.5))
	equal(t, request["scrubPii"], any(true))
	equal(t, request["toolChoice"], any("none"))
	equal(t, fmt.Sprint(request["metadata"]), "map[tier:gold]")
}

func Test34TheNumberOfCallsInThisTest(t *testing.T) {
	weather := callTool("get_weather", inRome)
	_, err := start("scripted").Ask(session(t), script(t, "Weather?", weather, weather, say("Sunny.")))
	check(t, err)
	equal(t, len(journal(t)), 3)
}

func Test35TheTokensAreCounted(t *testing.T) {
	usage := step{"prompt_tokens": 10, "completion_tokens": 5}
	assistant := start("scripted")
	_, err := assistant.Ask(session(t), script(t, "Weather?",
		with("usage", usage, callTool("get_weather", inRome)), with("usage", usage, say("Sunny."))))
	check(t, err)
	equal(t, assistant.Tokens, 30)
}

func Test36TheContentOfThePromptChoosesTheAnswer(t *testing.T) {
	for question, want := range map[string]string{
		"Do I need a VISA for India?":  "You need a visa for India.",
		"How much luggage can I take?": "One bag of 23 kg.",
	} {
		answer, err := start("assistant").Ask(session(t), question)
		check(t, err)
		equal(t, answer, want)
	}
}

func Test37RouterAndSpecialistGetTheSameQuestion(t *testing.T) {
	model := start("assistant").Model
	answer, err := Route(session(t), model, "Do I get a refund?")
	check(t, err)
	equal(t, answer, "You get your money back.")
	verify(t, step{"user": step{"equals": "Do I get a refund?"}}, 2)
}

func Test38ATemplateEscapesTheQuestionAsJSON(t *testing.T) {
	input, err := json.Marshal(map[string]string{"question": `What does "flex" mean?`})
	check(t, err)
	answer, err := ask(session(t), start("assistant").Model, bookingPrompt, "Input: "+string(input))
	check(t, err)
	equal(t, answer, "You can change your booking.")
}

func Test41ParallelConversationsGetTheirOwnAnswers(t *testing.T) {
	for n := range 64 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			gate := fmt.Sprintf("Gate %d.", n)
			answer, err := start("scripted").Ask(session(t), script(t, "Which gate?", say(gate)))
			check(t, err)
			equal(t, answer, gate)
		})
	}
}

func Test56PersonalDataIsScrubbed(t *testing.T) {
	scrub := true
	answer, err := start("echo").Ask(session(t), "My address is ann@example.org.", func(request *dapr.ConversationRequestAlpha2) {
		request.Inputs[0].ScrubPII = &scrub
	})
	check(t, err)
	equal(t, answer, "My address is <EMAIL_ADDRESS>.")
}

func Test54AnAnswerWithoutChoicesIsAnError(t *testing.T) {
	_, err := start("scripted").Ask(session(t), script(t, "Hello!", step{"empty": "choices"}))
	fails(t, err, "the model gave no choices")
}

func Test55TwoInputsGiveOneOutput(t *testing.T) {
	request := dapr.ConversationRequestAlpha2{Name: "echo"}
	for _, city := range []string{"Rome", "Berlin"} {
		messages := []*message{userMessage(city)}
		request.Inputs = append(request.Inputs, &dapr.ConversationInputAlpha2{Messages: messages})
	}
	response, err := client.ConverseAlpha2(metadata.AppendToOutgoingContext(t.Context(), "mynah-session", t.Name()), request)
	check(t, err)
	equal(t, len(response.Outputs), 1)
	equal(t, response.Outputs[0].Choices[0].Message.Content, "Berlin")
}

func Test32SixToolsAreOffered(t *testing.T) {
	directive := step{"messages": []step{{"tools_list": step{}}}}
	assistant := start("scripted")
	answer, err := assistant.Ask(session(t), script(t, "Hello!", directive))
	check(t, err)
	for _, tool := range assistant.Agency.tools() {
		equal(t, strings.Contains(answer, tool.name), true)
	}
}

func Test39TheHistoryIsSummarizedAfterTheFirstTurn(t *testing.T) {
	assistant := start("assistant")
	answer, err := assistant.Ask(session(t), "Do I need an umbrella in Rome?")
	check(t, err)
	equal(t, answer, "No, it is sunny.")
	summary := assistantMessage("Summary: Ann asked about Rome. It is sunny.")
	assistant.history = []*message{assistant.history[0], summary}
	answer, err = assistant.Ask(session(t), "How long is my trip?")
	check(t, err)
	equal(t, answer, "Seven days.")
}

func Test40TwoUsersOfOneConversationHaveScriptsOfTheirOwn(t *testing.T) {
	assistant := start("scripted")
	for _, turn := range [][2]string{
		{script(t, "Ann: where to?", say("To Rome, Ann."), say("By train.")), "To Rome, Ann."},
		{"How?", "By train."},
		{script(t, "Bob: and me?", say("To Oslo, Bob."), say("By ship.")), "To Oslo, Bob."},
		{"How?", "By ship."},
	} {
		answer, err := assistant.Ask(session(t), turn[0])
		check(t, err)
		equal(t, answer, turn[1])
	}
}
