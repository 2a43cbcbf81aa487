//! Tests of the JavaScript package `mynah-dapr`, with Vitest, Jest, Dapr's SDK and OpenAI's client.

use std::process::Command;

use mynah_needs::needs;

use super::{child, folder, prepare, toolchain};
use crate::support::scratch;

/// Runs the tests in a copy of the package (`$0` is its folder), next to which Node finds the clients.
const IN_A_COPY: &str = r#"
    cp -R "$0/package.json" "$0/index.js" "$0/index.d.ts" "$0/bin" "$0/lib" "$0/test" . &&
    ln -s "$1" node_modules &&
    exec node --test --test-reporter=spec test/*.test.js
"#;

#[needs("javascript")]
#[test]
fn javascript_helper_passes_its_tests() {
    toolchain::suite("javascript", || {
        toolchain::find("node")?;
        let packages = toolchain::node_modules(&folder("tests/interop/javascript_helper"))?;
        let mut tests = Command::new("sh");
        prepare(&mut tests);
        tests.args(["-c", IN_A_COPY]).arg(folder("js")).arg(packages);
        tests.current_dir(scratch("javascript-helper"));
        tests.env("MYNAH_BIN", env!("CARGO_BIN_EXE_mynah"));
        child::run(&mut tests).expect_success("node --test");
        Ok(())
    });
}
