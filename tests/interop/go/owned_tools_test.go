package interop

import (
	"testing"

	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/protobuf/types/known/structpb"
)

const stepsWithOwnedTools = `{"instruction_chain": [
	{"messages": [{"tool_call": [{"name": "find_order", "args": {"order_id": "1001"}}]}]},
	{"messages": [{"tool_call": [{"name": "find_order"}, {"name": "send_mail"}]}]},
	{"messages": [{"text": "It has been shipped."}]}
]}`

func TestCallerWithoutToolsGetsTheAnswer(t *testing.T) {
	client := dial(t, "OWNER_GRPC_PORT")
	request := prompt(user("Find order 1001"))
	request.Name = "orders"
	answer, err := client.ConverseAlpha2(t.Context(), request)
	must(t, err)
	choice := onlyChoice(t, answer)
	equal(t, choice.Message.Content, `{"status":"shipped"}`)
	equal(t, choice.FinishReason, "stop")
	equal(t, len(choice.Message.ToolCalls), 0)
}

func TestCallerGetsTheCallsOfItsOwnTools(t *testing.T) {
	words := "Find order 1001, and send mail to ann@example.com."
	equal(t, answerAfterOneCall(t, "orders", words), "sent")
}

func TestStepsThatTheCallerDoesNotSeeAreNotRepeated(t *testing.T) {
	words := "Go <|instruction_start|>" + stepsWithOwnedTools + "<|instruction_end|>"
	equal(t, answerAfterOneCall(t, "script", words), "It has been shipped.")
}

// answerAfterOneCall returns the answer of a component that owns the tool find_order to a question
// that calls the caller's tool send_mail once.
func answerAfterOneCall(t *testing.T, component, words string) string {
	t.Helper()
	client := dial(t, "OWNER_GRPC_PORT")
	schema, err := structpb.NewStruct(map[string]any{
		"type":       "object",
		"properties": map[string]any{"to": map[string]any{"type": "string"}},
	})
	must(t, err)
	request := prompt(user(words))
	request.Name = component
	request.Tools = []*dapr.ConversationToolsAlpha2{{Name: "send_mail", Parameters: schema}}
	answer, err := client.ConverseAlpha2(t.Context(), request)
	must(t, err)
	choice := onlyChoice(t, answer)
	equal(t, choice.Message.Content, "")
	equal(t, choice.FinishReason, "tool_calls")
	calls := choice.Message.ToolCalls
	equal(t, len(calls), 1)
	equal(t, calls[0].ToolTypes.Name, "send_mail")

	history := request.Inputs[0]
	history.Messages = append(history.Messages, assistant(calls), result(calls[0], "sent"))
	answer, err = client.ConverseAlpha2(t.Context(), request)
	must(t, err)
	choice = onlyChoice(t, answer)
	equal(t, choice.FinishReason, "stop")
	equal(t, len(choice.Message.ToolCalls), 0)
	return choice.Message.Content
}
