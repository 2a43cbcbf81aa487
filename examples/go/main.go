// A weather agent that asks a question and runs the tool that the model calls.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/protobuf/types/known/structpb"
)

type message = dapr.ConversationMessageAlpha2

func main() {
	dapr.SetLogger(nil) // by default, the SDK logs to standard output
	client, err := dapr.NewClient()
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	if err := chat(client, "What's the weather in San Francisco?"); err != nil {
		log.Fatal(err)
	}
}

// chat sends a question and runs tools until the model answers.
func chat(client dapr.Client, question string) error {
	fmt.Println("user:     ", question)
	user := &dapr.ConversationMessageOfUserAlpha2{Content: text(question)}
	messages := []*message{{ConversationMessageOfUser: user}}
	for {
		reply, err := converse(client, messages)
		if err != nil {
			return err
		}
		if len(reply.ToolCalls) == 0 {
			fmt.Println("assistant:", reply.Content)
			return nil
		}
		calls := &dapr.ConversationMessageOfAssistantAlpha2{ToolCalls: reply.ToolCalls}
		messages = append(messages, &message{ConversationMessageOfAssistant: calls})
		for _, call := range reply.ToolCalls {
			result, err := run(call)
			if err != nil {
				return err
			}
			messages = append(messages, &message{ConversationMessageOfTool: result})
		}
	}
}

// converse sends the whole conversation and returns the model's next message.
func converse(client dapr.Client, messages []*message) (*dapr.ConversationResultMessageAlpha2, error) {
	schema, err := structpb.NewStruct(map[string]any{
		"type":       "object",
		"properties": map[string]any{"location": map[string]any{"type": "string"}},
		"required":   []any{"location"},
	})
	if err != nil {
		return nil, err
	}
	answer, err := client.ConverseAlpha2(context.Background(), dapr.ConversationRequestAlpha2{
		Name:   "echo",
		Inputs: []*dapr.ConversationInputAlpha2{{Messages: messages}},
		Tools:  []*dapr.ConversationToolsAlpha2{{Name: "get_weather", Parameters: schema}},
	})
	if err != nil {
		return nil, err
	}
	return answer.Outputs[0].Choices[0].Message, nil
}

// run runs a tool and returns its result.
func run(call *dapr.ConversationToolCallsAlpha2) (*dapr.ConversationMessageOfToolAlpha2, error) {
	tool := call.ToolTypes
	fmt.Printf("assistant: calls %s with %s\n", tool.Name, tool.Arguments)
	var arguments struct{ Location string }
	if err := json.Unmarshal([]byte(tool.Arguments), &arguments); err != nil {
		return nil, err
	}
	weather := fmt.Sprintf("It is sunny and 18 degrees in %s.", arguments.Location)
	fmt.Println("tool:     ", weather)
	return &dapr.ConversationMessageOfToolAlpha2{
		ToolID:  &call.ID,
		Name:    &tool.Name,
		Content: text(weather),
	}, nil
}

func text(content string) []*dapr.ConversationMessageContentAlpha2 {
	return []*dapr.ConversationMessageContentAlpha2{{Text: &content}}
}
