package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/grpc/metadata"
)

// addresses are the addresses of mynah.
var addresses struct{ GRPC, HTTP string }

// client calls mynah. All tests share it.
var client dapr.Client

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run starts mynah on free ports, runs the tests and stops mynah.
func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "mynah")
	must(err)
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "addresses.json")
	mynah := exec.Command("mynah", "--resources-path=components", "--stand-in=scripted", "--rules=rules.yaml",
		"--dapr-grpc-port=0", "--dapr-http-port=0", "--metrics-port=0", "--addresses-file="+file)
	mynah.Stderr = os.Stderr
	must(mynah.Start())
	defer mynah.Wait()
	defer mynah.Process.Signal(os.Interrupt)
	must(json.Unmarshal(waitFor(file), &addresses))
	dapr.SetLogger(nil) // by default, the SDK logs to standard output
	client, err = dapr.NewClientWithAddress(addresses.GRPC)
	must(err)
	defer client.Close()
	return m.Run()
}

// waitFor reads a file as soon as it exists.
func waitFor(file string) []byte {
	for range 1000 {
		if content, err := os.ReadFile(file); err == nil {
			return content
		}
		time.Sleep(10 * time.Millisecond)
	}
	panic("mynah did not start")
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// newSession returns a context whose calls belong to a session of the test. At the end, the test
// fails if no rule matched one of its calls.
func newSession(t *testing.T) context.Context {
	t.Helper()
	t.Cleanup(func() {
		request(t, http.MethodPost, "/verify", object{"session": t.Name(), "no_unmatched": true}, nil)
	})
	return metadata.AppendToOutgoingContext(context.Background(), "mynah-session", t.Name())
}

type object = map[string]any

// journal returns the calls of the test, the oldest first.
func journal(t *testing.T) []object {
	t.Helper()
	var journal struct{ Entries []object }
	request(t, http.MethodGet, "/journal?session="+t.Name(), nil, &journal)
	return journal.Entries
}

// verify fails the test unless as many of its calls match.
func verify(t *testing.T, count int, match object) {
	t.Helper()
	request(t, http.MethodPost, "/verify", object{"session": t.Name(), "match": match, "count": count}, nil)
}

// request calls mynah's control API.
func request(t *testing.T, method, path string, body, answer any) {
	t.Helper()
	data, err := json.Marshal(body)
	check(t, err)
	url := fmt.Sprintf("http://%s/mynah/v1%s", addresses.HTTP, path)
	request, err := http.NewRequest(method, url, bytes.NewReader(data))
	check(t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	check(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(t, err)
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s", text)
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
