package desk

import (
	"context"
	"fmt"
	"testing"
	"time"

	dapr "github.com/dapr/go-sdk/client"
	"github.com/mynah-dapr/mynah/go/mynahtest"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// start returns the session of the test, and a desk that calls it. At the end, the test fails if no
// rule has answered one of its calls.
func start(t *testing.T) (*mynahtest.Mynah, *Desk) {
	t.Helper()
	m := mynahtest.Start(t, mynahtest.Args("--resources-path=components", "--stand-in=scripted",
		"--strict", "--rules=rules.yaml"))
	client, err := dapr.NewClientWithAddressContext(t.Context(), m.GRPCAddr)
	check(t, err)
	t.Cleanup(client.Close)
	t.Cleanup(func() { m.Verify(mynahtest.NoUnmatched()) })
	return m, &Desk{Client: client}
}

func TestRouterAndSpecialistGetTheSameQuestion(t *testing.T) {
	m, desk := start(t)
	answer, err := desk.Answer(t.Context(), "Please refund order A17.")
	check(t, err)
	equal(t, answer, "Your money is on its way.")
	equal(t, fmt.Sprint(desk.Refunded), "[A17]")
	m.Verify(mynahtest.Count(1), mynahtest.System(router))
	m.Verify(mynahtest.Count(3), mynahtest.User("Please refund order A17."))
}

func TestClosedOnHolidays(t *testing.T) {
	m, desk := start(t)
	m.When(mynahtest.System(router)).Respond("other")
	m.When(mynahtest.User("Are you open")).Respond("Not today.")
	answer, err := desk.Answer(t.Context(), "Are you open?")
	check(t, err)
	equal(t, answer, "Not today.")
	m.Verify(mynahtest.Unused())
}

func TestWhatWasSent(t *testing.T) {
	m, desk := start(t)
	_, err := desk.Answer(t.Context(), "Please refund order A17.")
	check(t, err)
	calls := m.Calls()
	equal(t, len(calls), 3)
	question := calls[1]
	equal(t, question.Tools()[0].Name, "refund")
	equal(t, question.Parameters()["temperature"], any(0.2))
	equal(t, question.Answer.ToolCalls[0].Arguments, `{"order":"A17"}`)
	messages := m.LastCall().Messages()
	equal(t, messages[len(messages)-1].Text, "Refunded.")
}

func TestTriesAgainWhenTheModelSaysSo(t *testing.T) {
	m, desk := start(t)
	answer, err := desk.Answer(t.Context(), "Are you open?")
	check(t, err)
	equal(t, answer, "Yes, until six.")
	m.Verify(mynahtest.Count(3), mynahtest.System("You answer questions."))
	equal(t, len(m.Verdict().Violations), 0)
}

func TestGivesUpWhenTheModelStaysAway(t *testing.T) {
	m, desk := start(t)
	m.Fault(mynahtest.Object{"fail_first": 9, "error": mynahtest.Object{"code": "UNAVAILABLE"}})
	_, err := desk.Answer(t.Context(), "Are you open?")
	equal(t, status.Code(err), codes.Unavailable)
	m.Verify(mynahtest.Count(4), mynahtest.System(router))
}

func TestMalformedArgumentsAreReportedToTheModel(t *testing.T) {
	_, desk := start(t)
	answer, err := desk.Answer(t.Context(), "Refund my broken order.")
	check(t, err)
	equal(t, answer, "Which order do you mean?")
	equal(t, len(desk.Refunded), 0)
}

func TestASlowModel(t *testing.T) {
	m, desk := start(t)
	started := time.Now()
	answer, err := desk.Answer(t.Context(), "How long does it take?")
	check(t, err)
	equal(t, answer, "Two days.")
	equal(t, time.Since(started) >= 500*time.Millisecond, true)
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = desk.Answer(soon, "How long does it take?")
	equal(t, status.Code(err), codes.DeadlineExceeded)
	m.Verify(mynahtest.Count(4), mynahtest.User("How long does it take?"))
}

func TestACallThatIsCancelled(t *testing.T) {
	m, desk := start(t)
	m.When().Respond(mynahtest.Object{"respond": "late", "delay": "1h"})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := desk.Answer(ctx, "Where is my order?")
		done <- err
	}()
	m.Verify(mynahtest.With("waiting", 1), mynahtest.With("wait", "10s"))
	cancel()
	equal(t, status.Code(<-done), codes.Canceled)
	m.Verify(mynahtest.Count(1), mynahtest.With("outcome", "cancelled"))
}

func TestParallelTestsDoNotSeeEachOther(t *testing.T) {
	for n := range 64 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			m, desk := start(t)
			m.When(mynahtest.System("You answer questions")).Respond(fmt.Sprintf("You are %d.", n))
			answer, err := desk.Answer(t.Context(), "Which number am I?")
			check(t, err)
			equal(t, answer, fmt.Sprintf("You are %d.", n))
			m.Verify(mynahtest.Count(2))
		})
	}
}

func TestAnInvalidRequest(t *testing.T) {
	m, desk := start(t)
	choice := dapr.ToolChoiceAlpha2("pay")
	request := dapr.ConversationRequestAlpha2{Tools: []*dapr.ConversationToolsAlpha2{refundTool()}, ToolChoice: &choice}
	_, err := desk.ask(t.Context(), request, router, "Hello")
	equal(t, status.Code(err), codes.InvalidArgument)
	m.ForgetFailed()
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
