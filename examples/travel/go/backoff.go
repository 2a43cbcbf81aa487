package travel

import (
	"context"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Backoff repeats a call after a temporary failure, and waits twice as long each time.
type Backoff struct {
	Attempts  int
	FirstWait time.Duration
	Sleep     func(context.Context, time.Duration)
}

// DefaultBackoff returns the backoff that the application uses.
func DefaultBackoff() Backoff {
	return Backoff{Attempts: 4, FirstWait: 50 * time.Millisecond, Sleep: sleep}
}

// Run calls a function until it succeeds, fails permanently or has failed too often.
func (b Backoff) Run(ctx context.Context, call func() error) error {
	wait := b.FirstWait
	for range b.Attempts - 1 {
		err := call()
		if !isTemporary(err) {
			return err
		}
		// The server knows best when it is available again.
		if delay := requestedDelay(err); delay > 0 {
			b.Sleep(ctx, delay)
		} else {
			b.Sleep(ctx, wait)
		}
		wait *= 2
	}
	return call()
}

func isTemporary(err error) bool {
	code := status.Code(err)
	return code == codes.Unavailable || code == codes.ResourceExhausted
}

// requestedDelay returns the delay in the error's RetryInfo, or 0 if the server sent none.
func requestedDelay(err error) time.Duration {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return info.GetRetryDelay().AsDuration()
		}
	}
	return 0
}

func sleep(ctx context.Context, delay time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(delay):
	}
}
