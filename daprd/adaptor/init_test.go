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
