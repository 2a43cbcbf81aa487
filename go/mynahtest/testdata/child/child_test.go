// Package child has tests that other tests run in a process of their own. Most of them fail.
package child

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/mynah-dapr/mynah/go/mynahtest"
)

func ask(t *testing.T, m *mynahtest.Mynah, text string) string {
	t.Helper()
	body := fmt.Sprintf(`{"inputs": [{"messages": [{"ofUser": {"content": [{"text": %q}]}}]}]}`, text)
	response, err := http.Post("http://"+m.HTTPAddr+"/v1.0-alpha2/conversation/echo/converse", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// TestUnexpectedCalls fails, and reports its calls.
func TestUnexpectedCalls(t *testing.T) {
	m := mynahtest.Start(t, mynahtest.Args("--log-level=debug"))
	m.When(mynahtest.User("weather")).Respond("Sunny")
	ask(t, m, "How is the wether?")
	ask(t, m, "How is the weather?")
	m.Verify(mynahtest.Count(2), mynahtest.User("weather"))
	m.Verify(mynahtest.NoUnmatched())
}

func TestUnusedRule(t *testing.T) {
	m := mynahtest.Start(t)
	m.When(mynahtest.User("weather")).Respond("Sunny")
	m.Verify(mynahtest.Unused())
}

func TestInvalidRule(t *testing.T) {
	mynahtest.Start(t).When(mynahtest.Match("usr", "weather")).Respond("Sunny")
}

func TestSetenvInAParallelTest(t *testing.T) {
	t.Parallel()
	mynahtest.Start(t).Setenv()
}

func TestNoCall(t *testing.T) { mynahtest.Start(t).LastCall() }

// TestHolds passes. It prints its address and waits for a line before it goes on.
func TestHolds(t *testing.T) {
	m := mynahtest.Start(t)
	answer := os.Getenv("ANSWER")
	m.When().Respond(answer)
	fmt.Println(m.HTTPAddr)
	if _, err := fmt.Scanln(new(string)); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, m, "Who am I?"); !strings.Contains(got, answer) {
		t.Errorf("got %s, want %s", got, answer)
	}
	m.Verify(mynahtest.Count(1))
}

// startModel returns a session whose component is a real model, in the folder MODEL.
func startModel(t *testing.T) *mynahtest.Mynah {
	t.Chdir(os.Getenv("MODEL"))
	option := mynahtest.Replay("recordings")
	if os.Getenv("RECORD") != "" {
		option = mynahtest.Record("recordings")
	}
	return mynahtest.Start(t, mynahtest.Args("--resources-path=components"), option)
}

// TestRecorded passes while the model answers, and if it is recorded.
func TestRecorded(t *testing.T) {
	m := startModel(t)
	if got := ask(t, m, "How is the weather?"); !strings.Contains(got, `"Sunny"`) {
		t.Errorf("got %s, want Sunny", got)
	}
}

// TestNotRecorded ignores an error, and fails.
func TestNotRecorded(t *testing.T) { ask(t, startModel(t), "How is the wether?") }

// TestExpectedMiss passes.
func TestExpectedMiss(t *testing.T) {
	m := startModel(t)
	ask(t, m, "How is the wether?")
	m.ForgetFailed()
}

// TestUpstream fails, because the upstream needs another flag.
func TestUpstream(t *testing.T) {
	t.Chdir(os.Getenv("MODEL"))
	mynahtest.Start(t, mynahtest.Args("--upstream", "daprd"), mynahtest.Record("recordings"))
}
