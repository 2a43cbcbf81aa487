package mynahtest

import (
	"fmt"
	"maps"
	"strings"
)

// A Call is a call of the model by the test.
type Call struct {
	Number     int
	Surface    string // "grpc", "http" or "openai"
	Component  string
	Stream     bool
	DurationMS float64    `json:"duration_ms"`
	Outcome    string     // "ok", "failed" or "cancelled"
	API        string     // the form of the request: "alpha1", "alpha2", "openai" or "responses"
	Request    any        // the request as JSON, or a text if it is invalid
	Answer     Answer     `json:"response"` // empty if the call failed
	Error      *CallError // nil if the call did not fail
	AnsweredBy []Source   `json:"answered_by"` // empty if no rule, chain or fault was used
}

// An Answer is an answer of the model.
type Answer struct {
	Text, Reasoning, Model string
	ToolCalls              []ToolCallSent `json:"tool_calls"`
	FinishReason           string         `json:"finish_reason"`
	Usage                  map[string]int
	Missing                string // the part that a fault has left out
}

// A ToolCallSent is a call of a tool by the model.
type ToolCallSent struct {
	ID, Name  string
	Arguments string // JSON, unless a rule or a fault sends something else
}

// A CallError is the error of a call.
type CallError struct {
	Code         string // the name in gRPC, such as "UNAVAILABLE"
	Message      string
	RetryAfterMS float64 `json:"retry_after_ms"`
}

// A Source is what answered a turn: a rule, an instruction chain or a fault.
type Source struct {
	Rule, File     string
	Step           int
	ChainInMessage int `json:"chain_in_message"`
	Fault          bool
	Missed         bool // the request is not recorded
}

// A Message is a message of a request. It has the same form for all APIs.
type Message struct {
	Role, Name, Text string
	ToolCalls        []ToolCallSent
	ToolID           string // the id of the tool call whose result this is
}

// A Tool is a tool that a request offers.
type Tool struct {
	Name, Description string
	Parameters        map[string]any
}

// Calls returns the calls of the test that have ended, the oldest first.
func (m *Mynah) Calls() []Call {
	m.t.Helper()
	var journal struct{ Entries []Call }
	m.request("GET", "/journal?limit=10000&"+m.query(), nil, &journal)
	return journal.Entries
}

// LastCall returns the last call of the test, which fails if there is none.
func (m *Mynah) LastCall() Call {
	m.t.Helper()
	calls := m.Calls()
	if len(calls) == 0 {
		m.t.Fatal("mynahtest: no call of the model has ended in this test")
	}
	return calls[len(calls)-1]
}

// Messages returns the messages of the request.
func (c Call) Messages() []Message {
	request := object(c.Request)
	var messages []Message
	if instructions := text(request["instructions"]); instructions != "" {
		messages = append(messages, Message{Role: "system", Text: instructions})
	}
	if input, ok := request["input"].(string); ok {
		messages = append(messages, Message{Role: "user", Text: input})
	}
	for _, input := range list(request["inputs"]) {
		if _, isAlpha1 := object(input)["content"]; isAlpha1 {
			messages = append(messages, message(text(object(input)["role"]), object(input)))
		}
		for _, kinds := range list(object(input)["messages"]) {
			for kind, value := range object(kinds) {
				messages = append(messages, message(strings.ToLower(strings.TrimPrefix(kind, "of")), object(value)))
			}
		}
	}
	for _, value := range append(list(request["messages"]), list(request["input"])...) {
		messages = append(messages, message(text(object(value)["role"]), object(value)))
	}
	return messages
}

// message returns a message of any API. OpenAI's Responses API has items for calls and results.
func message(role string, m Object) Message {
	switch m["type"] {
	case "function_call":
		call := ToolCallSent{text(m["call_id"]), text(m["name"]), text(m["arguments"])}
		return Message{Role: "assistant", ToolCalls: []ToolCallSent{call}}
	case "function_call_output":
		return Message{Role: "tool", Text: text(m["output"]), ToolID: text(m["call_id"])}
	}
	made := Message{Role: role, Name: text(m["name"]), Text: text(m["content"]),
		ToolID: text(m["toolId"]) + text(m["tool_call_id"])}
	for _, value := range append(list(m["toolCalls"]), list(m["tool_calls"])...) {
		call := object(value)
		function := object(call["function"])
		made.ToolCalls = append(made.ToolCalls, ToolCallSent{text(call["id"]), text(function["name"]), text(function["arguments"])})
	}
	return made
}

// Parameters returns the other fields of the request, such as "temperature".
func (c Call) Parameters() Object {
	parameters := maps.Clone(object(c.Request))
	for _, key := range []string{"inputs", "messages", "input", "instructions", "tools"} {
		delete(parameters, key)
	}
	return parameters
}

// Tools returns the tools that the request offers.
func (c Call) Tools() []Tool {
	var tools []Tool
	for _, value := range list(object(c.Request)["tools"]) {
		tool := object(value)
		if function := object(tool["function"]); function != nil {
			tool = function
		}
		tools = append(tools, Tool{text(tool["name"]), text(tool["description"]), object(tool["parameters"])})
	}
	return tools
}

func object(value any) Object { return as[Object](value) }
func list(value any) []any    { return as[[]any](value) }

func as[T any](value any) T {
	converted, _ := value.(T)
	return converted
}

// text returns a text, or the texts of a list of parts.
func text(value any) string {
	var texts []string
	for _, part := range list(value) {
		texts = append(texts, as[string](object(part)["text"]))
	}
	return as[string](value) + strings.Join(texts, "\n")
}

// String describes the call in a few lines.
func (c Call) String() string {
	var lines strings.Builder
	fmt.Fprintf(&lines, "call %d of %s over %s, %.0f ms, %s", c.Number, c.Component, c.Surface, c.DurationMS, c.Outcome)
	for _, m := range c.Messages() {
		fmt.Fprintf(&lines, "\n    %s: %s", m.Role, said(m.Text, m.ToolCalls))
	}
	for _, tool := range c.Tools() {
		fmt.Fprintf(&lines, "\n    offers %s", tool.Name)
	}
	if c.Error != nil {
		fmt.Fprintf(&lines, "\n  error: %s: %s", c.Error.Code, c.Error.Message)
	} else if c.Outcome == "ok" {
		fmt.Fprintf(&lines, "\n  answer: %s", said(c.Answer.Text, c.Answer.ToolCalls))
	}
	for _, source := range c.AnsweredBy {
		if source.Rule != "" {
			fmt.Fprintf(&lines, "\n  rule: %s", source.Rule)
		}
	}
	return lines.String()
}

// said returns a text with the tool calls after it.
func said(text string, calls []ToolCallSent) string {
	for _, call := range calls {
		text += fmt.Sprintf(" %s(%s)", call.Name, call.Arguments)
	}
	return strings.TrimSpace(text)
}
