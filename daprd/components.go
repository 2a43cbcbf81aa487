package main

import (
	"github.com/dapr/components-contrib/conversation/echo"
	"github.com/dapr/components-contrib/conversation/ollama"
	"github.com/dapr/components-contrib/conversation/openai"
	"github.com/dapr/components-contrib/nameresolution/nameformat"
	inmemorypubsub "github.com/dapr/components-contrib/pubsub/in-memory"
	"github.com/dapr/components-contrib/secretstores/local/env"
	"github.com/dapr/components-contrib/secretstores/local/file"
	inmemorystate "github.com/dapr/components-contrib/state/in-memory"
	"github.com/dapr/dapr/pkg/components/bindings"
	"github.com/dapr/dapr/pkg/components/conversation"
	"github.com/dapr/dapr/pkg/components/nameresolution"
	"github.com/dapr/dapr/pkg/components/pubsub"
	"github.com/dapr/dapr/pkg/components/secretstores"
	"github.com/dapr/dapr/pkg/components/state"
	"github.com/dapr/dapr/pkg/runtime/registry"
	"github.com/dapr/kit/logger"
)

// components returns the component types that this daprd contains. Pluggable ones are added to the
// same registries when daprd discovers them.
func components() *registry.Options {
	conversation.DefaultRegistry.RegisterComponent(echo.NewEcho, "echo")
	conversation.DefaultRegistry.RegisterComponent(ollama.NewOllama, "ollama")
	conversation.DefaultRegistry.RegisterComponent(openai.NewOpenAI, "openai")
	// Unlike other registries, it has no logger of its own.
	nameresolution.DefaultRegistry.Logger = logger.NewLogger("dapr.contrib")
	nameresolution.DefaultRegistry.RegisterComponent(nameformat.NewResolver, "nameformat")
	pubsub.DefaultRegistry.RegisterComponent(inmemorypubsub.New, "in-memory")
	secretstores.DefaultRegistry.RegisterComponent(env.NewEnvSecretStore, "local.env")
	secretstores.DefaultRegistry.RegisterComponent(file.NewLocalSecretStore, "local.file")
	state.DefaultRegistry.RegisterComponent(inmemorystate.NewInMemoryStateStore, "in-memory")
	return registry.NewOptions().
		WithBindings(bindings.DefaultRegistry).
		WithConversations(conversation.DefaultRegistry).
		WithNameResolutions(nameresolution.DefaultRegistry).
		WithPubSubs(pubsub.DefaultRegistry).
		WithSecretStores(secretstores.DefaultRegistry).
		WithStateStores(state.DefaultRegistry)
}
