package mynahtest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// A Condition selects calls: those that a rule answers, or those that a check counts.
type Condition struct {
	key   string
	value any
}

// User is a condition on the last user message: a text that it contains, or an Object, such as
// Object{"matches": `order (?<order>\w+)`}.
func User(text any) Condition { return Match("user", text) }

// System is a condition on the system messages, like [User].
func System(text any) Condition { return Match("system", text) }

// ToolResult is a condition on a tool result at the end of the history: a text that it contains, or
// an Object, such as Object{"tool": "get_weather"}.
func ToolResult(result any) Condition { return Match("last_tool_result", result) }

// Match is a condition with any key that `match` of a rule can have, such as "tools" or "any_of".
func Match(key string, value any) Condition { return Condition{key, value} }

// addTo adds the condition to `match` of a rule or a check. Conditions with the same key become a list.
func (c Condition) addTo(body Object) {
	match, ok := body["match"].(Object)
	if !ok {
		match = Object{}
		body["match"] = match
	}
	switch others := match[c.key].(type) {
	case nil:
		match[c.key] = c.value
	case []any:
		match[c.key] = append(others, c.value)
	default:
		match[c.key] = []any{others, c.value}
	}
}

// A Rule says which calls of the test mynah answers, and how. It begins to hold with its answer.
type Rule struct {
	m    *Mynah
	rule Object
}

// When begins a rule for the calls for which all conditions hold. If several rules match a call, the
// first one answers.
func (m *Mynah) When(conditions ...Condition) *Rule {
	rule := &Rule{m, Object{}}
	for _, condition := range conditions {
		condition.addTo(rule.rule)
	}
	return rule
}

// Times limits how often the rule answers. After that, the next rules do.
func (r *Rule) Times(n int) *Rule { return r.With("times", n) }

// With sets another key of the rule, such as "allow_unoffered".
func (r *Rule) With(key string, value any) *Rule {
	r.rule[key] = value
	return r
}

// Respond answers with a text, which can be a template, or with anything else that `respond` of a
// rule can be, such as Object{"error": Object{"code": "UNAVAILABLE", "retry_after": "1s"}}.
func (r *Rule) Respond(answer any) { r.say("respond", answer) }

// CallTool answers with the call of a tool.
func (r *Rule) CallTool(name string, args Object) { r.say("respond", ToolCall(name, args)) }

// Fails lets the call fail with a gRPC code, such as "UNAVAILABLE".
func (r *Rule) Fails(code string) { r.say("respond", Object{"error": Object{"code": code}}) }

// Chain answers with a series of answers. The number of assistant messages since the last user
// message selects the answer, so the typical chain is a [ToolCall] and a text.
func (r *Rule) Chain(answers ...any) { r.say("chain", answers) }

// Sequence answers each call with the next answer, and all further calls with the last one.
func (r *Rule) Sequence(answers ...any) { r.say("sequence", answers) }

// ToolCall returns an answer for [Rule.Chain] and [Rule.Sequence] that calls a tool.
func ToolCall(name string, args Object) any {
	return []Object{{"tool_call": []Object{{"name": name, "args": args}}}}
}

// say adds the rule, which is named after the line of the test.
func (r *Rule) say(key string, answer any) {
	r.m.t.Helper()
	_, file, line, _ := runtime.Caller(2)
	r.m.mutex.Lock()
	defer r.m.mutex.Unlock()
	name := fmt.Sprintf("%s:%d", filepath.Base(file), line)
	r.m.names[name]++
	if n := r.m.names[name]; n > 1 {
		name = fmt.Sprintf("%s (%d)", name, n)
	}
	r.m.add(Object{"rules": []Object{r.With("name", name).With(key, answer).rule}})
}

// Rules adds the rules of a file in YAML or JSON after those before. It ignores `expect` in the file.
func (m *Mynah) Rules(file string) {
	m.t.Helper()
	text, err := os.ReadFile(file)
	m.check(err)
	m.add(string(text))
}

func (m *Mynah) add(rules any) {
	m.t.Helper()
	m.request("POST", "/rules?"+m.query(), rules, nil)
}
