// Four conversations with a scripted model, in which the prompts contain the answers.
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

// script appends a script to a prompt, with one step for each model turn.
func script(prompt string, steps ...step) string {
	chain, err := json.Marshal(map[string]any{"instruction_chain": steps})
	must(err)
	return fmt.Sprintf("%s\n<|instruction_start|>%s<|instruction_end|>", prompt, chain)
}

func textStep(text string) step {
	return step{"messages": []step{{"text": text}}}
}

// callStep returns a step that sends text and calls a tool with exactly these arguments.
func callStep(text, name, args string) step {
	items := []step{{"tool_call": []step{{"name": name, "args": json.RawMessage(args)}}}}
	if text != "" {
		items = append([]step{{"text": text}}, items...)
	}
	return step{"messages": items}
}

func main() {
	dapr.SetLogger(nil) // by default, the SDK logs to standard output
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
		callStep("Let me look that up.", "get_weather", `{"location":"Paris"}`),
		callStep("And tomorrow?", "get_forecast", `{"location":"Paris","days":1}`),
		textStep("Take an umbrella: rain, then sun."),
	))}
	for {
		reply, err := converse(client, history, "get_weather", "get_forecast")
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
	history := []*message{user(script("Hello?", step{"error": failure}, textStep("Here I am.")))}
	_, err := converse(client, history)
	_, reason, _ := strings.Cut(status.Convert(err).Message(), ": ")
	fmt.Println("error:", reason)
	// The history selects the step, so add a message for the failed turn.
	history = append(history, assistant(&reply{Content: "(failed)"}))
	answer, err := converse(client, history)
	must(err)
	fmt.Println("model:", answer.Content)
}

func structured(client dapr.Client) {
	report := json.RawMessage(`{"city":"Paris","degrees":18}`)
	prompt := script("Report.", step{"messages": []step{{"json": report}}})
	answer, err := converse(client, []*message{user(prompt)})
	must(err)
	fmt.Println("model:", answer.Content)
}

func parentAndChild(client dapr.Client) {
	task, err := json.Marshal(map[string]string{"prompt": script("Find papers.", textStep("Found three papers."))})
	must(err)
	history := []*message{user(script("Research this.",
		callStep("", "Agent", string(task)),
		step{"messages": []step{{"text": "The agent says:"}, {"tool_results": step{}}}},
	))}
	parent, err := converse(client, history, "Agent")
	must(err)
	call := parent.ToolCalls[0]
	fmt.Println("parent: ->", call.ToolTypes.Name)
	var arguments struct{ Prompt string }
	must(json.Unmarshal([]byte(call.ToolTypes.Arguments), &arguments))
	child, err := converse(client, []*message{user(arguments.Prompt)})
	must(err)
	fmt.Println("child:", child.Content)
	history = append(history, assistant(parent), result(call, child.Content))
	parent, err = converse(client, history, "Agent")
	must(err)
	fmt.Println("parent:", strings.ReplaceAll(parent.Content, "\n\n", " "))
}

// converse sends the whole conversation and returns the model's next message.
func converse(client dapr.Client, history []*message, tools ...string) (*reply, error) {
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

func user(content string) *message {
	user := &dapr.ConversationMessageOfUserAlpha2{Content: text(content)}
	return &message{ConversationMessageOfUser: user}
}

func assistant(reply *reply) *message {
	answer := &dapr.ConversationMessageOfAssistantAlpha2{Content: text(reply.Content), ToolCalls: reply.ToolCalls}
	return &message{ConversationMessageOfAssistant: answer}
}

func result(call *dapr.ConversationToolCallsAlpha2, content string) *message {
	result := &dapr.ConversationMessageOfToolAlpha2{
		ToolID:  &call.ID,
		Name:    &call.ToolTypes.Name,
		Content: text(content),
	}
	return &message{ConversationMessageOfTool: result}
}

func text(content string) []*dapr.ConversationMessageContentAlpha2 {
	return []*dapr.ConversationMessageContentAlpha2{{Text: &content}}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
