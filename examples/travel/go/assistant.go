package travel

import (
	"context"
	"errors"
	"fmt"

	dapr "github.com/dapr/go-sdk/client"
)

const systemPrompt = "You are a travel assistant. Book only what the user has confirmed."

// Request adds fields to a request to the model.
type Request func(*dapr.ConversationRequestAlpha2)

// Model is a language model behind a Dapr component.
type Model struct {
	Client    dapr.Client
	Component string
	Backoff   Backoff
}

// Assistant is a conversation with one user.
type Assistant struct {
	Model    Model
	Agency   *Agency
	MaxTurns int
	Tokens   uint64
	history  []*message
}

// NewAssistant starts a conversation.
func NewAssistant(model Model, agency *Agency) *Assistant {
	history := []*message{systemMessage(systemPrompt)}
	return &Assistant{Model: model, Agency: agency, MaxTurns: 6, history: history}
}

// Ask adds a question, runs tools until the model answers, and returns the answer.
func (a *Assistant) Ask(ctx context.Context, question string, options ...Request) (string, error) {
	a.history = append(a.history, userMessage(question))
	for range a.MaxTurns {
		choice, err := a.turn(ctx, options...)
		if err != nil {
			return "", err
		}
		if len(choice.Message.ToolCalls) == 0 {
			return usableText(choice)
		}
		if err := a.runTools(choice); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("no answer after %d turns", a.MaxTurns)
}

// turn asks the model for its next message and adds the message to the history.
func (a *Assistant) turn(ctx context.Context, options ...Request) (*choice, error) {
	tools := definitions(a.Agency.tools())
	offer := func(request *dapr.ConversationRequestAlpha2) { request.Tools = tools }
	response, err := a.Model.Converse(ctx, a.history, append([]Request{offer}, options...)...)
	if err != nil {
		return nil, err
	}
	choice, err := firstChoice(response)
	if err != nil {
		return nil, err
	}
	a.Tokens += response.Outputs[0].Usage.TotalTokens
	a.history = append(a.history, assistantMessage(choice.Message.Content, choice.Message.ToolCalls...))
	return choice, nil
}

// runTools runs the tools that the model calls. A call with the id of an earlier one is an error.
func (a *Assistant) runTools(choice *choice) error {
	answered := map[string]bool{}
	for _, message := range a.history {
		if result := message.ConversationMessageOfTool; result != nil {
			answered[*result.ToolID] = true
		}
	}
	for _, call := range choice.Message.ToolCalls {
		if answered[call.ID] {
			return fmt.Errorf("the model used the call id %s twice", call.ID)
		}
		answered[call.ID] = true
		a.history = append(a.history, toolMessage(call, runTool(a.Agency.tools(), call)))
	}
	return nil
}

// Converse sends a conversation to the model.
func (m Model) Converse(ctx context.Context, history []*message, options ...Request) (*dapr.ConversationResponseAlpha2, error) {
	request := dapr.ConversationRequestAlpha2{
		Name:   m.Component,
		Inputs: []*dapr.ConversationInputAlpha2{{Messages: history}},
	}
	for _, option := range options {
		option(&request)
	}
	var response *dapr.ConversationResponseAlpha2
	err := m.Backoff.Run(ctx, func() (err error) {
		response, err = m.Client.ConverseAlpha2(ctx, request)
		return err
	})
	return response, err
}

func firstChoice(response *dapr.ConversationResponseAlpha2) (*choice, error) {
	for _, output := range response.Outputs {
		if len(output.Choices) > 0 {
			return output.Choices[0], nil
		}
	}
	return nil, errors.New("the model gave no choices")
}

// usableText returns the text of an answer that is complete.
func usableText(choice *choice) (string, error) {
	content := choice.Message.Content
	switch {
	case choice.FinishReason == "content_filter":
		return "", errors.New("the answer was filtered")
	case choice.FinishReason == "length":
		return "", fmt.Errorf("the answer was cut off: %s", content)
	case content == "":
		return "", errors.New("the answer was empty")
	}
	return content, nil
}
