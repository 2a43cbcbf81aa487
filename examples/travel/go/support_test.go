package travel

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/grpc/metadata"
)

var client dapr.Client

func TestMain(m *testing.M) {
	if os.Getenv("DAPR_GRPC_PORT") == "" {
		fmt.Println("run the tests with: mynah run … -- go test (see README.md)")
		os.Exit(1)
	}
	dapr.SetLogger(nil) // by default, the SDK logs to standard output
	var err error
	if client, err = dapr.NewClient(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	defer client.Close()
	os.Exit(m.Run())
}

// sessions are the tests whose sessions have begun.
var sessions sync.Map

// session returns a context whose calls belong to a session of the test. The session begins without
// the calls, counts and faults of an earlier run.
func session(t *testing.T) context.Context {
	t.Helper()
	if _, begun := sessions.LoadOrStore(t, true); !begun {
		control(t, http.MethodPost, "/reset?"+query(t), nil, nil)
	}
	return metadata.AppendToOutgoingContext(t.Context(), "mynah-session", t.Name())
}

// query returns the session of the test as a query parameter.
func query(t *testing.T) string {
	return url.Values{"session": {t.Name()}}.Encode()
}

// start starts a conversation with a component.
func start(component string) *Assistant {
	model := Model{Client: client, Component: component, Backoff: DefaultBackoff()}
	return NewAssistant(model, &Agency{})
}

// withoutWaiting makes the backoff of an assistant record its waits.
func withoutWaiting(assistant *Assistant) *[]time.Duration {
	var waits []time.Duration
	assistant.Model.Backoff = Backoff{Attempts: 4, FirstWait: time.Second, Sleep: func(_ context.Context, wait time.Duration) {
		waits = append(waits, wait)
	}}
	return &waits
}

// results returns what the tools of a conversation answered.
func results(assistant *Assistant) (results []string) {
	for _, message := range assistant.history {
		if result := message.ConversationMessageOfTool; result != nil {
			results = append(results, *result.Content[0].Text)
		}
	}
	return results
}

type step = map[string]any

// script appends a script to a question, with one step for each turn of the model.
func script(t *testing.T, question string, steps ...step) string {
	t.Helper()
	chain, err := json.Marshal(step{"instruction_chain": steps})
	check(t, err)
	return fmt.Sprintf("%s\n<|instruction_start|>%s<|instruction_end|>", question, chain)
}

func say(text string) step { return step{"messages": []step{{"text": text}}} }

func sayJSON(value string) step {
	return step{"messages": []step{{"json": json.RawMessage(value)}}}
}

func callTool(name, args string) step {
	return step{"messages": []step{{"tool_call": []step{{"name": name, "args": json.RawMessage(args)}}}}}
}

func fail(code, message string) step {
	return step{"error": step{"code": code, "message": message}}
}

// with adds a key to a step.
func with(key string, value any, to step) step {
	to[key] = value
	return to
}

// journal returns the calls of the test's session.
func journal(t *testing.T) []map[string]any {
	t.Helper()
	var journal struct{ Entries []map[string]any }
	control(t, http.MethodGet, "/journal?"+query(t), nil, &journal)
	return journal.Entries
}

// verify fails the test unless as many calls of its session match.
func verify(t *testing.T, match step, count int) {
	t.Helper()
	control(t, http.MethodPost, "/verify", step{"session": t.Name(), "match": match, "count": count}, nil)
}

// control calls mynah's control API.
func control(t *testing.T, method, path string, body, answer any) {
	t.Helper()
	data, err := json.Marshal(body)
	check(t, err)
	request, err := http.NewRequestWithContext(t.Context(), method, os.Getenv("MYNAH_ENDPOINT")+path, bytes.NewReader(data))
	check(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("dapr-api-token", os.Getenv("DAPR_API_TOKEN"))
	response, err := http.DefaultClient.Do(request)
	check(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(t, err)
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s: %s", method, path, response.Status, text)
	}
	if answer != nil {
		check(t, json.Unmarshal(text, answer))
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// fails fails the test unless an error contains a text.
func fails(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Fatalf("got error %v, want one with %q", err, text)
	}
}
