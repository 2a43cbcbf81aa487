//! Dapr's Rust SDK.

use std::process::Command;

use super::{folder, run_tests, toolchain};

#[test]
fn the_rust_sdk_converses() {
    toolchain::suite("rust", || {
        let home = folder("tests/interop/rust_sdk");
        toolchain::crates(&home)?;
        let mut tests = Command::new(env!("CARGO"));
        // A target folder of its own: the one around it is in use.
        tests.args(["test", "--locked", "--offline", "--quiet", "--lib", "--target-dir"]);
        tests.arg(toolchain::root().join("rust_sdk")).current_dir(home);
        run_tests("the Rust suite", &mut tests);
        Ok(())
    });
}
