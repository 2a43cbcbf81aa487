package adaptor

import (
	"errors"
	"fmt"

	"github.com/tmc/langchaingo/llms"

	contrib "github.com/dapr/components-contrib/conversation"
	runtime "github.com/dapr/dapr/pkg/proto/runtime/v1"

	"mynah/daprd/proto"
)

// newResponse converts the answer of a component. Missing parts are errors, because daprd relies on them.
func newResponse(reply *proto.ConverseResponse) (*contrib.Response, error) {
	if len(reply.GetOutputs()) == 0 {
		return nil, errors.New("no outputs")
	}
	response := new(contrib.Response)
	for index, output := range reply.GetOutputs() {
		result, err := newResult(output)
		if err != nil {
			return nil, fmt.Errorf("output %d: %w", index, err)
		}
		response.Outputs = append(response.Outputs, result)
		// daprd knows one model and one usage for all outputs.
		if response.Model == "" {
			response.Model = output.GetModel()
		}
		if response.Usage == nil {
			response.Usage = newUsage(output.GetUsage())
		}
	}
	return response, nil
}

func newResult(output *runtime.ConversationResultAlpha2) (contrib.Result, error) {
	if len(output.GetChoices()) == 0 {
		return contrib.Result{}, errors.New("no choices")
	}
	result := contrib.Result{StopReason: output.GetChoices()[0].GetFinishReason()}
	for index, choice := range output.GetChoices() {
		message, err := newMessage(choice.GetMessage())
		if err != nil {
			return contrib.Result{}, fmt.Errorf("choice %d: %w", index, err)
		}
		result.Choices = append(result.Choices, contrib.Choice{
			FinishReason: choice.GetFinishReason(),
			Index:        choice.GetIndex(),
			Message:      message,
		})
	}
	return result, nil
}

func newMessage(message *runtime.ConversationResultMessage) (contrib.Message, error) {
	if message == nil {
		return contrib.Message{}, errors.New("no message")
	}
	converted := contrib.Message{Content: message.GetContent()}
	if len(message.GetToolCalls()) == 0 {
		return converted, nil
	}
	calls := make([]llms.ToolCall, 0, len(message.GetToolCalls()))
	for index, call := range message.GetToolCalls() {
		if call.GetFunction() == nil {
			return contrib.Message{}, fmt.Errorf("tool call %d: no function", index)
		}
		calls = append(calls, llms.ToolCall{
			ID:   call.GetId(),
			Type: "function",
			FunctionCall: &llms.FunctionCall{
				Name:      call.GetFunction().GetName(),
				Arguments: call.GetFunction().GetArguments(),
			},
		})
	}
	converted.ToolCallRequest = &calls
	return converted, nil
}

func newUsage(usage *runtime.ConversationResultAlpha2CompletionUsage) *contrib.Usage {
	if usage == nil {
		return nil
	}
	converted := &contrib.Usage{
		CompletionTokens: usage.GetCompletionTokens(),
		PromptTokens:     usage.GetPromptTokens(),
		TotalTokens:      usage.GetTotalTokens(),
	}
	if details := usage.GetCompletionTokensDetails(); details != nil {
		converted.CompletionTokensDetails = &contrib.CompletionTokensDetails{
			AcceptedPredictionTokens: details.GetAcceptedPredictionTokens(),
			AudioTokens:              details.GetAudioTokens(),
			ReasoningTokens:          details.GetReasoningTokens(),
			RejectedPredictionTokens: details.GetRejectedPredictionTokens(),
		}
	}
	if details := usage.GetPromptTokensDetails(); details != nil {
		converted.PromptTokensDetails = &contrib.PromptTokensDetails{
			AudioTokens:  details.GetAudioTokens(),
			CachedTokens: details.GetCachedTokens(),
		}
	}
	return converted
}
