package mynahtest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mynah-dapr/mynah/go/mynahtest"
)

const weatherTool = `{"function": {"name": "get_weather", "description": "Returns the weather.", "parameters": {"type": "object"}}}`

// post sends a request to an address of the session and returns the body.
func post(t testing.TB, url, body string) string {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// converse sends messages to the component echo, which offers a tool.
func converse(t testing.TB, m *mynahtest.Mynah, messages ...string) string {
	t.Helper()
	body := fmt.Sprintf(`{"inputs": [{"messages": [%s]}], "tools": [%s], "temperature": 0.5}`, strings.Join(messages, ","), weatherTool)
	return post(t, "http://"+m.HTTPAddr+"/v1.0-alpha2/conversation/echo/converse", body)
}

func user(text string) string {
	return fmt.Sprintf(`{"ofUser": {"content": [{"text": %q}]}}`, text)
}

const (
	called = `{"ofAssistant": {"toolCalls": [{"id": "c1", "function": {"name": "get_weather", "arguments": "{}"}}]}}`
	result = `{"ofTool": {"toolId": "c1", "name": "get_weather", "content": [{"text": "21 degrees"}]}}`
)

func contains(t testing.TB, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func equal(t testing.TB, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTheFirstRuleAnswers(t *testing.T) {
	m := mynahtest.Start(t)
	m.When(mynahtest.User("weather"), mynahtest.User("Paris")).Respond("Sunny")
	m.When(mynahtest.User("weather")).Respond("Rain")
	contains(t, converse(t, m, user("the weather in Paris")), `"content":"Sunny"`)
	contains(t, converse(t, m, user("the weather in Oslo")), `"content":"Rain"`)
	m.Verify(mynahtest.NoUnmatched(), mynahtest.Unused())
}

func TestStartReturnsTheSameSession(t *testing.T) {
	if mynahtest.Start(t) != mynahtest.Start(t) {
		t.Error("got two sessions for one test")
	}
}

func TestATestCanBeRepeated(t *testing.T) {
	for range 2 {
		t.Run("same", func(t *testing.T) { equal(t, len(mynahtest.Start(t).Calls()), 0) })
	}
}

func TestToolCallsAndTheirResults(t *testing.T) {
	m := mynahtest.Start(t)
	m.When(mynahtest.ToolResult(mynahtest.Object{"tool": "get_weather"})).Respond("It is {{ results[0].text }}.")
	m.When(mynahtest.User("weather")).CallTool("get_weather", mynahtest.Object{"city": "Paris"})
	contains(t, converse(t, m, user("the weather")), `"arguments":"{\"city\":\"Paris\"}"`)
	contains(t, converse(t, m, user("the weather"), called, result), "It is 21 degrees.")
}

func TestFailsTwice(t *testing.T) {
	m := mynahtest.Start(t)
	m.When().Times(2).Fails("UNAVAILABLE")
	m.When().Respond("open")
	for _, want := range []string{"ERR_CONVERSATION_INVOKE", "ERR_CONVERSATION_INVOKE", "open"} {
		contains(t, converse(t, m, user("Are you open?")), want)
	}
	equal(t, m.Calls()[0].Error.Code, "UNAVAILABLE")
	equal(t, m.LastCall().Error, (*mynahtest.CallError)(nil))
	equal(t, m.Verdict().Retries, 2)
}

func TestChainsAndSequences(t *testing.T) {
	m := mynahtest.Start(t)
	m.When(mynahtest.User("chain")).Chain(mynahtest.ToolCall("get_weather", nil), "Sunny")
	m.When(mynahtest.User("sequence")).Sequence("one", "two")
	contains(t, converse(t, m, user("chain")), `"name":"get_weather"`)
	contains(t, converse(t, m, user("chain"), called, result), "Sunny")
	for _, want := range []string{"one", "two", "two"} {
		contains(t, converse(t, m, user("sequence")), want)
	}
}

func TestRulesOfFiles(t *testing.T) {
	files := map[string]string{
		"indented.yaml": "# Comment\nrules:\n\n  # first\n  - match: {user: one}\n    respond: |\n      first\n      line\n  - {match: {user: uno}, respond: primo}\nexpect: [{match: {user: one}}]\n",
		"flat.yaml":     "expect: [{count: 9}]\nrules: # two\n- match:\n    user: two\n  respond: second\n# end",
		"rules.json":    "{\n  \"rules\": [\n    {\n      \"match\": {\"user\": \"three\"},\n      \"respond\": \"third\"\n    }\n  ]\n}\n",
	}
	m, folder := mynahtest.Start(t), t.TempDir()
	m.When(mynahtest.User("two"), mynahtest.User("loud")).Respond("SECOND")
	for _, name := range []string{"indented.yaml", "flat.yaml", "rules.json"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
		m.Rules(path)
	}
	m.When().Respond("last")
	answers := map[string]string{"one": `first\nline`, "uno": "primo", "two": "second", "two loud": "SECOND", "three": "third", "four": "last"}
	for text, answer := range answers {
		contains(t, converse(t, m, user(text)), `"content":"`+answer)
	}
	m.Verify(mynahtest.Unused(), mynahtest.NoUnmatched())
}

func TestCallsHaveTheSameFormForAllAPIs(t *testing.T) {
	m := mynahtest.Start(t)
	m.When().CallTool("get_weather", nil)
	functionTool := `{"type": "function", ` + weatherTool[1:]
	responsesTool := `{"type": "function", "name": "get_weather", "description": "Returns the weather.", "parameters": {"type": "object"}}`
	converse(t, m, `{"ofSystem": {"content": [{"text": "Be brief."}]}}`, user("weather"), called, result)
	post(t, m.OpenAIURL()+"/chat/completions", `{"model": "echo", "temperature": 0.5, "tools": [`+functionTool+`], "messages": [
		{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "weather"}]},
		{"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}]},
		{"role": "tool", "tool_call_id": "c1", "content": "21 degrees"}]}`)
	post(t, m.OpenAIURL()+"/responses", `{"model": "echo", "temperature": 0.5, "tools": [`+responsesTool+`], "instructions": "Be brief.", "input": [
		{"role": "user", "content": [{"type": "input_text", "text": "weather"}]},
		{"type": "function_call", "call_id": "c1", "name": "get_weather", "arguments": "{}"},
		{"type": "function_call_output", "call_id": "c1", "output": "21 degrees"}]}`)
	calls := m.Calls()
	equal(t, len(calls), 3)
	for _, call := range calls {
		messages := call.Messages()
		messages[3].Name = "" // only Dapr's API has it
		tool := mynahtest.ToolCallSent{ID: "c1", Name: "get_weather", Arguments: "{}"}
		equal(t, messages, []mynahtest.Message{
			{Role: "system", Text: "Be brief."},
			{Role: "user", Text: "weather"},
			{Role: "assistant", ToolCalls: []mynahtest.ToolCallSent{tool}},
			{Role: "tool", Text: "21 degrees", ToolID: "c1"},
		})
		equal(t, call.Tools(), []mynahtest.Tool{{"get_weather", "Returns the weather.", map[string]any{"type": "object"}}})
		equal(t, call.Parameters()["temperature"], 0.5)
		equal(t, call.Parameters()["messages"], nil)
		equal(t, call.Outcome, "ok")
	}
}

func TestAnswersOfCalls(t *testing.T) {
	m := mynahtest.Start(t)
	m.When(mynahtest.User("weather")).CallTool("get_weather", mynahtest.Object{"city": "Paris"})
	post(t, "http://"+m.HTTPAddr+"/v1.0-alpha1/conversation/echo/converse", `{"inputs": [{"content": "hello"}]}`)
	equal(t, m.LastCall().Messages(), []mynahtest.Message{{Role: "user", Text: "hello"}})
	equal(t, m.LastCall().Answer.Text, "hello")
	converse(t, m, user("weather"))
	last := m.LastCall()
	equal(t, last.Answer.ToolCalls[0].Arguments, `{"city":"Paris"}`)
	equal(t, last.Answer.FinishReason, "tool_calls")
	contains(t, last.AnsweredBy[0].Rule, "mynahtest_test.go:")
	contains(t, last.String(), `ok:  get_weather({"city":"Paris"})`)
}

func TestFaults(t *testing.T) {
	m := mynahtest.Start(t)
	m.Fault(mynahtest.Object{"fail_first": 1, "error": mynahtest.Object{"code": "ABORTED"}})
	converse(t, m, user("hello"))
	equal(t, m.LastCall().Error.Code, "ABORTED")
	equal(t, m.LastCall().AnsweredBy[0].Fault, true)
	contains(t, converse(t, m, user("hello")), "hello")
	m.ForgetFailed()
	m.Verify(mynahtest.Count(1))
}

func TestACallThatWaits(t *testing.T) {
	m := mynahtest.Start(t)
	m.When().Respond(mynahtest.Object{"messages": []any{mynahtest.Object{"text": "late"}}, "delay": "1h"})
	answer := make(chan string)
	go func() { answer <- converse(t, m, user("hello")) }()
	m.Verify(mynahtest.With("waiting", 1), mynahtest.With("wait", "10s"), mynahtest.Count(0))
	m.EndWaits()
	contains(t, <-answer, "late")
	m.Verify(mynahtest.AtLeast(1), mynahtest.AtMost(1), mynahtest.With("outcome", "ok"))
}

func TestSetenvLastsAsLongAsTheTest(t *testing.T) {
	before, wasSet := os.LookupEnv("DAPR_HTTP_ENDPOINT")
	t.Run("session", func(t *testing.T) {
		m := mynahtest.Start(t)
		m.Setenv()
		equal(t, os.Getenv("DAPR_HTTP_ENDPOINT"), "http://"+m.HTTPAddr)
		equal(t, os.Getenv("DAPR_GRPC_ENDPOINT"), "http://"+m.GRPCAddr)
		equal(t, os.Getenv("DAPR_RUNTIME_HOST")+":"+os.Getenv("DAPR_GRPC_PORT"), m.GRPCAddr)
		equal(t, os.Getenv("DAPR_RUNTIME_HOST")+":"+os.Getenv("DAPR_HTTP_PORT"), m.HTTPAddr)
	})
	after, isSet := os.LookupEnv("DAPR_HTTP_ENDPOINT")
	equal(t, after, before)
	equal(t, isSet, wasSet)
}

func TestParallelTestsDoNotSeeEachOther(t *testing.T) {
	for n := range 64 {
		t.Run(fmt.Sprintf("test %d, %s", n, strings.Repeat("Zürich/", 40)), func(t *testing.T) {
			t.Parallel()
			m := mynahtest.Start(t)
			m.When().Respond(fmt.Sprintf("You are %d.", n))
			contains(t, converse(t, m, user("Who am I?")), fmt.Sprintf(`"You are %d."`, n))
			m.Verify(mynahtest.Count(1))
			equal(t, len(m.Calls()), 1)
		})
	}
}

func TestArgs(t *testing.T) {
	m := mynahtest.Start(t, mynahtest.Args("--strict"))
	var answer struct{ Message string }
	if err := json.Unmarshal([]byte(converse(t, m, user("hello"))), &answer); err != nil {
		t.Fatal(err)
	}
	contains(t, answer.Message, "no rule")
}

// The subtest has a name with more bytes than that of a session may have.
func TestLongNames(t *testing.T) {
	t.Run(strings.Repeat("é", 200), func(t *testing.T) {
		m := mynahtest.Start(t)
		converse(t, m, userJSON("Hello"))
		m.Verify(mynahtest.Count(1))
	})
}
