//! Dapr Agents, which brings a Python SDK of its own version: its chat client and its agent.

use super::{python, toolchain};

#[test]
fn dapr_agents_converse() {
    toolchain::suite("dapr-agents", || {
        python::unittest("dapr-agents", "tests/interop/dapr_agents")
    });
}
