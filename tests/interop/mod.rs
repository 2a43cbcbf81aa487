//! The clients that people use, at pinned versions, against the real program.
//!
//! Each suite installs its client once, under `target/interop`. Where the toolchain or the network
//! is missing, the suite is skipped and says so; with `MYNAH_REQUIRE_INTEROP=1` it fails instead.

pub(crate) mod child;
pub(crate) mod toolchain;

mod converse;
mod dapr_agents;
mod examples;
mod go;
mod grpcurl;
mod python;
mod quickstart;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::support::Sidecar;

/// A folder of the repository.
pub(crate) fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// What a Dapr SDK reads to find its sidecar, and nothing else that it would listen to.
pub(crate) fn point_at(command: &mut Command, sidecar: &Sidecar) {
    for name in ["DAPR_API_TOKEN", "DAPR_GRPC_ENDPOINT", "DAPR_HTTP_ENDPOINT"] {
        command.env_remove(name);
    }
    command
        .env("DAPR_RUNTIME_HOST", "127.0.0.1")
        .env("DAPR_GRPC_PORT", sidecar.grpc.port().to_string())
        .env("DAPR_HTTP_PORT", sidecar.http.port().to_string())
        .env("DAPR_HEALTH_TIMEOUT", "5")
        .env("NO_PROXY", "127.0.0.1")
        .env("no_proxy", "127.0.0.1");
}
