// Four conversations with a model whose words stand in the prompt.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

type (
	message = dapr.ConversationMessageAlpha2
	reply   = dapr.ConversationResultMessageAlpha2
	step    = map[string]any
)

var results = map[string]string{"get_weather": "rain", "get_forecast": "sun"}

// script is a prompt that says what the model shall say, turn by turn.
func script(prompt string, steps ...step) string {
	chain, err := json.Marshal(map[string]any{"instruction_chain": steps})
	must(err)
	return fmt.Sprintf("%s\n<|instruction_start|>%s<|instruction_end|>", prompt, chain)
}

func says(text string) step {
	return step{"messages": []step{{"text": text}}}
}

// calls says a text and calls a tool; the arguments stay as they are written.
func calls(text, name, args string) step {
	items := []step{{"tool_call": []step{{"name": name, "args": json.RawMessage(args)}}}}
	if text != "" {
		items = append([]step{{"text": text}}, items...)
	}
	return step{"messages": items}
}

func main() {
	dapr.SetLogger(nil) // it would log to standard output
	client, err := dapr.NewClient()
	must(err)
	defer client.Close()
	for _, conversation := range []struct {
		name string
		run  func(dapr.Client)
	}{
		{"weather", weather},
		{"flaky", flaky},
		{"structured", structured},
		{"parent and child", parentAndChild},
	} {
		fmt.Println("==", conversation.name)
		conversation.run(client)
	}
}

func weather(client dapr.Client) {
	history := []*message{user(script("What is the weather in Paris?",
		calls("Let me look that up.", "get_weather", `{"location":"Paris"}`),
		calls("And tomorrow?", "get_forecast", `{"location":"Paris","days":1}`),
		says("Take an umbrella: rain, then sun."),
	))}
	for {
		reply, err := ask(client, history, "get_weather", "get_forecast")
		must(err)
		if len(reply.ToolCalls) == 0 {
			fmt.Println("model:", reply.Content)
			return
		}
		history = append(history, assistant(reply))
		for _, call := range reply.ToolCalls {
			fmt.Printf("model: %s -> %s(%s)\n", reply.Content, call.ToolTypes.Name, call.ToolTypes.Arguments)
			history = append(history, result(call, results[call.ToolTypes.Name]))
		}
	}
}

func flaky(client dapr.Client) {
	failure := step{"code": "UNAVAILABLE", "message": "the model is warming up", "retry_after": "1s"}
	history := []*message{user(script("Hello?", step{"error": failure}, says("Here I am.")))}
	_, err := ask(client, history)
	_, said, _ := strings.Cut(status.Convert(err).Message(), ": ")
	fmt.Println("error:", said)
	// The history says which turn it is, and a turn that failed is one, too.
	history = append(history, assistant(&reply{Content: "(failed)"}))
	answer, err := ask(client, history)
	must(err)
	fmt.Println("model:", answer.Content)
}

func structured(client dapr.Client) {
	report := json.RawMessage(`{"city":"Paris","degrees":18}`)
	prompt := script("Report.", step{"messages": []step{{"json": report}}})
	answer, err := ask(client, []*message{user(prompt)})
	must(err)
	fmt.Println("model:", answer.Content)
}

func parentAndChild(client dapr.Client) {
	task, err := json.Marshal(map[string]string{"prompt": script("Find papers.", says("Found three papers."))})
	must(err)
	history := []*message{user(script("Research this.",
		calls("", "Agent", string(task)),
		step{"messages": []step{{"text": "The agent says:"}, {"tool_results": step{}}}},
	))}
	parent, err := ask(client, history, "Agent")
	must(err)
	call := parent.ToolCalls[0]
	fmt.Println("parent: ->", call.ToolTypes.Name)
	var arguments struct{ Prompt string }
	must(json.Unmarshal([]byte(call.ToolTypes.Arguments), &arguments))
	child, err := ask(client, []*message{user(arguments.Prompt)})
	must(err)
	fmt.Println("child:", child.Content)
	history = append(history, assistant(parent), result(call, child.Content))
	parent, err = ask(client, history, "Agent")
	must(err)
	fmt.Println("parent:", strings.ReplaceAll(parent.Content, "\n\n", " "))
}

// ask sends the whole conversation and returns the model's next message.
func ask(client dapr.Client, history []*message, tools ...string) (*reply, error) {
	request := dapr.ConversationRequestAlpha2{
		Name:   "scripted",
		Inputs: []*dapr.ConversationInputAlpha2{{Messages: history}},
	}
	for _, name := range tools {
		schema, err := structpb.NewStruct(map[string]any{"type": "object"})
		must(err)
		request.Tools = append(request.Tools, &dapr.ConversationToolsAlpha2{Name: name, Parameters: schema})
	}
	answer, err := client.ConverseAlpha2(context.Background(), request)
	if err != nil {
		return nil, err
	}
	return answer.Outputs[0].Choices[0].Message, nil
}

func user(words string) *message {
	said := &dapr.ConversationMessageOfUserAlpha2{Content: text(words)}
	return &message{ConversationMessageOfUser: said}
}

func assistant(reply *reply) *message {
	said := &dapr.ConversationMessageOfAssistantAlpha2{Content: text(reply.Content), ToolCalls: reply.ToolCalls}
	return &message{ConversationMessageOfAssistant: said}
}

func result(call *dapr.ConversationToolCallsAlpha2, words string) *message {
	returned := &dapr.ConversationMessageOfToolAlpha2{
		ToolID:  &call.ID,
		Name:    &call.ToolTypes.Name,
		Content: text(words),
	}
	return &message{ConversationMessageOfTool: returned}
}

func text(words string) []*dapr.ConversationMessageContentAlpha2 {
	return []*dapr.ConversationMessageContentAlpha2{{Text: &words}}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
