//! Runs the tests of the applications in `examples/travel` and `examples/testing`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use mynah_needs::needs;

use super::{
    child, folder, prepare,
    toolchain::{self, Missing},
};
use crate::support::mynah;

/// Runs a command that finds mynah in `PATH`. `$0` is the folder of mynah.
const WITH_MYNAH: &str = r#"PATH="$0:$PATH" exec "$@""#;
/// Runs a command twice.
const TWICE: &str = r#""$0" "$@" && "$0" "$@""#;

#[needs("python")]
#[test]
fn travel_tests_pass_in_python() {
    toolchain::suite("python", || {
        let python = with_helper("python", "examples/travel/requirements.txt")?;
        with_own_mynah(&folder("examples/travel"), &pytest(&python));
        Ok(())
    });
}

#[needs("dapr-agents")]
#[test]
fn travel_tests_pass_with_dapr_agents() {
    toolchain::suite("dapr-agents", || {
        let python = with_helper("dapr_agents", "examples/travel/requirements-agents.txt")?;
        with_own_mynah(&folder("examples/travel"), &pytest(&python));
        Ok(())
    });
}

#[needs("go")]
#[test]
fn travel_tests_pass_in_go() {
    toolchain::suite("go", || {
        let home = folder("examples/travel/go");
        toolchain::go_modules(&home)?;
        travel_tests_next_to_mynah(&home, &go_test());
        Ok(())
    });
}

#[needs("python")]
#[test]
fn desk_tests_pass_in_python() {
    toolchain::suite("python", || {
        let python = with_helper("python", "examples/testing/python/requirements.txt")?;
        let home = folder("examples/testing/python");
        with_own_mynah(&home, &pytest(&python));
        desk_tests_next_to_mynah(&home, &[("DAPR_API_TOKEN", "token")], &pytest(&python));
        Ok(())
    });
}

/// Dapr Agents brings an SDK that reads the ports only when it is imported.
#[needs("dapr-agents")]
#[test]
fn desk_tests_pass_with_dapr_agents() {
    toolchain::suite("dapr-agents", || {
        let requirements = "examples/testing/python/requirements-agents.txt";
        let python = with_helper("dapr_agents", requirements)?;
        let home = folder("examples/testing/python");
        with_own_mynah(&home, &pytest(&python));
        desk_tests_next_to_mynah(&home, &[], &pytest(&python));
        Ok(())
    });
}

#[needs("go")]
#[test]
fn desk_tests_pass_in_go() {
    toolchain::suite("go", || {
        let home = folder("examples/testing/go");
        toolchain::go_modules(&home)?;
        with_own_mynah(&home, &go_test());
        mynah_stops_when_tests_panic(&home);
        Ok(())
    });
}

/// Returns the Python interpreter of a suite, whose requirements include those of the application.
pub(super) fn python(
    environment: &str,
    suite: &str,
    requirements: &str,
) -> Result<PathBuf, Missing> {
    assert_locked(suite, requirements);
    toolchain::python(environment, &folder(suite).join("requirements.txt"))
}

/// Returns the Python interpreter of a suite with the Python helper. The suite must have the
/// requirements of the application.
fn with_helper(suite: &str, requirements: &str) -> Result<PathBuf, Missing> {
    assert_locked(&format!("tests/interop/{suite}"), requirements);
    toolchain::python_with_helper(suite)
}

/// Asserts that a suite has the requirements of an application. The helper is built from this folder.
fn assert_locked(suite: &str, requirements: &str) {
    let locked = fs::read_to_string(folder(suite).join("requirements.txt")).unwrap();
    let required = fs::read_to_string(folder(requirements)).unwrap();
    let helper = concat!("mynah-dapr==", env!("CARGO_PKG_VERSION"));
    let is_locked = |one| one == helper || locked.lines().any(|other| other == one);
    assert!(required.lines().all(is_locked), "{requirements}");
}

pub(super) fn pytest(python: &Path) -> Command {
    let mut tests = Command::new(python);
    tests.args(["-B", "-m", "pytest", "-p", "no:cacheprovider"]);
    tests
}

/// Returns a run of Go tests. `-count=1` disables the test cache.
fn go_test() -> Command {
    let mut tests = Command::new("go");
    tests.args(["test", "-count=1", "-v", "."]);
    tests
}

/// Runs the tests of the travel assistant twice with the command in its README.
fn travel_tests_next_to_mynah(home: &Path, tests: &Command) {
    let mut run = mynah();
    prepare(&mut run);
    run.args(["run", "--resources-path", "../components", "--resources-path", "components"]);
    run.args(["--stand-in", "scripted", "--rules", "rules.yaml"]);
    twice(&mut run, tests).current_dir(home);
    child::run(&mut run).expect_success("the tests of the travel assistant");
}

/// Adds tests to a command of `mynah run`, which runs them twice next to the same mynah.
fn twice<'c>(run: &'c mut Command, tests: &Command) -> &'c mut Command {
    run.args(["--", "sh", "-c", TWICE]).arg(tests.get_program()).args(tests.get_args())
}

/// Returns a command that starts mynah itself.
fn with_mynah(home: &Path, command: &Command) -> Command {
    let mynah = Path::new(env!("CARGO_BIN_EXE_mynah")).parent().unwrap();
    let mut run = Command::new("sh");
    prepare(&mut run);
    run.args(["-c", WITH_MYNAH]).arg(mynah).arg(command.get_program()).args(command.get_args());
    run.current_dir(home);
    run
}

/// Runs the tests of an application, which start mynah themselves.
fn with_own_mynah(home: &Path, tests: &Command) {
    child::run(&mut with_mynah(home, tests)).expect_success(&home.display().to_string());
}

/// Runs the tests of the support desk twice with the command in their README.
fn desk_tests_next_to_mynah(home: &Path, variables: &[(&str, &str)], tests: &Command) {
    let mut run = mynah();
    prepare(&mut run);
    run.args(["run", "--resources-path", "components", "--stand-in", "scripted"]);
    run.args(["--rules", "rules.yaml"]).envs(variables.iter().copied());
    twice(&mut run, tests).current_dir(home);
    child::run(&mut run).expect_success("the tests of the support desk next to mynah");
}

/// A test that panics cannot stop mynah, whose open output would let `go test` wait a minute.
fn mynah_stops_when_tests_panic(home: &Path) {
    let mut tests = Command::new("go");
    tests.args(["test", "-count=1", "-timeout=100ms", "-run=TestASlowModel", "."]);
    let output = child::run(&mut with_mynah(home, &tests));
    let all = output.stdout + &output.stderr;
    assert!(all.contains("test timed out") && !all.contains("I/O incomplete"), "{all}");
}
