//! Tests of Dapr's Python SDK.

use std::process::Command;

use mynah_needs::needs;

use super::{
    child, folder, owner, run_tests,
    toolchain::{self, Missing},
};
use crate::support::{mynah, scratch};

#[needs("python")]
#[test]
fn python_suite_passes() {
    toolchain::suite("python", || unittest("python", "tests/interop/python"));
}

#[needs("python")]
#[test]
fn grpc_reaches_unix_sockets_with_an_authority() {
    toolchain::suite("python", || {
        let home = folder("tests/interop/python");
        let python = toolchain::python("python", &home.join("requirements.txt"))?;
        let sockets = scratch("python-sockets");
        let mut run = mynah();
        run.args(["run", "--component-socket=mynah", "--unix-domain-socket"]).arg(&sockets);
        run.arg("--").arg(python).args(["-B", "-W", "error", "-m", "unittest", "unix_sockets"]);
        run.env("DAPR_COMPONENTS_SOCKETS_FOLDER", &sockets).current_dir(home);
        child::run(&mut run).expect_success("python");
        Ok(())
    });
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
