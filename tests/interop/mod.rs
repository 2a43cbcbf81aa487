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
mod java;
mod javascript;
mod python;
mod quickstart;
mod rust_sdk;
mod versions;
mod scripts;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::support::Sidecar;

/// What SDKs would listen to, and must not.
const UNWANTED: [&str; 7] = [
    "DAPR_API_MAX_RETRIES",
    "DAPR_API_TIMEOUT_SECONDS",
    "DAPR_API_TOKEN",
    "DAPR_GRPC_ENDPOINT",
    "DAPR_HTTP_ENDPOINT",
    "DAPR_LLM_COMPONENT_DEFAULT",
    "DAPR_SIDECAR_IP",
];

/// What the sidecar that asks for a token is told.
const TOKEN: &str = "interop";

/// Runs a suite's tests against two sidecars: one where its client looks by itself, and one that
/// asks for a token, which the tests find by `GUARDED_*`.
pub(crate) fn run_tests(name: &str, tests: &mut Command) {
    let open = Sidecar::start();
    let guarded = Sidecar::start_in(&[("DAPR_API_TOKEN", TOKEN)], &[]);
    point_at(tests, &open);
    tests
        .env("GUARDED_GRPC_PORT", guarded.grpc.port().to_string())
        .env("GUARDED_HTTP_PORT", guarded.http.port().to_string())
        .env("GUARDED_API_TOKEN", TOKEN);
    child::run(tests).expect_success(name);
}

/// A folder of the repository.
pub(crate) fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// What a Dapr SDK reads to find its sidecar, and nothing else that it would listen to.
pub(crate) fn point_at(command: &mut Command, sidecar: &Sidecar) {
    for name in UNWANTED {
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
