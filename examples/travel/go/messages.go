// Package travel is a travel assistant: a Dapr application that talks to a language model and calls
// tools.
package travel

import dapr "github.com/dapr/go-sdk/client"

type (
	message = dapr.ConversationMessageAlpha2
	choice  = dapr.ConversationResultChoicesAlpha2
	call    = dapr.ConversationToolCallsAlpha2
)

func systemMessage(content string) *message {
	system := &dapr.ConversationMessageOfSystemAlpha2{Content: text(content)}
	return &message{ConversationMessageOfSystem: system}
}

func userMessage(content string) *message {
	user := &dapr.ConversationMessageOfUserAlpha2{Content: text(content)}
	return &message{ConversationMessageOfUser: user}
}

func assistantMessage(content string, calls ...*call) *message {
	answer := &dapr.ConversationMessageOfAssistantAlpha2{Content: text(content), ToolCalls: calls}
	return &message{ConversationMessageOfAssistant: answer}
}

func toolMessage(call *call, content string) *message {
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
