package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// endpoint is the address of mynah's control API.
var endpoint string

// address is mynah's gRPC address.
var address string

// client calls mynah. All tests share it.
var client dapr.Client

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run runs the tests. It starts mynah unless `mynah run` did.
func run(m *testing.M) int {
	endpoint, address = os.Getenv("MYNAH_ENDPOINT"), "127.0.0.1:"+os.Getenv("DAPR_GRPC_PORT")
	if endpoint == "" {
		stop := start()
		defer stop()
	}
	dapr.SetLogger(nil) // by default, the SDK logs to standard output
	var err error
	client, err = dapr.NewClient()
	must(err)
	defer client.Close()
	return m.Run()
}

// start starts mynah on free ports. mynah stops when its standard input is closed, even if the
// tests panic or are killed.
func start() (stop func()) {
	folder, err := os.MkdirTemp("", "mynah")
	must(err)
	file := filepath.Join(folder, "addresses.json")
	mynah := exec.Command("mynah", "--resources-path=components", "--stand-in=scripted", "--strict", "--rules=rules.yaml",
		"--dapr-grpc-port=0", "--dapr-http-port=0", "--metrics-port=0", "--addresses-file="+file, "--exit-on-stdin-close")
	mynah.Stderr = os.Stderr
	stdin, err := mynah.StdinPipe()
	must(err)
	must(mynah.Start())
	stopped := make(chan struct{})
	go func() {
		mynah.Wait()
		close(stopped)
	}()
	var addresses struct{ GRPC, HTTP string }
	must(json.Unmarshal(waitFor(file, stopped), &addresses))
	must(os.RemoveAll(folder))
	must(os.Setenv("DAPR_GRPC_ENDPOINT", addresses.GRPC))
	address = addresses.GRPC
	endpoint = fmt.Sprintf("http://%s/mynah/v1", addresses.HTTP)
	return func() {
		stdin.Close()
		<-stopped
	}
}

// waitFor reads a file as soon as mynah has written it.
func waitFor(file string, stopped <-chan struct{}) []byte {
	for {
		if content, err := os.ReadFile(file); err == nil {
			return content
		}
		select {
		case <-stopped:
			log.Fatal("mynah did not start")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// newSession returns a context whose calls belong to a session of the test, without the calls and
// counts of an earlier run. At the end, the test fails if no rule matched one of its calls.
func newSession(t *testing.T) context.Context {
	t.Helper()
	request(t, http.MethodPost, "/reset?"+query(t), nil, nil)
	t.Cleanup(func() { request(t, http.MethodDelete, "/rules?"+query(t), nil, nil) })
	t.Cleanup(func() { request(t, http.MethodDelete, "/faults?"+query(t), nil, nil) })
	t.Cleanup(func() { showIfFailed(t) })
	t.Cleanup(func() {
		request(t, http.MethodPost, "/verify", object{"session": session(t), "no_unmatched": true}, nil)
	})
	return metadata.AppendToOutgoingContext(context.Background(), "mynah-session", session(t))
}

// newClient returns a client whose calls belong to the session of the test, for an application that does
// not pass on the context of the test, such as a service.
func newClient(t *testing.T) dapr.Client {
	t.Helper()
	newSession(t)
	inSession := func(ctx context.Context, method string, request, reply any, connection *grpc.ClientConn,
		invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
		token := os.Getenv("DAPR_API_TOKEN")
		ctx = metadata.AppendToOutgoingContext(ctx, "mynah-session", session(t), "dapr-api-token", token)
		return invoke(ctx, method, request, reply, connection, options...)
	}
	credentials := grpc.WithTransportCredentials(insecure.NewCredentials())
	connection, err := grpc.NewClient(address, credentials, grpc.WithUnaryInterceptor(inSession))
	check(t, err)
	client := dapr.NewClientWithConnection(connection)
	t.Cleanup(client.Close)
	return client
}

// session returns the name of the test's session. It begins with the package, because packages are
// tested at the same time.
func session(t *testing.T) string {
	program, _ := debug.ReadBuildInfo()
	return program.Path + "/" + t.Name()
}

// query returns the session of the test as a query parameter.
func query(t *testing.T) string {
	return url.Values{"session": {session(t)}}.Encode()
}

type object = map[string]any

// journal returns the calls of the test, the oldest first.
func journal(t *testing.T) []object {
	t.Helper()
	var journal struct{ Entries []object }
	request(t, http.MethodGet, "/journal?"+query(t), nil, &journal)
	return journal.Entries
}

// showIfFailed prints the calls of a test that has failed.
func showIfFailed(t *testing.T) {
	t.Helper()
	if !t.Failed() {
		return
	}
	for _, call := range journal(t) {
		if sent, ok := call["request"].(object); ok {
			delete(sent, "tools") // their schemas are long
		}
		text, err := json.MarshalIndent(call, "", "  ")
		check(t, err)
		t.Logf("call %v: %s", call["number"], text)
	}
}

// verify fails the test unless as many of its calls match. It waits for calls that are about to end.
func verify(t *testing.T, count int, match object) {
	t.Helper()
	check := object{"session": session(t), "match": match, "count": count, "wait": "1s"}
	request(t, http.MethodPost, "/verify", check, nil)
}

// setRules sets the rules of the test, which go before those of the file. At the end, the test fails if
// one of those that it has then was not used.
func setRules(t *testing.T, rules ...object) {
	t.Helper()
	request(t, http.MethodPut, "/rules?"+query(t), object{"rules": rules}, nil)
	t.Cleanup(func() {
		request(t, http.MethodPost, "/verify", object{"session": session(t), "unused": true}, nil)
	})
}

// forget removes the failed calls of the test from the journal, so that they need no rule.
func forget(t *testing.T) {
	t.Helper()
	request(t, http.MethodDelete, "/journal?outcome=failed&"+query(t), nil, nil)
}

// request calls mynah's control API.
func request(t *testing.T, method, path string, body, answer any) {
	t.Helper()
	data, err := json.Marshal(body)
	check(t, err)
	request, err := http.NewRequest(method, endpoint+path, bytes.NewReader(data))
	check(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("dapr-api-token", os.Getenv("DAPR_API_TOKEN"))
	response, err := http.DefaultClient.Do(request)
	check(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(t, err)
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s: %s", method, path, response.Status, text)
	}
	if answer != nil {
		check(t, json.Unmarshal(text, answer))
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
