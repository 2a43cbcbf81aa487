package adaptor

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"

	contrib "github.com/dapr/components-contrib/conversation"
	base "github.com/dapr/components-contrib/metadata"
	"github.com/dapr/dapr/pkg/components/conversation"
	"github.com/dapr/dapr/pkg/components/pluggable"
	runtime "github.com/dapr/dapr/pkg/proto/runtime/v1"

	"mynah/daprd/proto"
)

// fake is a pluggable component that records what it receives.
type fake struct {
	proto.UnimplementedConversationServer
	socket string
	server *grpc.Server

	mutex    sync.Mutex
	inits    []map[string]string
	requests []*proto.ConverseRequest
	names    []string
	initErr  error
	converse func(context.Context, *fake) (*proto.ConverseResponse, error)
}

// newFake returns a fake that listens on the socket of the type "conversation.stub".
func newFake(t *testing.T) *fake {
	t.Helper()
	folder := t.TempDir()
	t.Setenv(pluggable.SocketFolderEnvVar, folder)
	s := &fake{socket: filepath.Join(folder, "stub.sock"), converse: answer(okReply())}
	s.start(t)
	t.Cleanup(func() { s.server.Stop() })
	return s
}

// start serves on the socket. May be called again after stop.
func (s *fake) start(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	s.server = grpc.NewServer()
	proto.RegisterConversationServer(s.server, s)
	reflection.Register(s.server)
	go func(server *grpc.Server) { _ = server.Serve(listener) }(s.server)
}

// stop ends the process of the component, as far as clients can see.
func (s *fake) stop() {
	s.server.Stop()
}

func (s *fake) Init(ctx context.Context, request *proto.ConversationInitRequest) (*proto.ConversationInitResponse, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.inits = append(s.inits, request.GetMetadata().GetProperties())
	s.names = append(s.names, instance(ctx))
	return new(proto.ConversationInitResponse), s.initErr
}

func (s *fake) Converse(ctx context.Context, request *proto.ConverseRequest) (*proto.ConverseResponse, error) {
	s.mutex.Lock()
	s.requests = append(s.requests, request)
	s.names = append(s.names, instance(ctx))
	s.mutex.Unlock()
	return s.converse(ctx, s)
}

// initCount returns how often Init has been called.
func (s *fake) initCount() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.inits)
}

// instance returns the name of the component that a call is for.
func instance(ctx context.Context) string {
	headers, _ := metadata.FromIncomingContext(ctx)
	if names := headers.Get("x-component-instance"); len(names) == 1 {
		return names[0]
	}
	return ""
}

// answer returns a fixed reply to every call.
func answer(reply *proto.ConverseResponse) func(context.Context, *fake) (*proto.ConverseResponse, error) {
	return func(context.Context, *fake) (*proto.ConverseResponse, error) { return reply, nil }
}

// fail returns an error to every call.
func fail(err error) func(context.Context, *fake) (*proto.ConverseResponse, error) {
	return func(context.Context, *fake) (*proto.ConverseResponse, error) { return nil, err }
}

// okReply is a reply with the text "ok".
func okReply() *proto.ConverseResponse {
	message := &runtime.ConversationResultMessage{Content: "ok"}
	choices := []*runtime.ConversationResultChoices{{FinishReason: "stop", Message: message}}
	outputs := []*runtime.ConversationResultAlpha2{{Choices: choices}}
	return &proto.ConverseResponse{Outputs: outputs}
}

// discover returns a component of the type of the fake that is not initialized, as daprd makes it.
func discover(t *testing.T) contrib.Conversation {
	t.Helper()
	if err := pluggable.Discover(t.Context()); err != nil {
		t.Fatal(err)
	}
	created, err := conversation.DefaultRegistry.Create("conversation.stub", "v1", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := created.Close(); err != nil && !errors.Is(err, grpc.ErrClientConnClosing) {
			t.Error(err)
		}
	})
	return created
}

// connect returns a component that is initialized.
func connect(t *testing.T) contrib.Conversation {
	t.Helper()
	created := discover(t)
	if err := created.Init(t.Context(), settings()); err != nil {
		t.Fatal(err)
	}
	return created
}

// settings is a component named "assistant" with one property.
func settings() contrib.Metadata {
	properties := map[string]string{"provider": "echo"}
	return contrib.Metadata{Base: base.Base{Name: "assistant", Properties: properties}}
}
