package desk

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestRouterAndSpecialistGetTheSameQuestion(t *testing.T) {
	desk := Desk{Client: client}
	answer, err := desk.Answer(newSession(t), "Please refund order A17.")
	check(t, err)
	equal(t, answer, "Your money is on its way.")
	equal(t, fmt.Sprint(desk.Refunded), "[A17]")
	verify(t, 1, object{"system": router})
	verify(t, 3, object{"user": "Please refund order A17."})
}

func TestClosedOnHolidays(t *testing.T) {
	desk, ctx := Desk{Client: client}, newSession(t)
	setRules(t,
		object{"match": object{"system": router}, "respond": "other"},
		object{"match": object{"user": "Are you open"}, "respond": "Not today."})
	answer, err := desk.Answer(ctx, "Are you open?")
	check(t, err)
	equal(t, answer, "Not today.")
}

func TestWhatWasSent(t *testing.T) {
	desk := Desk{Client: client}
	_, err := desk.Answer(newSession(t), "Please refund order A17.")
	check(t, err)
	calls := journal(t)
	equal(t, len(calls), 3)
	question := calls[1]["request"].(object)
	equal(t, question["temperature"], any(0.2))
	equal(t, len(question["tools"].([]any)), 1)
}

func TestTriesAgainWhenTheModelSaysSo(t *testing.T) {
	desk := Desk{Client: client}
	answer, err := desk.Answer(newSession(t), "Are you open?")
	check(t, err)
	equal(t, answer, "Yes, until six.")
	verify(t, 3, object{"system": "You answer questions."})
	var verdict struct{ Violations []any }
	request(t, http.MethodGet, "/verdict?"+query(t), nil, &verdict)
	equal(t, len(verdict.Violations), 0)
}

func TestMalformedArgumentsAreReportedToTheModel(t *testing.T) {
	desk := Desk{Client: client}
	answer, err := desk.Answer(newSession(t), "Refund my broken order.")
	check(t, err)
	equal(t, answer, "Which order do you mean?")
	equal(t, len(desk.Refunded), 0)
}

func TestASlowModel(t *testing.T) {
	desk, ctx := Desk{Client: client}, newSession(t)
	started := time.Now()
	answer, err := desk.Answer(ctx, "How long does it take?")
	check(t, err)
	equal(t, answer, "Two days.")
	equal(t, time.Since(started) >= 500*time.Millisecond, true)
	soon, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	_, err = desk.Answer(soon, "How long does it take?")
	equal(t, status.Code(err), codes.DeadlineExceeded)
	verify(t, 4, object{"user": "How long does it take?"})
}

func TestACallThatIsCancelled(t *testing.T) {
	desk, ctx := Desk{Client: client}, newSession(t)
	setRules(t, object{"respond": object{"messages": []object{{"text": "late"}}, "delay": "1h"}})
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error)
	go func() {
		_, err := desk.Answer(ctx, "Where is my order?")
		done <- err
	}()
	request(t, http.MethodPost, "/verify", object{"session": session(t), "waiting": 1, "wait": "10s"}, nil)
	cancel()
	equal(t, status.Code(<-done), codes.Canceled)
	check := object{"session": session(t), "outcome": "cancelled", "count": 1, "wait": "1s"}
	request(t, http.MethodPost, "/verify", check, nil)
}

func TestParallelSessionsDoNotSeeEachOther(t *testing.T) {
	for n := range 64 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			desk := Desk{Client: client}
			answer, err := desk.Answer(newSession(t), "Which number am I?")
			check(t, err)
			equal(t, answer, fmt.Sprintf("You are %s.", session(t)))
			verify(t, 2, object{})
		})
	}
}

func TestAnApplicationWithContextsOfItsOwn(t *testing.T) {
	desk := Desk{Client: newClient(t)}
	answer, err := desk.Answer(context.Background(), "Which number am I?")
	check(t, err)
	equal(t, answer, fmt.Sprintf("You are %s.", session(t)))
}

func TestAnInvalidRequest(t *testing.T) {
	desk, choice := Desk{Client: client}, dapr.ToolChoiceAlpha2("pay")
	request := dapr.ConversationRequestAlpha2{Tools: []*dapr.ConversationToolsAlpha2{refundTool()}, ToolChoice: &choice}
	_, err := desk.ask(newSession(t), request, router, "Hello")
	equal(t, status.Code(err), codes.InvalidArgument)
	forget(t)
}
