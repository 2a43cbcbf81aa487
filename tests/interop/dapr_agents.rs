//! Dapr Agents, which brings a Python SDK of its own version.

use super::{python, toolchain};

#[test]
fn dapr_agents_call_their_tools() {
    toolchain::suite("dapr-agents", || {
        python::unittest("dapr-agents", "tests/interop/dapr_agents")
    });
}
