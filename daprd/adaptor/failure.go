package adaptor

import (
	"context"
	"errors"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// reasonNotInitialized is the reason for which a component refuses calls after a restart.
const reasonNotInitialized = "COMPONENT_NOT_INITIALIZED"

// notInitialized reports whether a call failed because the component has restarted since Init.
func notInitialized(err error) bool {
	failure := status.Convert(err)
	if failure.Code() != codes.FailedPrecondition {
		return false
	}
	for _, detail := range failure.Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok && info.GetReason() == reasonNotInitialized {
			return true
		}
	}
	return false
}

// fromStatus returns the message of a failed call without the prefix that gRPC adds. daprd passes
// the message on to its caller.
func fromStatus(ctx context.Context, err error) error {
	if cause := ended(ctx); cause != nil {
		return cause
	}
	failure := status.Convert(err)
	if failure.Message() == "" {
		return errors.New(failure.Code().String())
	}
	return errors.New(failure.Message())
}

// ended returns why a context has ended. A component can notice a deadline before the context does.
func ended(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}
