//! Dapr's Python SDK.

use std::process::Command;

use super::{
    child, folder, point_at,
    toolchain::{self, Missing},
};
use crate::support::Sidecar;

#[test]
fn the_python_sdk_converses() {
    toolchain::suite("python", || unittest("python", "tests/interop/python"));
}

/// Runs the tests of a folder in the environment that its requirements describe.
pub(super) fn unittest(environment: &str, home: &str) -> Result<(), Missing> {
    let home = folder(home);
    let python = toolchain::python(environment, &home.join("requirements.txt"))?;
    let sidecar = Sidecar::start();
    let mut tests = Command::new(python);
    tests.args(["-B", "-m", "unittest", "--verbose"]).current_dir(home);
    point_at(&mut tests, &sidecar);
    child::run(&mut tests).expect_success(environment);
    Ok(())
}
