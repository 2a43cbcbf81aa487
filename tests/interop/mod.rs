//! Tests with existing clients, at pinned versions.
//!
//! Each suite downloads its client into `target/interop` once. For this reason, the suites run only
//! on request: `MYNAH_INTEROP=1` runs all of them, and `MYNAH_INTEROP=python,go` runs these two. The
//! attribute `needs` ignores the others. A requested suite fails if its toolchain is missing.

pub(crate) mod child;
pub(crate) mod toolchain;

mod applications;
mod behind_daprd;
mod binding;
mod clients;
mod converse;
mod dapr_agents;
pub(crate) mod daprd_adaptor;
mod deploy;
mod examples;
mod go;
mod go_helper;
mod grpcurl;
mod in_front_of_daprd;
mod inspector;
mod java;
mod java_helper;
mod javascript;
mod javascript_helper;
mod load;
mod manifest;
mod mcp_server;
mod mcp_tools;
mod openai;
mod owned_mcp_tools;
mod owner;
mod packages;
mod python;
mod python_helper;
mod quickstart;
mod record;
mod recording;
mod report_page;
mod rust_sdk;
mod simulate;
mod versions;
mod scripts;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
};

use crate::support::{Sidecar, mynah, scratch};

/// Variables that SDKs read but the tests do not set.
const REMOVED_VARIABLES: [&str; 8] = [
    "DAPR_API_MAX_RETRIES",
    "DAPR_API_TIMEOUT_SECONDS",
    "DAPR_API_TOKEN",
    "DAPR_GRPC_ENDPOINT",
    "DAPR_HTTP_ENDPOINT",
    "DAPR_LLM_COMPONENT_DEFAULT",
    "DAPR_RUNTIME_HOST",
    "DAPR_SIDECAR_IP",
];

/// The API token of the sidecar that requires one.
const TOKEN: &str = "interop";

/// Runs a command with the address of the metrics, which is in the addresses file.
const WITH_METRICS: &str = r#"
    metrics=$(sed 's/.*"metrics":"\([^"]*\)".*/\1/' "$0")
    METRICS_URL="http://$metrics/metrics" exec "$@"
"#;

/// Runs a suite's tests with two sidecars. The client uses the first one by default, with the
/// variables that `mynah run` sets. The second one requires a token, and its address is in the
/// variables `GUARDED_*`.
pub(crate) fn run_tests(name: &str, tests: &mut Command) {
    let guarded = Sidecar::start_in(&[("DAPR_API_TOKEN", TOKEN)], &[]);
    let mut run = mynah();
    prepare(&mut run);
    let addresses = scratch("interop").join("addresses.json");
    run.args(["run", "--addresses-file"]).arg(&addresses).args(["--", "sh", "-c", WITH_METRICS]);
    run.arg(addresses).arg(tests.get_program()).args(tests.get_args());
    run.envs(tests.get_envs().filter_map(|(name, value)| Some((name, value?))));
    run.current_dir(tests.get_current_dir().unwrap_or(Path::new(".")));
    run.env("GUARDED_GRPC_PORT", guarded.grpc.port().to_string())
        .env("GUARDED_HTTP_PORT", guarded.http.port().to_string())
        .env("GUARDED_API_TOKEN", TOKEN);
    child::run(&mut run).expect_success(name);
}

/// Returns the path of a file or folder in the repository.
pub(crate) fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Sets the variables that Dapr SDKs read, so that they use this sidecar.
pub(crate) fn point_at(command: &mut Command, sidecar: &Sidecar) {
    point_at_ports(command, sidecar.grpc, sidecar.http);
}

/// Sets the variables that Dapr SDKs read, so that they use the sidecar with these addresses.
fn point_at_ports(command: &mut Command, grpc: SocketAddr, http: SocketAddr) {
    prepare(command);
    command
        .env("DAPR_GRPC_PORT", grpc.port().to_string())
        .env("DAPR_HTTP_PORT", http.port().to_string());
}

/// Keeps the environment of the tests from influencing Dapr SDKs.
fn prepare(command: &mut Command) {
    for name in REMOVED_VARIABLES {
        command.env_remove(name);
    }
    command
        .env("DAPR_HEALTH_TIMEOUT", "5")
        .env("NO_PROXY", "127.0.0.1")
        .env("no_proxy", "127.0.0.1");
}
