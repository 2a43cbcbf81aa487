//! Tests of Dapr's JavaScript SDK, of `fetch` for conversations, which the SDK does not support, and
//! of OpenAI's JavaScript client.

use std::process::Command;

use mynah_needs::needs;

use super::{folder, run_tests, toolchain};

#[needs("javascript")]
#[test]
fn javascript_suite_passes() {
    toolchain::suite("javascript", || {
        toolchain::find("node")?;
        let home = folder("tests/interop/javascript");
        let packages = toolchain::node_modules(&home)?;
        let mut tests = Command::new("node");
        tests.args(["--test", "--test-reporter=spec"]).current_dir(home);
        run_tests("node --test", tests.env("NODE_PATH", packages));
        Ok(())
    });
}
