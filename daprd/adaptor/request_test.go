package adaptor

import (
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"
	"google.golang.org/protobuf/encoding/prototext"
	protobuf "google.golang.org/protobuf/proto"

	contrib "github.com/dapr/components-contrib/conversation"

	"mynah/daprd/proto"
)

// message returns a message as daprd makes it.
func message(role llms.ChatMessageType, parts ...llms.ContentPart) llms.MessageContent {
	return llms.MessageContent{Role: role, Parts: parts}
}

func text(text string) llms.TextContent {
	return llms.TextContent{Text: text}
}

func call(id, arguments string) llms.ToolCall {
	return llms.ToolCall{ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: "f", Arguments: arguments}}
}

func result(id, content string) llms.ToolCallResponse {
	return llms.ToolCallResponse{ToolCallID: id, Name: "f", Content: content}
}

func history(messages ...llms.MessageContent) *contrib.Request {
	return &contrib.Request{Message: &messages}
}

func offer(parameters any) *contrib.Request {
	function := &llms.FunctionDefinition{Name: "f", Description: "does f", Parameters: parameters}
	return &contrib.Request{Tools: &[]llms.Tool{{Type: "function", Function: function}}}
}

func TestRequests(t *testing.T) {
	choice, hour := "f", time.Hour
	cases := map[string]struct {
		request *contrib.Request
		want    string
	}{
		"nothing": {new(contrib.Request), ""},
		"user with two parts": {
			history(message(llms.ChatMessageTypeHuman, text("a"), text("b"))),
			`messages { of_user { content { text: "a" } content { text: "b" } } }`,
		},
		"system": {
			history(message(llms.ChatMessageTypeSystem, text("s"))),
			`messages { of_system { content { text: "s" } } }`,
		},
		"unknown role": {
			history(message(llms.ChatMessageTypeGeneric, text("g"))),
			`messages { of_user { content { text: "g" } } }`,
		},
		"no parts": {
			history(message(llms.ChatMessageTypeHuman)),
			`messages { of_user {} }`,
		},
		"assistant with text and calls": {
			history(message(llms.ChatMessageTypeAI, text("t"), call("1", `{"a":1}`), call("", "{}"))),
			`messages { of_assistant {
				content { text: "t" }
				tool_calls { id: "1" function { name: "f" arguments: "{\"a\":1}" } }
				tool_calls { function { name: "f" arguments: "{}" } }
			} }`,
		},
		"tool result with three parts": {
			history(message(llms.ChatMessageTypeTool, result("1", "a"), result("1", "b"), result("1", "c"))),
			`messages { of_tool { tool_id: "1" name: "f"
				content { text: "a" } content { text: "b" } content { text: "c" } } }`,
		},
		"tool results with different ids": {
			history(message(llms.ChatMessageTypeTool, result("1", "a"), result("2", "b"), result("1", "c"))),
			`messages { of_tool { tool_id: "1" name: "f" content { text: "a" } content { text: "c" } } }
			 messages { of_tool { tool_id: "2" name: "f" content { text: "b" } } }`,
		},
		"tool results in separate messages": {
			history(message(llms.ChatMessageTypeTool, result("1", "a")), message(llms.ChatMessageTypeTool, result("1", "b"))),
			`messages { of_tool { tool_id: "1" name: "f" content { text: "a" } } }
			 messages { of_tool { tool_id: "1" name: "f" content { text: "b" } } }`,
		},
		"tool result without id": {
			history(message(llms.ChatMessageTypeTool, result("", "a"), result("", "b"))),
			`messages { of_tool { tool_id: "" name: "f" content { text: "a" } content { text: "b" } } }`,
		},
		"tool result without content": {
			history(message(llms.ChatMessageTypeTool)),
			`messages { of_tool {} }`,
		},
		"text of role tool": {
			history(message(llms.ChatMessageTypeTool, text("a"))),
			`messages { of_tool { content { text: "a" } } }`,
		},
		"text of role function": {
			history(message(llms.ChatMessageTypeFunction, text("a"))),
			`messages { of_tool { content { text: "a" } } }`,
		},
		"tool": {
			offer(map[string]any{"type": "object", "required": []any{"a"}}),
			`tools { function { name: "f" description: "does f" parameters {
				fields { key: "type" value { string_value: "object" } }
				fields { key: "required" value { list_value { values { string_value: "a" } } } }
			} } }`,
		},
		"tool without parameters": {
			offer(map[string]any{}),
			`tools { function { name: "f" description: "does f" } }`,
		},
		"options": {
			&contrib.Request{
				ToolChoice:                 &choice,
				Temperature:                0.5,
				Metadata:                   map[string]string{"k": "v"},
				ResponseFormatAsJSONSchema: map[string]any{"type": "object"},
				PromptCacheRetention:       &hour,
			},
			`tool_choice: "f" temperature: 0.5 metadata { key: "k" value: "v" }
			 response_format { fields { key: "type" value { string_value: "object" } } }
			 prompt_cache_retention { seconds: 3600 }`,
		},
		"empty response format": {
			&contrib.Request{ResponseFormatAsJSONSchema: map[string]any{}},
			`response_format {}`,
		},
	}
	server := newFake(t)
	component := connect(t)
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			server.requests = nil
			if _, err := component.Converse(t.Context(), test.request); err != nil {
				t.Fatal(err)
			}
			want := new(proto.ConverseRequest)
			if err := prototext.Unmarshal([]byte(test.want), want); err != nil {
				t.Fatal(err)
			}
			if got := server.requests[0]; !protobuf.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestInvalidRequests(t *testing.T) {
	cases := map[string]struct {
		request *contrib.Request
		want    string
	}{
		"image":      {history(message(llms.ChatMessageTypeHuman, llms.ImageURLContent{})), "llms.ImageURLContent"},
		"parameters": {offer("object"), `tool "f": parameters are a string`},
		"schema":     {offer(map[string]any{"type": struct{}{}}), `tool "f"`},
		"tool":       {&contrib.Request{Tools: &[]llms.Tool{{Type: "web"}}}, `tool of type "web"`},
	}
	server := newFake(t)
	component := connect(t)
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := component.Converse(t.Context(), test.request)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
	if len(server.requests) != 0 {
		t.Errorf("the component received %v", server.requests)
	}
}
