package interop

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	runtime "github.com/dapr/dapr/pkg/proto/runtime/v1"
	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

const concurrentCalls = 50

func TestDeadlineEndsASlowStream(t *testing.T) {
	client := dial(t, "SLOW_GRPC_PORT")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	equal(t, drain(stream(t, ctx, client)), codes.DeadlineExceeded)
	stillAnswers(t, client)
}

func TestCancelledStreamEnds(t *testing.T) {
	client := dial(t, "SLOW_GRPC_PORT")
	ctx, cancel := context.WithCancel(t.Context())
	slow := stream(t, ctx, client)
	must(t, slow.RecvMsg(new(emptypb.Empty)))
	cancel()
	equal(t, drain(slow), codes.Canceled)
	stillAnswers(t, client)
}

func TestExpiredDeadlineFailsTheCall(t *testing.T) {
	client, ctx := connect(t)
	late, cancel := context.WithTimeout(ctx, 0)
	defer cancel()
	_, err := client.ConverseAlpha2(late, prompt(user("Hello")))
	equal(t, status.Code(err), codes.DeadlineExceeded)
	stillAnswers(t, client)
}

func TestConcurrentCallsGetTheirOwnAnswers(t *testing.T) {
	client, ctx := connect(t)
	var group sync.WaitGroup
	for i := range concurrentCalls {
		group.Go(func() {
			words := fmt.Sprintf("Hello %d", i)
			answer, err := client.ConverseAlpha2(ctx, prompt(user(words)))
			if err != nil || answer.Outputs[0].Choices[0].Message.Content != words {
				t.Errorf("%s: %v, %v", words, answer, err)
			}
		})
	}
	group.Wait()
}

// stream starts a stream that takes hours. The SDK has no streaming API, so the test uses the SDK's
// connection.
func stream(t *testing.T, ctx context.Context, client dapr.Client) grpc.ClientStream {
	t.Helper()
	kind := grpc.StreamDesc{ServerStreams: true}
	method := "/dapr.proto.runtime.v1.Dapr/ConverseStreamAlpha2"
	stream, err := client.GrpcClientConn().NewStream(ctx, &kind, method)
	must(t, err)
	content := []*runtime.ConversationMessageContent{{Text: "one two three"}}
	message := &runtime.ConversationMessage{MessageTypes: &runtime.ConversationMessage_OfUser{
		OfUser: &runtime.ConversationMessageOfUser{Content: content},
	}}
	inputs := []*runtime.ConversationInputAlpha2{{Messages: []*runtime.ConversationMessage{message}}}
	must(t, stream.SendMsg(&runtime.ConversationRequestAlpha2{Name: "echo", Inputs: inputs}))
	must(t, stream.CloseSend())
	return stream
}

// drain reads a stream to the end and returns the status code. The SDK's protos lack the stream's
// message type, but every message type keeps unknown fields.
func drain(stream grpc.ClientStream) codes.Code {
	for {
		if err := stream.RecvMsg(new(emptypb.Empty)); err != nil {
			return status.Code(err)
		}
	}
}

// stillAnswers asserts that the connection is still usable.
func stillAnswers(t *testing.T, client dapr.Client) {
	t.Helper()
	answer, err := client.ConverseAlpha2(t.Context(), prompt(user("Hello")))
	must(t, err)
	equal(t, onlyChoice(t, answer).Message.Content, "Hello")
}
