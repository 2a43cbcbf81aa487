//! A sidecar with components that own tools, for the suites of clients.

use std::process::Command;

use super::{folder, manifest};
use crate::support::{Sidecar, scratch};

/// Starts a sidecar whose components own the tool `find_order`: `orders`, an echo, and `script`, a
/// scripted component. The tests find it with the variables `OWNER_*`.
pub(super) fn start_for(tests: &mut Command) -> Sidecar {
    let resources = scratch("owner");
    let tools = folder("examples/orders.yaml");
    let metadata = [manifest::item("tools", tools.to_str().unwrap())];
    manifest::component(&resources, "orders", "conversation.echo", &metadata);
    manifest::component(&resources, "script", "conversation.scripted", &metadata);
    let sidecar = Sidecar::start_with(&["--resources-path", resources.to_str().unwrap()]);
    tests.env("OWNER_GRPC_PORT", sidecar.grpc.port().to_string());
    tests.env("OWNER_HTTP_PORT", sidecar.http.port().to_string());
    sidecar
}
