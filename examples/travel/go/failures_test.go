package travel

import (
	"context"
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

func Test21UnavailableThenFine(t *testing.T) {
	assistant := start("assistant")
	waits := withoutWaiting(assistant)
	answer, err := assistant.Ask(session(t), "Is flight LH-100 on time?")
	check(t, err)
	equal(t, answer, "LH-100 is on time.")
	equal(t, fmt.Sprint(*waits), "[1s 2s]")
	verify(t, step{"user": "Is flight LH-100 on time?"}, 3)
}

func Test22TheDelayOfRetryInfoIsHonored(t *testing.T) {
	assistant := start("assistant")
	waits := withoutWaiting(assistant)
	answer, err := assistant.Ask(session(t), "Which terminal?")
	check(t, err)
	equal(t, answer, "Terminal 2.")
	equal(t, fmt.Sprint(*waits), "[150ms]")
}

func Test23GivesUpAfterFourCalls(t *testing.T) {
	assistant := start("assistant")
	waits := withoutWaiting(assistant)
	_, err := assistant.Ask(session(t), "Is anybody there?")
	fails(t, err, "the model is busy")
	equal(t, fmt.Sprint(*waits), "[1s 2s 4s]")
	verify(t, step{"user": "Is anybody there?"}, 4)
}

func Test24APermanentErrorIsNotRetried(t *testing.T) {
	_, err := start("assistant").Ask(session(t), "What is the key?")
	equal(t, status.Code(err), codes.PermissionDenied)
	verify(t, step{"user": "What is the key?"}, 1)
}

func Test25AnErrorInTheSecondTurnAfterToolsRan(t *testing.T) {
	assistant := start("scripted")
	_, err := assistant.Ask(session(t), script(t, "Cancel it.",
		callTool("cancel_booking", cancel), fail("INTERNAL", "the model broke")))
	fails(t, err, "the model broke")
	equal(t, len(assistant.Agency.Cancelled), 1)
}

func Test27TheFirstTwoCallsFailAndThePromptIsUntouched(t *testing.T) {
	assistant := start("unavailable-twice")
	waits := withoutWaiting(assistant)
	answer, err := assistant.Ask(session(t), "Hello!")
	check(t, err)
	equal(t, answer, "Hello!")
	equal(t, len(*waits), 2)
}

func Test28OnlyTheCallsOfTheSecondUserFail(t *testing.T) {
	ann := metadata.AppendToOutgoingContext(t.Context(), "mynah-session", t.Name()+"-ann")
	bob := metadata.AppendToOutgoingContext(t.Context(), "mynah-session", t.Name()+"-bob")
	setFaults(t, t.Name()+"-bob", step{"error": step{"code": "INTERNAL", "message": "broken"}})
	_, err := start("echo").Ask(ann, "Hello!")
	check(t, err)
	_, err = start("echo").Ask(bob, "Hello!")
	fails(t, err, "broken")
}

func Test29ADroppedConnectionIsRetried(t *testing.T) {
	answer, err := start("disconnects-once").Ask(session(t), "Hello!")
	check(t, err)
	equal(t, answer, "Hello!")
}

func Test30LatencyAndDeadline(t *testing.T) {
	slow := script(t, "Hello!", with("delay", "300ms", say("Good evening.")))
	started := time.Now()
	_, err := start("scripted").Ask(session(t), slow)
	check(t, err)
	equal(t, time.Since(started) >= 300*time.Millisecond, true)
	soon, cancel := context.WithTimeout(session(t), 100*time.Millisecond)
	defer cancel()
	_, err = start("scripted").Ask(soon, slow)
	equal(t, status.Code(err), codes.DeadlineExceeded)
}

// setFaults makes the calls of a session fail.
func setFaults(t *testing.T, session string, faults step) {
	t.Helper()
	faults["session"] = session
	control(t, "PUT", "/faults", faults, nil)
}

func Test26TheRetryPolicyOfTheServiceConfigRecovers(t *testing.T) {
	assistant := start("assistant")
	assistant.Model.Client = retryingClient(t)
	assistant.Model.Backoff.Attempts = 1
	answer, err := assistant.Ask(session(t), "Is flight LH-100 on time?")
	check(t, err)
	equal(t, answer, "LH-100 is on time.")
	verify(t, step{"user": "Is flight LH-100 on time?"}, 3)
}
