package travel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	dapr "github.com/dapr/go-sdk/client"
)

// Trip is a plan that the model writes as JSON.
type Trip struct {
	Origin      string `json:"origin"`
	Destination string `json:"destination"`
	Passengers  int    `json:"passengers"`
}

const tripProperties = `{
	"origin": {"type": "string"}, "destination": {"type": "string"},
	"passengers": {"type": "integer", "minimum": 1, "maximum": 9}}`

// PlanTrip asks for a trip as JSON.
func PlanTrip(ctx context.Context, model Model, question string) (Trip, error) {
	return planTrip(ctx, model, []*message{userMessage(question)})
}

// PlanTripByCall asks the model to call a function whose arguments are the trip.
func PlanTripByCall(ctx context.Context, model Model, question string) (Trip, error) {
	tools := []*dapr.ConversationToolsAlpha2{definition("trip", "Plans a trip.", tripProperties)}
	required := dapr.ToolChoiceRequiredAlpha2
	history := []*message{userMessage(question)}
	response, err := model.Converse(ctx, history, func(request *dapr.ConversationRequestAlpha2) {
		request.Tools, request.ToolChoice = tools, &required
	})
	if err != nil {
		return Trip{}, err
	}
	choice, err := firstChoice(response)
	if err != nil {
		return Trip{}, err
	}
	if len(choice.Message.ToolCalls) == 0 {
		return Trip{}, errors.New("the model did not call trip")
	}
	return parseTrip(choice.Message.ToolCalls[0].ToolTypes.Arguments)
}

// PlanTripAndRepair asks again while the answer is invalid. With keepAnswers, the model sees its
// invalid answer and what is wrong with it. Otherwise, it gets the same request again.
func PlanTripAndRepair(ctx context.Context, model Model, question string, keepAnswers bool) (Trip, error) {
	history := []*message{userMessage(question)}
	for range 3 {
		trip, err := planTrip(ctx, model, history)
		var invalid *invalidTrip
		if !errors.As(err, &invalid) {
			return trip, err
		}
		if keepAnswers {
			history = append(history, assistantMessage(invalid.answer), userMessage(err.Error()))
		}
	}
	return Trip{}, errors.New("no valid trip after 3 attempts")
}

type invalidTrip struct{ answer, problem string }

func (e *invalidTrip) Error() string { return "That is invalid: " + e.problem }

func planTrip(ctx context.Context, model Model, history []*message) (Trip, error) {
	response, err := model.Converse(ctx, history, func(request *dapr.ConversationRequestAlpha2) {
		request.ResponseFormat = objectSchema(tripProperties)
	})
	if err != nil {
		return Trip{}, err
	}
	choice, err := firstChoice(response)
	if err != nil {
		return Trip{}, err
	}
	return parseTrip(choice.Message.Content)
}

func parseTrip(answer string) (trip Trip, err error) {
	if err := json.Unmarshal([]byte(answer), &trip); err != nil {
		return Trip{}, &invalidTrip{answer, err.Error()}
	}
	if trip.Passengers < 1 || trip.Passengers > 9 {
		return Trip{}, &invalidTrip{answer, fmt.Sprintf("%d passengers", trip.Passengers)}
	}
	return trip, nil
}
