package travel

import (
	"context"
	"fmt"
)

const (
	routerPrompt  = "Answer with the topic of the question: booking or weather."
	bookingPrompt = "You book and cancel trips."
	weatherPrompt = "You know the weather everywhere."
)

// Route asks the model for the topic of a question, and then a specialist for the answer.
func Route(ctx context.Context, model Model, question string) (string, error) {
	topic, err := ask(ctx, model, routerPrompt, question)
	if err != nil {
		return "", err
	}
	specialists := map[string]string{"booking": bookingPrompt, "weather": weatherPrompt}
	specialist, known := specialists[topic]
	if !known {
		return "", fmt.Errorf("the router answered %s", topic)
	}
	return ask(ctx, model, specialist, question)
}

func ask(ctx context.Context, model Model, system, question string) (string, error) {
	response, err := model.Converse(ctx, []*message{systemMessage(system), userMessage(question)})
	if err != nil {
		return "", err
	}
	choice, err := firstChoice(response)
	if err != nil {
		return "", err
	}
	return usableText(choice)
}
