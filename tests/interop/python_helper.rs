//! Tests of the Python helper in `python/`, with the SDKs that it is used with.

use std::{path::Path, process::Command};

use mynah_needs::needs;

use super::{child, folder, prepare, toolchain};

#[needs("python")]
#[test]
fn python_helper_passes_its_tests() {
    toolchain::suite("python", || {
        let python = toolchain::python_with_helper("python")?;
        run(&python, &["-W", "error"]);
        Ok(())
    });
}

/// Dapr Agents brings an SDK that reads the variables only when it is imported.
#[needs("dapr-agents")]
#[test]
fn python_helper_points_settings_of_an_older_sdk_at_the_session() {
    toolchain::suite("dapr-agents", || {
        let python = toolchain::python_with_helper("dapr_agents")?;
        run(&python, &["tests/test_session.py", "tests/test_plugin.py"]);
        Ok(())
    });
}

fn run(python: &Path, arguments: &[&str]) {
    let mut tests = Command::new(python);
    prepare(&mut tests);
    tests.args(["-B", "-m", "pytest", "-p", "no:cacheprovider"]).args(arguments);
    tests.env("MYNAH_BIN", env!("CARGO_BIN_EXE_mynah")).current_dir(folder("python"));
    child::run(&mut tests).expect_success("the tests of the Python helper");
}
