// Package interop tests Dapr's Go SDK with mynah.
package interop

import (
	"context"
	"strings"
	"testing"
	"time"

	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

func TestMetadataListsTheComponent(t *testing.T) {
	client, ctx := connect(t)
	metadata, err := client.GetMetadata(ctx)
	must(t, err)
	equal(t, metadata.ID, "mynah")
	equal(t, len(metadata.RegisteredComponents), 1)
	component := metadata.RegisteredComponents[0]
	equal(t, component.Name, "echo")
	equal(t, component.Type, "conversation.echo")
	equal(t, metadata.ExtendedMetadata["daprRuntimeVersion"], "1.18.0")
}

func TestAlpha1EchoesTheLastUserMessage(t *testing.T) {
	client, ctx := connect(t)
	limit, err := anypb.New(wrapperspb.Int64(100))
	must(t, err)
	request := dapr.NewConversationRequest("echo", []dapr.ConversationInput{
		{Content: "First", Role: new("user")},
		{Content: "Noted", Role: new("assistant")},
		{Content: "Hello, world!", Role: new("user")},
	})
	answer, err := client.ConverseAlpha1(ctx, request,
		dapr.WithContextID("chat-1"),
		dapr.WithTemperature(0.7),
		dapr.WithParameters(map[string]*anypb.Any{"max_tokens": limit}))
	must(t, err)
	equal(t, answer.ContextID, "chat-1")
	equal(t, len(answer.Outputs), 1)
	equal(t, answer.Outputs[0].Result, "Hello, world!")
	returned := new(wrapperspb.Int64Value)
	must(t, answer.Outputs[0].Parameters["max_tokens"].UnmarshalTo(returned))
	equal(t, returned.GetValue(), int64(100))
}

func TestAlpha2EchoesTheLastUserMessage(t *testing.T) {
	client, ctx := connect(t)
	request := prompt(system("Be brief."), user("Hello, world!"))
	request.ContextID = new("chat-1")
	request.Temperature = new(0.0)
	answer, err := client.ConverseAlpha2(ctx, request)
	must(t, err)
	equal(t, answer.ContextID, "chat-1")
	choice := onlyChoice(t, answer)
	equal(t, choice.Message.Content, "Hello, world!")
	equal(t, len(choice.Message.ToolCalls), 0)
	equal(t, choice.FinishReason, "stop")
	equal(t, *answer.Outputs[0].Model, "echo")
	// Four bytes count as one token. The prompt messages have 9 and 13 bytes, and the completion has
	// 13.
	usage := answer.Outputs[0].Usage
	equal(t, usage.PromptTokens, 2+3)
	equal(t, usage.CompletionTokens, 3)
	equal(t, usage.TotalTokens, 8)
}

func TestRejectsUnknownComponent(t *testing.T) {
	client, ctx := connect(t)
	request := prompt(user("Hello"))
	request.Name = "nope"
	_, err := client.ConverseAlpha2(ctx, request)
	equal(t, status.Code(err), codes.InvalidArgument)
	equal(t, status.Convert(err).Message(), "failed finding conversation component nope")
}

func TestRejectsTooLargeMessage(t *testing.T) {
	client, ctx := connect(t)
	_, err := client.ConverseAlpha2(ctx, prompt(user(strings.Repeat("x", 4<<20))))
	equal(t, status.Code(err), codes.ResourceExhausted)
}

// connect returns the SDK's default client, which the process shares.
func connect(t *testing.T) (dapr.Client, context.Context) {
	t.Helper()
	client, err := dapr.NewClient()
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return client, ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("got %#v, want %#v", got, want)
	}
}
