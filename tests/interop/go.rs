//! Dapr's Go SDK.

use std::process::Command;

use super::{child, folder, point_at, toolchain};
use crate::support::Sidecar;

#[test]
fn the_go_sdk_converses() {
    toolchain::suite("go", || {
        let home = folder("tests/interop/go");
        toolchain::go_modules(&home)?;
        let sidecar = Sidecar::start();
        let mut tests = Command::new("go");
        // -count=1: the answers come from outside, so that Go's cache of results is of no use.
        tests.args(["test", "-count=1", "-v", "./..."]).current_dir(home);
        point_at(&mut tests, &sidecar);
        child::run(&mut tests).expect_success("the Go suite");
        Ok(())
    });
}
