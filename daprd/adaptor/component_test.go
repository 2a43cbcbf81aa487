package adaptor

import (
	"context"
	"errors"
	"net"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	contrib "github.com/dapr/components-contrib/conversation"

	"mynah/daprd/proto"
)

func TestInitSendsThePropertiesForTheInstance(t *testing.T) {
	server := newFake(t)
	component := connect(t)
	if _, err := component.Converse(t.Context(), new(contrib.Request)); err != nil {
		t.Fatal(err)
	}
	if want := []map[string]string{{"provider": "echo"}}; !reflect.DeepEqual(server.inits, want) {
		t.Errorf("got properties %v, want %v", server.inits, want)
	}
	if want := []string{"assistant", "assistant"}; !reflect.DeepEqual(server.names, want) {
		t.Errorf("got instances %q, want %q", server.names, want)
	}
}

func TestInitReturnsTheMessageOfTheComponent(t *testing.T) {
	server := newFake(t)
	server.initErr = status.Error(codes.InvalidArgument, "unknown provider")
	err := discover(t).Init(t.Context(), settings())
	if err == nil || err.Error() != "unknown provider" {
		t.Errorf("got error %v", err)
	}
}

func TestInitFailsWithoutSocket(t *testing.T) {
	server := newFake(t)
	component := discover(t)
	server.stop()
	if err := component.Init(t.Context(), settings()); err == nil || !strings.Contains(err.Error(), "stub.sock") {
		t.Errorf("got error %v", err)
	}
}

// A server that never speaks must not outlast the deadline for Init.
func TestInitEndsAtItsDeadline(t *testing.T) {
	server := newFake(t)
	component := discover(t)
	server.stop()
	_ = os.Remove(server.socket)
	silent, err := net.Listen("unix", server.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := component.Init(ctx, settings()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v", err)
	}
}

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

// Calls that find a restarted component at the same time share one Init.
func TestInitIsRepeatedAfterARestart(t *testing.T) {
	server := newFake(t)
	component := connect(t)
	refused := precondition(t, reasonNotInitialized, "restart daprd")
	arrived := make(chan struct{}, 8)
	all := make(chan struct{})
	server.converse = func(ctx context.Context, s *fake) (*proto.ConverseResponse, error) {
		if s.initCount() > 1 {
			return okReply(), nil
		}
		if arrived <- struct{}{}; len(arrived) == cap(arrived) {
			close(all)
		}
		<-all
		return nil, refused
	}
	var calls sync.WaitGroup
	for range cap(arrived) {
		calls.Go(func() {
			if _, err := component.Converse(t.Context(), new(contrib.Request)); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if want := settings().Properties; server.initCount() != 2 || !reflect.DeepEqual(server.inits[1], want) {
		t.Errorf("got properties %v, want %v twice", server.inits, want)
	}
}

func TestInitIsRepeatedOnlyOnceForACall(t *testing.T) {
	server := newFake(t)
	component := connect(t)
	server.converse = fail(precondition(t, reasonNotInitialized, "restart daprd"))
	_, err := component.Converse(t.Context(), new(contrib.Request))
	if err == nil || err.Error() != "restart daprd" || server.initCount() != 2 {
		t.Errorf("got error %v after %d times Init", err, server.initCount())
	}
}

func TestRepeatedInitCanFail(t *testing.T) {
	server := newFake(t)
	component := connect(t)
	server.converse = fail(precondition(t, reasonNotInitialized, "restart daprd"))
	server.initErr = status.Error(codes.InvalidArgument, "unknown provider")
	_, err := component.Converse(t.Context(), new(contrib.Request))
	if err == nil || err.Error() != "unknown provider" {
		t.Errorf("got error %v", err)
	}
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
