package mynahtest

import "fmt"

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

	messages   []Message
	tools      []Tool
	parameters Object
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
	ToolCalls        []ToolCallSent `json:"tool_calls"`
	ToolID           string         `json:"tool_id"` // the id of the tool call whose result this is
}

// A Tool is a tool that a request offers.
type Tool struct {
	Name, Description string
	Parameters        map[string]any
}

// Calls returns the calls of the test that have ended, the oldest first.
func (m *Mynah) Calls() []Call {
	m.t.Helper()
	var journal struct {
		Entries []struct {
			Call
			Messages   []Message
			Tools      []Tool
			Parameters Object
		}
	}
	m.request("GET", "/journal?limit=10000&normalized=true&"+m.query(), nil, &journal)
	var calls []Call
	for _, entry := range journal.Entries {
		call := entry.Call
		call.messages, call.tools, call.parameters = entry.Messages, entry.Tools, entry.Parameters
		calls = append(calls, call)
	}
	return calls
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

// Messages returns the messages of the request, unless it is invalid.
func (c Call) Messages() []Message { return c.messages }

// Tools returns the tools that the request offers.
func (c Call) Tools() []Tool { return c.tools }

// Parameters returns the other fields of the request in snake case, such as "temperature".
func (c Call) Parameters() Object { return c.parameters }

// String describes the call in a line.
func (c Call) String() string {
	said := c.Answer.Text
	for _, call := range c.Answer.ToolCalls {
		said += fmt.Sprintf(" %s(%s)", call.Name, call.Arguments)
	}
	if c.Error != nil {
		said = c.Error.Code + ": " + c.Error.Message
	}
	return fmt.Sprintf("call %d of %s over %s, %.0f ms, %s: %s", c.Number, c.Component, c.Surface, c.DurationMS, c.Outcome, said)
}
