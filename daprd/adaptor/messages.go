package adaptor

import (
	"fmt"

	"github.com/tmc/langchaingo/llms"

	runtime "github.com/dapr/dapr/pkg/proto/runtime/v1"
)

// newMessages converts a history.
func newMessages(history []llms.MessageContent) ([]*runtime.ConversationMessage, error) {
	converted := make([]*runtime.ConversationMessage, 0, len(history))
	for index, message := range history {
		parts, err := split(message.Parts)
		if err != nil {
			return nil, fmt.Errorf("message %d of role %q: %w", index, message.Role, err)
		}
		converted = append(converted, parts.messages(message.Role)...)
	}
	return converted, nil
}

// parts are the parts of one message, by kind.
type parts struct {
	texts   []*runtime.ConversationMessageContent
	calls   []*runtime.ConversationToolCalls
	results []*runtime.ConversationMessageOfTool
}

// split sorts the parts of a message by kind.
func split(mixed []llms.ContentPart) (parts, error) {
	var sorted parts
	for index, part := range mixed {
		switch part := part.(type) {
		case llms.TextContent:
			sorted.texts = append(sorted.texts, newText(part.Text))
		case llms.ToolCall:
			sorted.calls = append(sorted.calls, newToolCall(part))
		case llms.ToolCallResponse:
			sorted.addResult(part)
		default:
			return sorted, fmt.Errorf("part %d is a %T; expected a text, a tool call or a tool result", index, part)
		}
	}
	return sorted, nil
}

// addResult adds one part of a tool's result. daprd turns a result of several parts into one result
// for each part; they have the same id.
func (p *parts) addResult(part llms.ToolCallResponse) {
	for _, result := range p.results {
		if result.GetToolId() == part.ToolCallID {
			result.Content = append(result.Content, newText(part.Content))
			return
		}
	}
	p.results = append(p.results, &runtime.ConversationMessageOfTool{
		// Set even if it is empty: a tool message without an id is a text of the Alpha1 API.
		ToolId:  &part.ToolCallID,
		Name:    part.Name,
		Content: []*runtime.ConversationMessageContent{newText(part.Content)},
	})
}

// messages returns what a message of a role becomes: one message, or one for each tool result.
func (p *parts) messages(role llms.ChatMessageType) []*runtime.ConversationMessage {
	converted := new(runtime.ConversationMessage)
	switch role {
	case llms.ChatMessageTypeTool, llms.ChatMessageTypeFunction:
		return p.toolMessages()
	case llms.ChatMessageTypeSystem:
		converted.MessageTypes = &runtime.ConversationMessage_OfSystem{
			OfSystem: &runtime.ConversationMessageOfSystem{Content: p.texts},
		}
	case llms.ChatMessageTypeAI:
		converted.MessageTypes = &runtime.ConversationMessage_OfAssistant{
			OfAssistant: &runtime.ConversationMessageOfAssistant{Content: p.texts, ToolCalls: p.calls},
		}
	default: // daprd treats unknown roles as users.
		converted.MessageTypes = &runtime.ConversationMessage_OfUser{
			OfUser: &runtime.ConversationMessageOfUser{Content: p.texts},
		}
	}
	return []*runtime.ConversationMessage{converted}
}

// toolMessages returns one message for each tool result. A message without results is a text of the
// Alpha1 API, or a result whose content is empty.
func (p *parts) toolMessages() []*runtime.ConversationMessage {
	results := p.results
	if len(p.texts) > 0 || len(results) == 0 {
		results = append(results, &runtime.ConversationMessageOfTool{Content: p.texts})
	}
	converted := make([]*runtime.ConversationMessage, 0, len(results))
	for _, result := range results {
		converted = append(converted, &runtime.ConversationMessage{
			MessageTypes: &runtime.ConversationMessage_OfTool{OfTool: result},
		})
	}
	return converted
}

// newToolCall converts a tool call of an earlier answer.
func newToolCall(call llms.ToolCall) *runtime.ConversationToolCalls {
	function := valueOf(call.FunctionCall)
	return &runtime.ConversationToolCalls{
		Id: optional(call.ID),
		ToolTypes: &runtime.ConversationToolCalls_Function{
			Function: &runtime.ConversationToolCallsOfFunction{
				Name:      function.Name,
				Arguments: function.Arguments,
			},
		},
	}
}

func newText(text string) *runtime.ConversationMessageContent {
	return &runtime.ConversationMessageContent{Text: text}
}

// optional returns nil for an empty text, which is how daprd represents an absent one.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
