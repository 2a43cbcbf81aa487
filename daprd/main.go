// Command daprd is Dapr's runtime, with pluggable conversation components and few built-in ones.
//
// The published daprd contains all component types, takes much longer to build, and has no pluggable
// conversation components. The build tag "unmodified" leaves them out here as well.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/dapr/dapr/cmd/daprd/options"
	"github.com/dapr/dapr/pkg/buildinfo"
	"github.com/dapr/dapr/pkg/healthz"
	"github.com/dapr/dapr/pkg/modes"
	"github.com/dapr/dapr/pkg/runtime"
	"github.com/dapr/dapr/pkg/security"
	"github.com/dapr/kit/concurrency"
	"github.com/dapr/kit/logger"
	"github.com/dapr/kit/signals"
)

var log = logger.NewLogger("dapr.runtime")

func main() {
	flags, err := options.New(os.Args[1:])
	if err != nil {
		log.Fatalf("Failed to parse flags: %v", err)
	}
	if flags.RuntimeVersion {
		fmt.Println(buildinfo.Version())
		return
	}
	flags.Logger.SetAppID(flags.AppID)
	if err := logger.ApplyOptionsToLoggers(&flags.Logger); err != nil {
		log.Fatal(err)
	}
	// Each SIGHUP cancels the context and sends a new one.
	for ctx := range signals.OnHUP(signals.Context()) {
		if err := run(ctx, flags); err != nil {
			log.Fatalf("Fatal error from runtime: %s", err)
		}
		if ctx.Err() == nil {
			return // The runtime has stopped by itself, not because of a signal.
		}
	}
}

// run serves until the context is cancelled.
func run(ctx context.Context, flags *options.Options) error {
	health := healthz.New()
	provider, err := security.New(ctx, security.Options{
		SentryAddress:           flags.SentryAddress,
		ControlPlaneTrustDomain: flags.ControlPlaneTrustDomain,
		ControlPlaneNamespace:   flags.ControlPlaneNamespace,
		TrustAnchors:            flags.TrustAnchors,
		AppID:                   flags.AppID,
		MTLSEnabled:             flags.EnableMTLS,
		Mode:                    modes.DaprMode(flags.Mode),
		Healthz:                 health,
		JwtAudiences:            flags.SentryRequestJwtAudiences,
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
