package adaptor

import (
	"reflect"
	"testing"

	"github.com/tmc/langchaingo/llms"
	"google.golang.org/protobuf/encoding/prototext"

	contrib "github.com/dapr/components-contrib/conversation"

	"mynah/daprd/proto"
)

// reply parses the answer of a component.
func reply(t *testing.T, text string) *proto.ConverseResponse {
	t.Helper()
	parsed := new(proto.ConverseResponse)
	if err := prototext.Unmarshal([]byte(text), parsed); err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestResponses(t *testing.T) {
	calls := []llms.ToolCall{call("1", `{"a":1}`), call("", "{}")}
	cases := map[string]struct {
		reply string
		want  contrib.Response
	}{
		"text": {
			`outputs { choices { finish_reason: "stop" message { content: "hi" } } }`,
			contrib.Response{Outputs: []contrib.Result{{
				StopReason: "stop",
				Choices:    []contrib.Choice{{FinishReason: "stop", Message: contrib.Message{Content: "hi"}}},
			}}},
		},
		"empty text": {
			`outputs { choices { message {} } }`,
			contrib.Response{Outputs: []contrib.Result{{Choices: []contrib.Choice{{}}}}},
		},
		"tool calls": {
			`outputs { choices { finish_reason: "tool_calls" message { content: "t"
				tool_calls { id: "1" function { name: "f" arguments: "{\"a\":1}" } }
				tool_calls { function { name: "f" arguments: "{}" } } } } }`,
			contrib.Response{Outputs: []contrib.Result{{
				StopReason: "tool_calls",
				Choices: []contrib.Choice{{
					FinishReason: "tool_calls",
					Message:      contrib.Message{Content: "t", ToolCallRequest: &calls},
				}},
			}}},
		},
		"choices and outputs": {
			`outputs { choices { finish_reason: "stop" message { content: "a" } }
			           choices { finish_reason: "length" index: 1 message { content: "b" } } }
			 outputs { choices { finish_reason: "content_filter" message {} } model: "m"
			           usage { prompt_tokens: 1 } }`,
			contrib.Response{
				Outputs: []contrib.Result{
					{StopReason: "stop", Choices: []contrib.Choice{
						{FinishReason: "stop", Message: contrib.Message{Content: "a"}},
						{FinishReason: "length", Index: 1, Message: contrib.Message{Content: "b"}},
					}},
					{StopReason: "content_filter", Choices: []contrib.Choice{{FinishReason: "content_filter"}}},
				},
				Model: "m",
				Usage: &contrib.Usage{PromptTokens: 1},
			},
		},
		"usage": {
			`outputs { choices { message {} } model: "m" usage {
				completion_tokens: 1 prompt_tokens: 2 total_tokens: 3
				completion_tokens_details { accepted_prediction_tokens: 4 audio_tokens: 5
					reasoning_tokens: 6 rejected_prediction_tokens: 7 }
				prompt_tokens_details { audio_tokens: 8 cached_tokens: 9 } } }`,
			contrib.Response{
				Outputs: []contrib.Result{{Choices: []contrib.Choice{{}}}},
				Model:   "m",
				Usage: &contrib.Usage{
					CompletionTokens: 1, PromptTokens: 2, TotalTokens: 3,
					CompletionTokensDetails: &contrib.CompletionTokensDetails{
						AcceptedPredictionTokens: 4, AudioTokens: 5, ReasoningTokens: 6, RejectedPredictionTokens: 7,
					},
					PromptTokensDetails: &contrib.PromptTokensDetails{AudioTokens: 8, CachedTokens: 9},
				},
			},
		},
	}
	server := newFake(t)
	component := connect(t)
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			server.converse = answer(reply(t, test.reply))
			got, err := component.Converse(t.Context(), new(contrib.Request))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(*got, test.want) {
				t.Errorf("got %+v, want %+v", *got, test.want)
			}
		})
	}
}

// daprd would panic or lose an output without an error.
func TestInvalidResponses(t *testing.T) {
	cases := map[string]struct{ reply, want string }{
		"nothing":    {"", "no outputs"},
		"no choices": {"outputs {}", "output 0: no choices"},
		"no message": {
			"outputs { choices { message {} } } outputs { choices { message {} } choices {} }",
			"output 1: choice 1: no message",
		},
		"no function": {
			"outputs { choices { message { tool_calls {} } } }",
			"output 0: choice 0: tool call 0: no function",
		},
	}
	server := newFake(t)
	component := connect(t)
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			server.converse = answer(reply(t, test.reply))
			_, err := component.Converse(t.Context(), new(contrib.Request))
			if want := "invalid response of the component: " + test.want; err == nil || err.Error() != want {
				t.Errorf("got error %v, want %q", err, want)
			}
		})
	}
}
