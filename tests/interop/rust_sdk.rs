//! Tests of Dapr's Rust SDK.

use std::process::Command;

use mynah_needs::needs;

use super::{folder, run_tests, toolchain};

#[needs("rust")]
#[test]
fn rust_suite_passes() {
    toolchain::suite("rust", || {
        let home = folder("tests/interop/rust_sdk");
        toolchain::crates(&home)?;
        let mut tests = Command::new(env!("CARGO"));
        // Use a separate target folder, because this package's folder is locked.
        tests.args(["test", "--locked", "--offline", "--quiet", "--lib", "--target-dir"]);
        tests.arg(toolchain::root().join("rust_sdk")).current_dir(home);
        run_tests("cargo test", &mut tests);
        Ok(())
    });
}
