package main

import (
	"go.opencensus.io/stats/view"

	"github.com/dapr/dapr/cmd/daprd/options"
	"github.com/dapr/dapr/pkg/healthz"
	"github.com/dapr/dapr/pkg/metrics"
	"github.com/dapr/dapr/pkg/runtime"
	"github.com/dapr/dapr/pkg/security"
)

// configure returns the configuration that the flags describe.
func configure(flags *options.Options, handler security.Handler, health healthz.Healthz) *runtime.Config {
	return &runtime.Config{
		AppID:                         flags.AppID,
		Mode:                          flags.Mode,
		Config:                        flags.Config,
		ResourcesPath:                 flags.ResourcesPath,
		ComponentsPath:                flags.ComponentsPath,
		DaprAPIListenAddresses:        flags.DaprAPIListenAddresses,
		DaprHTTPPort:                  flags.DaprHTTPPort,
		DaprAPIGRPCPort:               flags.DaprAPIGRPCPort,
		DaprInternalGRPCPort:          flags.DaprInternalGRPCPort,
		DaprInternalGRPCListenAddress: flags.DaprInternalGRPCListenAddress,
		DaprPublicPort:                flags.DaprPublicPort,
		DaprPublicListenAddress:       flags.DaprPublicListenAddress,
		UnixDomainSocket:              flags.UnixDomainSocket,
		ProfilePort:                   flags.ProfilePort,
		EnableProfiling:               flags.EnableProfiling,
		EnableAPILogging:              flags.EnableAPILogging,
		AllowedOrigins:                flags.AllowedOrigins,
		ApplicationPort:               flags.AppPort,
		AppProtocol:                   flags.AppProtocol,
		AppSSL:                        flags.AppSSL,
		AppChannelAddress:             flags.AppChannelAddress,
		AppMaxConcurrency:             flags.AppMaxConcurrency,
		EnableAppHealthCheck:          flags.EnableAppHealthCheck,
		AppHealthCheckPath:            flags.AppHealthCheckPath,
		AppHealthProbeInterval:        flags.AppHealthProbeInterval,
		AppHealthProbeTimeout:         flags.AppHealthProbeTimeout,
		AppHealthThreshold:            flags.AppHealthThreshold,
		DisableInitEndpoints:          flags.DisableInitEndpoints,
		MaxRequestSize:                flags.MaxRequestSize,
		ReadBufferSize:                flags.ReadBufferSize,
		ControlPlaneAddress:           flags.ControlPlaneAddress,
		SentryAddress:                 flags.SentryAddress,
		EnableMTLS:                    flags.EnableMTLS,
		ActorsService:                 flags.ActorsService,
		ActorsDisseminationTimeout:    flags.ActorsDisseminationTimeout,
		RemindersService:              flags.RemindersService,
		SchedulerAddress:              flags.SchedulerAddress,
		SchedulerStreams:              flags.SchedulerJobStreams,
		DaprGracefulShutdownSeconds:   flags.DaprGracefulShutdownSeconds,
		DaprBlockShutdownDuration:     flags.DaprBlockShutdownDuration,
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
		Registry: components(),
		Security: handler,
		Healthz:  health,
	}
}
