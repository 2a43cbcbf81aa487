//go:build infront

// Tests of mynah in front of daprd.
package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	dapr "github.com/dapr/go-sdk/client"
)

// serve serves the application, and returns the events that daprd delivers to it.
func serve(t *testing.T, ctx context.Context, client dapr.Client) <-chan string {
	t.Helper()
	events := make(chan string, 1)
	app := http.NewServeMux()
	app.HandleFunc("GET /dapr/subscribe", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`[{"pubsubname": "bus", "topic": "delivered", "route": "/events"}]`))
	})
	app.HandleFunc("POST /events", func(_ http.ResponseWriter, r *http.Request) {
		var event struct{ Data string }
		if err := json.NewDecoder(r.Body).Decode(&event); err != nil {
			t.Error(err)
		}
		select {
		case events <- event.Data:
		default: // The test has one already.
		}
	})
	app.HandleFunc("POST /upper", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(bytes.ToUpper(body))
	})
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("APP_PORT"))
	must(t, err)
	server := &http.Server{Handler: app}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	must(t, client.Wait(ctx, 20*time.Second))
	// daprd is ready when it has found the application.
	poll(t, ctx, func() bool {
		out, err := client.InvokeMethodWithContent(ctx, "app", "upper", "post", content("a"))
		return err == nil && string(out) == "A"
	})
	return events
}

// connectPatiently is for tests that wait for daprd.
func connectPatiently(t *testing.T) (dapr.Client, context.Context) {
	client, _ := connect(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return client, ctx
}

func content(text string) *dapr.DataContent {
	return &dapr.DataContent{ContentType: "text/plain", Data: []byte(text)}
}

// poll waits until a condition holds.
func poll(t *testing.T, ctx context.Context, holds func() bool) {
	t.Helper()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatal(ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func TestBuildingBlocks(t *testing.T) {
	client, ctx := connectPatiently(t)
	events := serve(t, ctx, client)

	t.Run("state", func(t *testing.T) {
		must(t, client.SaveState(ctx, "store", "go", []byte("one"), nil))
		item, err := client.GetState(ctx, "store", "go", nil)
		must(t, err)
		equal(t, string(item.Value), "one")
		if err := client.SaveStateWithETag(ctx, "store", "go", []byte("x"), "999", nil); err == nil {
			t.Fatal("a wrong etag is accepted")
		}
		must(t, client.ExecuteStateTransaction(ctx, "store", nil, []*dapr.StateOperation{
			{Type: dapr.StateOperationTypeUpsert, Item: &dapr.SetStateItem{Key: "go", Value: []byte("two")}},
			{Type: dapr.StateOperationTypeUpsert, Item: &dapr.SetStateItem{Key: "go-2", Value: []byte("three")}},
			{Type: dapr.StateOperationTypeDelete, Item: &dapr.SetStateItem{Key: "go-2"}},
		}))
		items, err := client.GetBulkState(ctx, "store", []string{"go", "go-2"}, nil, 2)
		must(t, err)
		values := map[string]string{}
		for _, item := range items {
			values[item.Key] = string(item.Value)
		}
		equal(t, values["go"]+","+values["go-2"], "two,")
		must(t, client.DeleteState(ctx, "store", "go", nil))
	})

	t.Run("secrets", func(t *testing.T) {
		secret, err := client.GetSecret(ctx, "environment", "SECRET_WORD", nil)
		must(t, err)
		equal(t, secret["SECRET_WORD"], "parrot")
	})

	t.Run("invocation", func(t *testing.T) {
		out, err := client.InvokeMethodWithContent(ctx, "app", "upper", "post", content("hello"))
		must(t, err)
		equal(t, string(out), "HELLO")
	})

	t.Run("subscription", func(t *testing.T) {
		options := dapr.SubscriptionOptions{PubsubName: "bus", Topic: "streamed"}
		subscription, err := client.Subscribe(ctx, options)
		must(t, err)
		defer func() { _ = subscription.Close() }()
		for _, text := range []string{"first", "second"} {
			must(t, client.PublishEvent(ctx, "bus", "streamed", text))
			message, err := subscription.Receive()
			must(t, err)
			equal(t, message.Data.(string), text)
			must(t, message.Success())
		}
	})

	t.Run("delivery to the application", func(t *testing.T) {
		// An event is lost if daprd has not subscribed for the application yet.
		poll(t, ctx, func() bool {
			must(t, client.PublishEvent(ctx, "bus", "delivered", "hello"))
			return len(events) > 0
		})
		equal(t, <-events, "hello")
	})

	t.Run("metadata", func(t *testing.T) {
		metadata, err := client.GetMetadata(ctx)
		must(t, err)
		equal(t, metadata.ID, "app")
		types := map[string]string{}
		for _, component := range metadata.RegisteredComponents {
			types[component.Name] = component.Type
		}
		equal(t, types["echo"]+" "+types["store"], "conversation.echo state.in-memory")
	})

	t.Run("conversation", func(t *testing.T) {
		request := prompt(user("What is the weather in Oslo?"))
		request.Tools = tools(t)
		answer, err := client.ConverseAlpha2(ctx, request)
		must(t, err)
		call := onlyChoice(t, answer).Message.ToolCalls[0].ToolTypes
		equal(t, call.Name+call.Arguments, `get_weather{"days":42,"location":"Oslo"}`)
	})
}

// The other side kills daprd when the file `subscribed` exists, and starts it again when `lost` exists.
func TestSubscriptionAcrossARestartOfDaprd(t *testing.T) {
	client, ctx := connectPatiently(t)
	folder := os.Getenv("SIGNALS")
	signal := func(name string) {
		must(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	options := dapr.SubscriptionOptions{PubsubName: "bus", Topic: "orders"}
	subscription, err := client.Subscribe(ctx, options)
	must(t, err)
	receive := func(text string) {
		must(t, client.PublishEvent(ctx, "bus", "orders", text))
		message, err := subscription.Receive()
		must(t, err)
		equal(t, message.Data.(string), text)
		must(t, message.Success())
	}
	receive("before")
	signal("subscribed")
	// The SDK subscribes again if the stream is lost, and fails because daprd is away.
	_, err = subscription.Receive()
	equal(t, err.Error(), "re-subscribe failed")
	signal("lost")
	poll(t, ctx, func() bool {
		subscription, err = client.Subscribe(ctx, options)
		return err == nil
	})
	receive("after")
}
