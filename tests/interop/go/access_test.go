package interop

import (
	"context"
	"net"
	"os"
	"testing"

	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestAcceptsTheCorrectToken(t *testing.T) {
	t.Setenv("DAPR_API_TOKEN", os.Getenv("GUARDED_API_TOKEN"))
	client := dial(t, "GUARDED_GRPC_PORT")
	answer, err := client.ConverseAlpha2(t.Context(), prompt(user("Hello")))
	must(t, err)
	equal(t, onlyChoice(t, answer).Message.Content, "Hello")
	metadata, err := client.GetMetadata(t.Context())
	must(t, err)
	equal(t, metadata.ID, "mynah")
}

func TestErrorDistinguishesMissingFromWrongToken(t *testing.T) {
	client := dial(t, "GUARDED_GRPC_PORT")
	for token, want := range map[string]string{
		"":      "missing api token in request metadata",
		"wrong": "authentication error: api token mismatch",
	} {
		client.WithAuthToken(token)
		_, err := client.ConverseAlpha2(t.Context(), prompt(user("Hello")))
		failure := status.Convert(err)
		equal(t, failure.Code(), codes.Unauthenticated)
		equal(t, failure.Message(), "Unauthorized")
		equal(t, len(failure.Details()), 1)
		info := failure.Details()[0].(*errdetails.ErrorInfo)
		equal(t, info.GetDomain(), "dapr.io")
		equal(t, info.GetMetadata()["http.error_message"], want)
	}
	client.WithAuthToken(os.Getenv("GUARDED_API_TOKEN"))
	_, err := client.ConverseAlpha2(t.Context(), prompt(user("Hello")))
	must(t, err)
}

func TestOtherBuildingBlocksAreUnimplemented(t *testing.T) {
	client, ctx := connect(t)
	_, err := client.GetState(ctx, "store", "key", nil)
	equal(t, status.Code(err), codes.Unimplemented)
}

// dial returns a new client for the sidecar whose port is in an environment variable.
func dial(t *testing.T, variable string) dapr.Client {
	t.Helper()
	address := net.JoinHostPort("127.0.0.1", os.Getenv(variable))
	client, err := dapr.NewClientWithAddressContext(context.Background(), address)
	must(t, err)
	t.Cleanup(client.Close)
	return client
}
