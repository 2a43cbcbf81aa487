package adaptor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	contrib "github.com/dapr/components-contrib/conversation"

	"mynah/daprd/proto"
)

func TestErrorsHaveNoPrefix(t *testing.T) {
	cases := map[string]struct {
		err  error
		want string
	}{
		"message":      {status.Error(codes.ResourceExhausted, "slow down"), "slow down"},
		"no message":   {status.Error(codes.Unavailable, ""), "Unavailable"},
		"precondition": {status.Error(codes.FailedPrecondition, "closed"), "closed"},
		"other reason": {precondition(t, "CLOSED", "closed"), "closed"},
	}
	server := newFake(t)
	component := connect(t)
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			server.converse = fail(test.err)
			_, err := component.Converse(t.Context(), new(contrib.Request))
			if err == nil || err.Error() != test.want {
				t.Errorf("got error %v, want %q", err, test.want)
			}
		})
	}
	if server.initCount() != 1 {
		t.Errorf("Init was sent %d times", server.initCount())
	}
}

func TestDeadlineIsPassedOn(t *testing.T) {
	server := newFake(t)
	component := connect(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	var passedOn bool
	server.converse = func(ctx context.Context, _ *fake) (*proto.ConverseResponse, error) {
		_, passedOn = ctx.Deadline()
		return okReply(), nil
	}
	if _, err := component.Converse(ctx, new(contrib.Request)); err != nil || !passedOn {
		t.Errorf("got error %v, deadline passed on: %v", err, passedOn)
	}
}

func TestDeadlineEndsTheCall(t *testing.T) {
	server := newFake(t)
	component := connect(t)
	server.converse = untilCancelled(make(chan error, 1))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := component.Converse(ctx, new(contrib.Request)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v", err)
	}
}

func TestCancellationReachesTheComponent(t *testing.T) {
	server := newFake(t)
	component := connect(t)
	seen := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	wait := untilCancelled(seen)
	server.converse = func(ctx context.Context, s *fake) (*proto.ConverseResponse, error) {
		cancel()
		return wait(ctx, s)
	}
	if _, err := component.Converse(ctx, new(contrib.Request)); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
	if err := <-seen; !errors.Is(err, context.Canceled) {
		t.Errorf("the component saw %v", err)
	}
}

func TestCloseEndsCalls(t *testing.T) {
	server := newFake(t)
	component := connect(t)
	seen := make(chan error, 1)
	wait := untilCancelled(seen)
	server.converse = func(ctx context.Context, s *fake) (*proto.ConverseResponse, error) {
		go component.Close()
		return wait(ctx, s)
	}
	if _, err := component.Converse(t.Context(), new(contrib.Request)); err == nil {
		t.Error("the call succeeded")
	}
	<-seen
}

func TestCallsSucceedAfterTheComponentIsBack(t *testing.T) {
	server := newFake(t)
	component := connect(t)
	server.stop()
	if _, err := component.Converse(t.Context(), new(contrib.Request)); err == nil {
		t.Error("the call succeeded without a component")
	}
	server.start(t)
	// The longest backoff, with jitter, and time for a slow machine.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		_, err := component.Converse(ctx, new(contrib.Request))
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

func TestReconnectsWithinTwoSeconds(t *testing.T) {
	longest := time.Duration(float64(reconnect.Backoff.MaxDelay) * (1 + reconnect.Backoff.Jitter))
	if longest >= 2*time.Second {
		t.Errorf("waits up to %v", longest)
	}
}

func TestLargeMessagesPass(t *testing.T) {
	server := newFake(t)
	component := connect(t)
	server.converse = func(_ context.Context, s *fake) (*proto.ConverseResponse, error) {
		reply := okReply()
		reply.Outputs[0].Choices[0].Message.Content = s.requests[0].GetMessages()[0].GetOfUser().GetContent()[0].GetText()
		return reply, nil
	}
	large := strings.Repeat("x", 4_000_000)
	response, err := component.Converse(t.Context(), history(message("human", text(large))))
	if err != nil {
		t.Fatal(err)
	}
	if got := response.Outputs[0].Choices[0].Message.Content; got != large {
		t.Errorf("got %d bytes", len(got))
	}
}

// untilCancelled waits for the end of the call and reports its reason.
func untilCancelled(seen chan<- error) func(context.Context, *fake) (*proto.ConverseResponse, error) {
	return func(ctx context.Context, _ *fake) (*proto.ConverseResponse, error) {
		<-ctx.Done()
		seen <- ctx.Err()
		return nil, ctx.Err()
	}
}

// precondition returns the error FAILED_PRECONDITION with a reason.
func precondition(t *testing.T, reason, message string) error {
	t.Helper()
	failure, err := status.New(codes.FailedPrecondition, message).WithDetails(&errdetails.ErrorInfo{Reason: reason})
	if err != nil {
		t.Fatal(err)
	}
	return failure.Err()
}
