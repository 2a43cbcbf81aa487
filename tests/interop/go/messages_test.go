package interop

import (
	"testing"

	dapr "github.com/dapr/go-sdk/client"
)

// prompt returns a request to the built-in component.
func prompt(messages ...*dapr.ConversationMessageAlpha2) dapr.ConversationRequestAlpha2 {
	inputs := []*dapr.ConversationInputAlpha2{{Messages: messages}}
	return dapr.ConversationRequestAlpha2{Name: "echo", Inputs: inputs}
}

func user(words string) *dapr.ConversationMessageAlpha2 {
	message := &dapr.ConversationMessageOfUserAlpha2{Content: text(words)}
	return &dapr.ConversationMessageAlpha2{ConversationMessageOfUser: message}
}

func system(words string) *dapr.ConversationMessageAlpha2 {
	message := &dapr.ConversationMessageOfSystemAlpha2{Content: text(words)}
	return &dapr.ConversationMessageAlpha2{ConversationMessageOfSystem: message}
}

func assistant(calls []*dapr.ConversationToolCallsAlpha2) *dapr.ConversationMessageAlpha2 {
	message := &dapr.ConversationMessageOfAssistantAlpha2{ToolCalls: calls}
	return &dapr.ConversationMessageAlpha2{ConversationMessageOfAssistant: message}
}

func result(call *dapr.ConversationToolCallsAlpha2, words string) *dapr.ConversationMessageAlpha2 {
	message := &dapr.ConversationMessageOfToolAlpha2{
		ToolID:  &call.ID,
		Name:    &call.ToolTypes.Name,
		Content: text(words),
	}
	return &dapr.ConversationMessageAlpha2{ConversationMessageOfTool: message}
}

func text(words string) []*dapr.ConversationMessageContentAlpha2 {
	return []*dapr.ConversationMessageContentAlpha2{{Text: &words}}
}

func onlyChoice(t *testing.T, answer *dapr.ConversationResponseAlpha2) *dapr.ConversationResultChoicesAlpha2 {
	t.Helper()
	equal(t, len(answer.Outputs), 1)
	equal(t, len(answer.Outputs[0].Choices), 1)
	return answer.Outputs[0].Choices[0]
}
