package interop

import (
	"encoding/json"
	"maps"
	"regexp"
	"testing"

	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/protobuf/types/known/structpb"
)

const question = "Get weather and time for San Francisco and calculate 10+5"

var callID = regexp.MustCompile(`^call_echo_\d{19}$`)

// tools returns the three tools that the question mentions.
func tools(t *testing.T) []*dapr.ConversationToolsAlpha2 {
	t.Helper()
	tool := func(name string, properties map[string]any) *dapr.ConversationToolsAlpha2 {
		schema, err := structpb.NewStruct(map[string]any{"type": "object", "properties": properties})
		must(t, err)
		return &dapr.ConversationToolsAlpha2{Name: name, Parameters: schema}
	}
	word := map[string]any{"type": "string"}
	return []*dapr.ConversationToolsAlpha2{
		tool("get_weather", map[string]any{"location": word, "days": map[string]any{"type": "integer"}}),
		tool("get_time", map[string]any{"timezone": word}),
		tool("calculate", map[string]any{"expression": word}),
	}
}

func TestOneAnswerCallsEveryMentionedTool(t *testing.T) {
	client, ctx := connect(t)
	request := prompt(user(question))
	request.Tools = tools(t)
	answer, err := client.ConverseAlpha2(ctx, request)
	must(t, err)
	choice := onlyChoice(t, answer)
	equal(t, choice.Message.Content, "")
	equal(t, choice.FinishReason, "tool_calls")

	want := []struct {
		name      string
		arguments map[string]any
	}{
		{"get_weather", map[string]any{"days": 42.0, "location": "San Francisco"}},
		{"get_time", map[string]any{"timezone": "UTC"}},
		{"calculate", map[string]any{"expression": "10+5"}},
	}
	equal(t, len(choice.Message.ToolCalls), len(want))
	ids, generated := map[string]bool{}, 0
	for i, call := range choice.Message.ToolCalls {
		equal(t, call.ToolTypes.Name, want[i].name)
		arguments := decode(t, call.ToolTypes.Arguments)
		equal(t, maps.Equal(arguments, want[i].arguments), true)
		equal(t, callID.MatchString(call.ID), true)
		ids[call.ID] = true
		generated += len(call.ToolTypes.Name) + len(call.ToolTypes.Arguments)
	}
	equal(t, len(ids), len(want))
	equal(t, answer.Outputs[0].Usage.PromptTokens, uint64(len(question)/4))
	equal(t, answer.Outputs[0].Usage.CompletionTokens, uint64(generated/4))
}

func TestToolLoopEndsWithTheResults(t *testing.T) {
	client, ctx := connect(t)
	request := prompt(user(question))
	request.Tools = tools(t)
	answer, err := client.ConverseAlpha2(ctx, request)
	must(t, err)

	calls := onlyChoice(t, answer).Message.ToolCalls
	messages := append(request.Inputs[0].Messages, assistant(calls))
	for _, call := range calls {
		messages = append(messages, result(call, call.ToolTypes.Name+" is done"))
	}
	request.Inputs[0].Messages = messages
	answer, err = client.ConverseAlpha2(ctx, request)
	must(t, err)
	choice := onlyChoice(t, answer)
	equal(t, choice.Message.Content, "get_weather is done\nget_time is done\ncalculate is done")
	equal(t, len(choice.Message.ToolCalls), 0)
	equal(t, choice.FinishReason, "stop")
}

func TestRespectsTheToolChoice(t *testing.T) {
	client, ctx := connect(t)
	for choice, want := range map[dapr.ToolChoiceAlpha2]int{
		dapr.ToolChoiceNoneAlpha2:     0,
		dapr.ToolChoiceAutoAlpha2:     3,
		dapr.ToolChoiceRequiredAlpha2: 3,
		"get_time":                    1,
	} {
		request := prompt(user(question))
		request.Tools, request.ToolChoice = tools(t), &choice
		answer, err := client.ConverseAlpha2(ctx, request)
		must(t, err)
		equal(t, len(onlyChoice(t, answer).Message.ToolCalls), want)
	}
}

func TestStructuredAnswerMatchesItsSchema(t *testing.T) {
	client, ctx := connect(t)
	request := prompt(user("Report, please"))
	schema, err := structpb.NewStruct(map[string]any{
		"type":       "object",
		"properties": map[string]any{"city": map[string]any{"type": "string"}},
		"required":   []any{"city"},
	})
	must(t, err)
	request.ResponseFormat = schema
	answer, err := client.ConverseAlpha2(ctx, request)
	must(t, err)
	content := decode(t, onlyChoice(t, answer).Message.Content)
	equal(t, maps.Equal(content, map[string]any{"city": "San Francisco"}), true)
}

// decode parses a JSON object.
func decode(t *testing.T, object string) map[string]any {
	t.Helper()
	var values map[string]any
	must(t, json.Unmarshal([]byte(object), &values))
	return values
}
