package adaptor

import (
	"fmt"

	"github.com/tmc/langchaingo/llms"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	contrib "github.com/dapr/components-contrib/conversation"
	runtime "github.com/dapr/dapr/pkg/proto/runtime/v1"

	"mynah/daprd/proto"
)

// newRequest converts a request of daprd. What daprd leaves empty if the caller does is absent.
func newRequest(req *contrib.Request) (*proto.ConverseRequest, error) {
	request := &proto.ConverseRequest{ToolChoice: req.ToolChoice, Metadata: req.Metadata}
	var err error
	if request.Messages, err = newMessages(valueOf(req.Message)); err != nil {
		return nil, err
	}
	if request.Tools, err = newTools(valueOf(req.Tools)); err != nil {
		return nil, err
	}
	if req.ResponseFormatAsJSONSchema != nil {
		if request.ResponseFormat, err = structpb.NewStruct(req.ResponseFormatAsJSONSchema); err != nil {
			return nil, fmt.Errorf("response format: %w", err)
		}
	}
	if req.Temperature != 0 {
		request.Temperature = &req.Temperature
	}
	if req.PromptCacheRetention != nil {
		request.PromptCacheRetention = durationpb.New(*req.PromptCacheRetention)
	}
	return request, nil
}

// newTools converts the offered tools.
func newTools(tools []llms.Tool) ([]*runtime.ConversationTools, error) {
	converted := make([]*runtime.ConversationTools, 0, len(tools))
	for _, tool := range tools {
		if tool.Function == nil {
			return nil, fmt.Errorf("tool of type %q: only functions are supported", tool.Type)
		}
		function, err := newFunction(tool.Function)
		if err != nil {
			return nil, fmt.Errorf("tool %q: %w", tool.Function.Name, err)
		}
		converted = append(converted, &runtime.ConversationTools{
			ToolTypes: &runtime.ConversationTools_Function{Function: function},
		})
	}
	return converted, nil
}

// newFunction converts an offered function. daprd makes no difference between an absent and an empty
// schema; absent is the usual case.
func newFunction(function *llms.FunctionDefinition) (*runtime.ConversationToolsFunction, error) {
	converted := &runtime.ConversationToolsFunction{Name: function.Name}
	if function.Description != "" {
		converted.Description = &function.Description
	}
	if function.Parameters == nil {
		return converted, nil
	}
	parameters, ok := function.Parameters.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("parameters are a %T; expected an object", function.Parameters)
	}
	if len(parameters) == 0 {
		return converted, nil
	}
	var err error
	converted.Parameters, err = structpb.NewStruct(parameters)
	return converted, err
}

// valueOf returns what a pointer points to, or the zero value for nil.
func valueOf[T any](pointer *T) (value T) {
	if pointer != nil {
		value = *pointer
	}
	return value
}
