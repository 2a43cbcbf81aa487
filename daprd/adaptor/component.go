// Package adaptor lets Dapr use pluggable components as conversation components.
//
// Importing the package is enough. When daprd discovers a socket whose server implements
// dapr.proto.components.v1.Conversation, it registers the type "conversation.NAME", where NAME is
// the file name of the socket without its extension.
package adaptor

import (
	"context"
	"fmt"
	"maps"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	contrib "github.com/dapr/components-contrib/conversation"
	"github.com/dapr/components-contrib/metadata"
	"github.com/dapr/dapr/pkg/components/conversation"
	"github.com/dapr/dapr/pkg/components/pluggable"
	components "github.com/dapr/dapr/pkg/proto/components/v1"
	"github.com/dapr/kit/logger"

	"mynah/daprd/proto"
)

// reconnect limits the time until a connection to a restarted component works again.
var reconnect = grpc.ConnectParams{
	Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
	MinConnectTimeout: 5 * time.Second,
}

func init() {
	pluggable.AddServiceDiscoveryCallback(proto.Conversation_ServiceDesc.ServiceName, register)
}

// register makes the components of a socket available as the type "conversation.NAME".
func register(name string, dialer pluggable.GRPCConnectionDialer) {
	dialer = dialer.WithOptions(grpc.WithConnectParams(reconnect))
	create := func(logger.Logger) contrib.Conversation { return newComponent(dialer) }
	conversation.DefaultRegistry.RegisterComponent(create, name)
}

// component is a conversation component that another process implements.
type component struct {
	*pluggable.GRPCConnector[proto.ConversationClient]
	dialer     pluggable.GRPCConnectionDialer
	properties map[string]string
	inits      initializations
}

func newComponent(dialer pluggable.GRPCConnectionDialer) *component {
	return &component{dialer: dialer, inits: newInitializations()}
}

// Init connects to the component and sends it the properties from the manifest.
func (c *component) Init(ctx context.Context, meta contrib.Metadata) error {
	// The connector dials without a deadline of its own.
	dial := func(_ context.Context, name string, options ...grpc.DialOption) (*grpc.ClientConn, error) {
		return c.dialer(ctx, name, options...)
	}
	connector := pluggable.NewGRPCConnectorWithDialer(dial, proto.NewConversationClient)
	if err := connector.Dial(meta.Name); err != nil {
		return err
	}
	c.GRPCConnector = connector
	c.properties = maps.Clone(meta.Properties)
	if err := c.sendInit(ctx); err != nil {
		_ = c.Close() // The error of Init says more.
		return fromStatus(ctx, err)
	}
	return nil
}

// Converse sends a conversation to the component and returns its answer.
func (c *component) Converse(ctx context.Context, req *contrib.Request) (*contrib.Response, error) {
	request, err := newRequest(req)
	if err != nil {
		return nil, fmt.Errorf("invalid request: %w", err)
	}
	reply, err := c.call(ctx, request)
	if err != nil {
		return nil, fromStatus(ctx, err)
	}
	response, err := newResponse(reply)
	if err != nil {
		return nil, fmt.Errorf("invalid response of the component: %w", err)
	}
	return response, nil
}

// call sends a request. If the component has restarted since Init, sends Init and repeats the request.
func (c *component) call(ctx context.Context, request *proto.ConverseRequest) (*proto.ConverseResponse, error) {
	seen := c.inits.count()
	reply, err := c.Client.Converse(ctx, request)
	if !notInitialized(err) {
		return reply, err
	}
	if err := c.inits.repeat(ctx, seen, c.sendInit); err != nil {
		return nil, err
	}
	return c.Client.Converse(ctx, request)
}

func (c *component) sendInit(ctx context.Context) error {
	settings := &components.MetadataRequest{Properties: c.properties}
	_, err := c.Client.Init(ctx, &proto.ConversationInitRequest{Metadata: settings})
	return err
}

// GetComponentMetadata returns nothing, because only the component knows its properties.
func (c *component) GetComponentMetadata() metadata.MetadataMap {
	return nil
}

// Close ends the calls in flight and the connection.
func (c *component) Close() error {
	if c.GRPCConnector == nil {
		return nil
	}
	return c.GRPCConnector.Close()
}
