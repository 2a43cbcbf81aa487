// Command daprd is the Dapr runtime with the few component types that the tests use.
//
// The tests compare mynah with this daprd. The published daprd contains all component types and
// takes much longer to build.
package main

import (
	"context"
	"os"

	"go.opencensus.io/stats/view"

	"github.com/dapr/components-contrib/conversation/echo"
	"github.com/dapr/components-contrib/conversation/ollama"
	"github.com/dapr/components-contrib/conversation/openai"
	pubsubmemory "github.com/dapr/components-contrib/pubsub/in-memory"
	"github.com/dapr/components-contrib/secretstores/local/env"
	statememory "github.com/dapr/components-contrib/state/in-memory"
	"github.com/dapr/dapr/cmd/daprd/options"
	"github.com/dapr/dapr/pkg/components/bindings"
	"github.com/dapr/dapr/pkg/components/conversation"
	"github.com/dapr/dapr/pkg/components/pubsub"
	"github.com/dapr/dapr/pkg/components/secretstores"
	"github.com/dapr/dapr/pkg/components/state"
	"github.com/dapr/dapr/pkg/healthz"
	"github.com/dapr/dapr/pkg/metrics"
	"github.com/dapr/dapr/pkg/modes"
	"github.com/dapr/dapr/pkg/runtime"
	"github.com/dapr/dapr/pkg/runtime/registry"
	"github.com/dapr/dapr/pkg/security"
	"github.com/dapr/kit/concurrency"
	"github.com/dapr/kit/logger"
	"github.com/dapr/kit/signals"
)

var log = logger.NewLogger("dapr.runtime")

func main() {
	conversation.DefaultRegistry.RegisterComponent(echo.NewEcho, "echo")
	conversation.DefaultRegistry.RegisterComponent(ollama.NewOllama, "ollama")
	conversation.DefaultRegistry.RegisterComponent(openai.NewOpenAI, "openai")
	pubsub.DefaultRegistry.RegisterComponent(pubsubmemory.New, "in-memory")
	secretstores.DefaultRegistry.RegisterComponent(env.NewEnvSecretStore, "local.env")
	state.DefaultRegistry.RegisterComponent(statememory.NewInMemoryStateStore, "in-memory")
	flags, err := options.New(os.Args[1:])
	if err != nil {
		log.Fatalf("Failed to parse flags: %v", err)
	}
	if err := logger.ApplyOptionsToLoggers(&flags.Logger); err != nil {
		log.Fatal(err)
	}
	if err := run(signals.Context(), flags); err != nil {
		log.Fatalf("Fatal error from runtime: %s", err)
	}
}

// run serves until the context is cancelled.
func run(ctx context.Context, flags *options.Options) error {
	health := healthz.New()
	provider, err := security.New(ctx, security.Options{
		ControlPlaneTrustDomain: flags.ControlPlaneTrustDomain,
		ControlPlaneNamespace:   flags.ControlPlaneNamespace,
		AppID:                   flags.AppID,
		Mode:                    modes.DaprMode(flags.Mode),
		Healthz:                 health,
	})
	if err != nil {
		return err
	}
	serve := func(ctx context.Context) error {
		handler, err := provider.Handler(ctx)
		if err != nil {
			return err
		}
		sidecar, err := runtime.FromConfig(ctx, configure(flags, handler, health))
		if err != nil {
			return err
		}
		return sidecar.Run(ctx)
	}
	return concurrency.NewRunnerManager(provider.Run, serve).Run(ctx)
}

// configure converts the flags that the tests set.
func configure(flags *options.Options, handler security.Handler, health healthz.Healthz) *runtime.Config {
	components := registry.NewOptions().
		WithBindings(bindings.DefaultRegistry).
		WithConversations(conversation.DefaultRegistry).
		WithPubSubs(pubsub.DefaultRegistry).
		WithSecretStores(secretstores.DefaultRegistry).
		WithStateStores(state.DefaultRegistry)
	return &runtime.Config{
		AppID:                         flags.AppID,
		Mode:                          flags.Mode,
		Config:                        flags.Config,
		ResourcesPath:                 flags.ResourcesPath,
		DaprAPIListenAddresses:        flags.DaprAPIListenAddresses,
		DaprHTTPPort:                  flags.DaprHTTPPort,
		DaprAPIGRPCPort:               flags.DaprAPIGRPCPort,
		DaprInternalGRPCPort:          flags.DaprInternalGRPCPort,
		DaprInternalGRPCListenAddress: flags.DaprInternalGRPCListenAddress,
		DaprPublicPort:                flags.DaprPublicPort,
		ProfilePort:                   flags.ProfilePort,
		AllowedOrigins:                flags.AllowedOrigins,
		ApplicationPort:               flags.AppPort,
		AppProtocol:                   flags.AppProtocol,
		AppChannelAddress:             flags.AppChannelAddress,
		AppMaxConcurrency:             flags.AppMaxConcurrency,
		MaxRequestSize:                flags.MaxRequestSize,
		ReadBufferSize:                flags.ReadBufferSize,
		ActorsService:                 flags.ActorsService,
		RemindersService:              flags.RemindersService,
		SchedulerAddress:              flags.SchedulerAddress,
		SchedulerStreams:              flags.SchedulerJobStreams,
		DaprGracefulShutdownSeconds:   flags.DaprGracefulShutdownSeconds,
		DisableBuiltinK8sSecretStore:  flags.DisableBuiltinK8sSecretStore,
		Metrics: metrics.Options{
			Enabled:       flags.Metrics.Enabled(),
			Port:          flags.Metrics.Port(),
			ListenAddress: flags.Metrics.ListenAddress(),
			Namespace:     metrics.DefaultMetricNamespace,
			Meter:         view.NewMeter(),
			Log:           log,
			Healthz:       health,
		},
		Registry: components,
		Security: handler,
		Healthz:  health,
	}
}
