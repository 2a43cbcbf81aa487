package travel

import (
	"fmt"
	"os"
	"testing"
	"time"

	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// retries is the service config of a client that retries each call up to three times.
const retries = `{"methodConfig": [{
	"name": [{"service": "dapr.proto.runtime.v1.Dapr"}],
	"retryPolicy": {
		"maxAttempts": 4, "initialBackoff": "0.05s", "maxBackoff": "1s", "backoffMultiplier": 2,
		"retryableStatusCodes": ["UNAVAILABLE"]
	}
}]}`

// retryingClient returns a client whose connection retries.
func retryingClient(t *testing.T) dapr.Client {
	t.Helper()
	client, err := dapr.NewClientWithAddress("127.0.0.1:"+os.Getenv("DAPR_GRPC_PORT"),
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultServiceConfig(retries))
	check(t, err)
	t.Cleanup(client.Close)
	return client
}

// flaky runs a test with questions whose first two calls fail because of a script, a rule with
// a sequence, a rule with times, and a fault. It expects exactly three calls.
func flaky(t *testing.T, ask func(t *testing.T, component, question string)) {
	t.Run("script", func(t *testing.T) {
		twice := with("times", 2, fail("UNAVAILABLE", "the model is busy"))
		ask(t, "scripted", script(t, "Hello!", twice, say("Hi.")))
		twoOfThreeFailed(t)
	})
	t.Run("sequence", func(t *testing.T) {
		ask(t, "assistant", "Is flight LH-100 on time?")
		twoOfThreeFailed(t)
	})
	t.Run("times", func(t *testing.T) {
		ask(t, "assistant", "Is the hotel open?")
		twoOfThreeFailed(t)
	})
	t.Run("fault", func(t *testing.T) {
		ask(t, "unavailable-twice", "Hello!")
		twoOfThreeFailed(t)
	})
}

func twoOfThreeFailed(t *testing.T) {
	t.Helper()
	var outcomes []any
	for _, entry := range journal(t) {
		outcomes = append(outcomes, entry["outcome"])
	}
	equal(t, fmt.Sprint(outcomes), "[failed failed ok]")
}

func TestServiceConfigNeedsThreeCalls(t *testing.T) {
	client := retryingClient(t)
	flaky(t, func(t *testing.T, component, question string) {
		assistant := start(component)
		assistant.Model.Client = client
		assistant.Model.Backoff.Attempts = 1
		_, err := assistant.Ask(session(t), question)
		check(t, err)
	})
}

func TestBackoffNeedsThreeCalls(t *testing.T) {
	flaky(t, func(t *testing.T, component, question string) {
		assistant := start(component)
		assistant.Model.Backoff.FirstWait = time.Millisecond
		_, err := assistant.Ask(session(t), question)
		check(t, err)
	})
}
