//! Tests of the chat client and the durable agent of Dapr Agents, which requires a different
//! version of the Python SDK.

use mynah_needs::needs;

use super::{python, toolchain};

#[needs("dapr-agents")]
#[test]
fn dapr_agents_suite_passes() {
    toolchain::suite("dapr-agents", || {
        python::unittest("dapr-agents", "tests/interop/dapr_agents")
    });
}
