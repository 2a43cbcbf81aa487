//! Tests of Dapr's Python SDK.

use std::process::Command;

use mynah_needs::needs;

use super::{
    folder, owner, run_tests,
    toolchain::{self, Missing},
};

#[needs("python")]
#[test]
fn python_suite_passes() {
    toolchain::suite("python", || unittest("python", "tests/interop/python"));
}

/// Runs the tests in a folder, in a virtual environment with the folder's requirements.
pub(super) fn unittest(environment: &str, home: &str) -> Result<(), Missing> {
    let home = folder(home);
    let python = toolchain::python(environment, &home.join("requirements.txt"))?;
    let mut tests = Command::new(python);
    // Dapr's SDK warns about deprecated values of its variables.
    tests.args(["-B", "-W", "error", "-m", "unittest", "--verbose"]).current_dir(home);
    let _owner = owner::start_for(&mut tests);
    run_tests(environment, &mut tests);
    Ok(())
}
