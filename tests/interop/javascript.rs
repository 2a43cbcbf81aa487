//! Dapr's JavaScript SDK, and `fetch` for the conversations that it has no client for.

use std::process::Command;

use super::{folder, run_tests, toolchain};

#[test]
fn javascript_converses() {
    toolchain::suite("javascript", || {
        toolchain::find("node")?;
        let home = folder("tests/interop/javascript");
        let packages = toolchain::node_modules(&home)?;
        let mut tests = Command::new("node");
        tests.args(["--test", "--test-reporter=spec"]).current_dir(home);
        run_tests("the JavaScript suite", tests.env("NODE_PATH", packages));
        Ok(())
    });
}
