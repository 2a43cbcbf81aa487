//go:build scripted

package interop

import (
	"fmt"
	"strings"
	"testing"
)

const script = `{"instruction_chain": [
	{"messages": [{"tool_call": [{"name": "get_weather", "args": {"location": "Oslo"}}]}]},
	{"messages": [{"text": "And then?"}, {"tool_call": [{"name": "get_time"}, {"name": "calculate", "id": "mine"}]}]},
	{"messages": [{"tool_results": {}}]},
	{"messages": [{"tool_call": [{"name": "calculate", "args": {"expression": "1+1"}}]}]},
	{"messages": [{"text": "Done."}]}
]}`

func TestFollowsAScriptOfFiveTurns(t *testing.T) {
	client, ctx := connect(t)
	request := prompt(user("Go <|instruction_start|>" + script + "<|instruction_end|>"))
	request.Tools = tools(t)
	history := request.Inputs[0]
	var turns []string
	for range 6 {
		answer, err := client.ConverseAlpha2(ctx, request)
		must(t, err)
		reply := onlyChoice(t, answer)
		turn := reply.FinishReason + " " + reply.Message.Content
		history.Messages = append(history.Messages, assistant(reply.Message.ToolCalls))
		for _, call := range reply.Message.ToolCalls {
			turn += fmt.Sprintf(" %s(%s)", call.ToolTypes.Name, call.ToolTypes.Arguments)
			history.Messages = append(history.Messages, result(call, call.ToolTypes.Name+" ran"))
		}
		if len(reply.Message.ToolCalls) == 0 {
			history.Messages = append(history.Messages, user("Go on."))
		}
		turns = append(turns, turn)
	}
	equal(t, strings.Join(turns, "\n"), `tool_calls  get_weather({"location":"Oslo"})
tool_calls And then? get_time({}) calculate({})
stop get_time ran
calculate ran
tool_calls  calculate({"expression":"1+1"})
stop Done.
stop Chain completed - using fallback response`)
}
