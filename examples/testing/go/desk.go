// Package desk is a support desk that routes a question to a specialist, who can give refunds.
package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

const router = "Answer with one word: orders or other."

var specialists = map[string]string{
	"orders": "You handle orders and refunds.",
	"other":  "You answer questions.",
}

type message = dapr.ConversationMessageAlpha2

// Desk answers questions.
type Desk struct {
	Client   dapr.Client
	Refunded []string
}

// Answer asks the router for the topic, then the specialist for the answer.
func (d *Desk) Answer(ctx context.Context, question string) (string, error) {
	topic, err := d.ask(ctx, dapr.ConversationRequestAlpha2{}, router, question)
	if err != nil {
		return "", err
	}
	temperature := 0.2
	request := dapr.ConversationRequestAlpha2{Temperature: &temperature, Tools: []*dapr.ConversationToolsAlpha2{refundTool()}}
	return d.ask(ctx, request, specialists[topic], question)
}

// ask calls the model and runs its tool calls until it answers.
func (d *Desk) ask(ctx context.Context, request dapr.ConversationRequestAlpha2, system, question string) (string, error) {
	messages := []*message{
		{ConversationMessageOfSystem: &dapr.ConversationMessageOfSystemAlpha2{Content: text(system)}},
		{ConversationMessageOfUser: &dapr.ConversationMessageOfUserAlpha2{Content: text(question)}},
	}
	for {
		request.Name = "model"
		request.Inputs = []*dapr.ConversationInputAlpha2{{Messages: messages}}
		response, err := d.converse(ctx, request)
		if err != nil {
			return "", err
		}
		reply := response.Outputs[0].Choices[0].Message
		if len(reply.ToolCalls) == 0 {
			return reply.Content, nil
		}
		calls := &dapr.ConversationMessageOfAssistantAlpha2{ToolCalls: reply.ToolCalls}
		messages = append(messages, &message{ConversationMessageOfAssistant: calls})
		for _, call := range reply.ToolCalls {
			result := &dapr.ConversationMessageOfToolAlpha2{
				ToolID:  &call.ID,
				Name:    &call.ToolTypes.Name,
				Content: text(d.refund(call.ToolTypes.Arguments)),
			}
			messages = append(messages, &message{ConversationMessageOfTool: result})
		}
	}
}

// converse calls the model. If it is unavailable, it waits as long as it asks for and tries again.
func (d *Desk) converse(ctx context.Context, request dapr.ConversationRequestAlpha2) (*dapr.ConversationResponseAlpha2, error) {
	for range 3 {
		response, err := d.Client.ConverseAlpha2(ctx, request)
		if status.Code(err) != codes.Unavailable {
			return response, err
		}
		time.Sleep(requestedDelay(err))
	}
	return d.Client.ConverseAlpha2(ctx, request)
}

// requestedDelay returns the delay in the error's RetryInfo.
func requestedDelay(err error) time.Duration {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return info.GetRetryDelay().AsDuration()
		}
	}
	return 100 * time.Millisecond
}

// refund refunds an order. The model learns from the result if its arguments are invalid.
func (d *Desk) refund(arguments string) string {
	var parsed struct{ Order string }
	if err := json.Unmarshal([]byte(arguments), &parsed); err != nil {
		return fmt.Sprintf("Error: invalid arguments: %v", err)
	}
	d.Refunded = append(d.Refunded, parsed.Order)
	return "Refunded."
}

func refundTool() *dapr.ConversationToolsAlpha2 {
	order := structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"type": structpb.NewStringValue("string")}})
	properties := &structpb.Struct{Fields: map[string]*structpb.Value{"order": order}}
	parameters := &structpb.Struct{Fields: map[string]*structpb.Value{
		"type":       structpb.NewStringValue("object"),
		"properties": structpb.NewStructValue(properties),
	}}
	return &dapr.ConversationToolsAlpha2{Name: "refund", Parameters: parameters}
}

func text(content string) []*dapr.ConversationMessageContentAlpha2 {
	return []*dapr.ConversationMessageContentAlpha2{{Text: &content}}
}
