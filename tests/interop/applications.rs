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

#[needs("python")]
#[test]
fn travel_tests_pass_in_python() {
    toolchain::suite("python", || {
        let python = python("python", "tests/interop/python", "examples/travel/requirements.txt")?;
        travel_tests(&folder("examples/travel"), &mut pytest(&python));
        Ok(())
    });
}

#[needs("dapr-agents")]
#[test]
fn travel_tests_pass_with_dapr_agents() {
    toolchain::suite("dapr-agents", || {
        let requirements = "examples/travel/requirements-agents.txt";
        let python = python("dapr-agents", "tests/interop/dapr_agents", requirements)?;
        travel_tests(&folder("examples/travel"), &mut pytest(&python));
        Ok(())
    });
}

#[needs("go")]
#[test]
fn travel_tests_pass_in_go() {
    toolchain::suite("go", || {
        let home = folder("examples/travel/go");
        toolchain::go_modules(&home)?;
        travel_tests(&home, &mut go_test());
        Ok(())
    });
}

#[needs("python")]
#[test]
fn desk_tests_pass_in_python() {
    toolchain::suite("python", || {
        let requirements = "examples/testing/python/requirements.txt";
        let python = python("python", "tests/interop/python", requirements)?;
        desk_tests(&folder("examples/testing/python"), &pytest(&python));
        desk_tests_next_to_mynah(&pytest(&python));
        Ok(())
    });
}

/// Dapr Agents brings an SDK that reads the ports only when it is imported.
#[needs("dapr-agents")]
#[test]
fn desk_tests_pass_with_dapr_agents() {
    toolchain::suite("dapr-agents", || {
        let requirements = "examples/testing/python/requirements-agents.txt";
        let python = python("dapr-agents", "tests/interop/dapr_agents", requirements)?;
        desk_tests(&folder("examples/testing/python"), &pytest(&python));
        desk_tests_next_to_mynah(&pytest(&python));
        Ok(())
    });
}

#[needs("go")]
#[test]
fn desk_tests_pass_in_go() {
    toolchain::suite("go", || {
        let home = folder("examples/testing/go");
        toolchain::go_modules(&home)?;
        desk_tests(&home, &go_test());
        Ok(())
    });
}

/// Returns the Python interpreter of a suite, whose requirements include those of the application.
fn python(environment: &str, suite: &str, requirements: &str) -> Result<PathBuf, Missing> {
    let lock = folder(suite).join("requirements.txt");
    let locked = fs::read_to_string(&lock).unwrap();
    let required = fs::read_to_string(folder(requirements)).unwrap();
    assert!(required.lines().all(|one| locked.lines().any(|other| other == one)));
    toolchain::python(environment, &lock)
}

fn pytest(python: &Path) -> Command {
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

/// Runs the tests of the travel assistant with the command in its README.
fn travel_tests(home: &Path, tests: &mut Command) {
    let travel = folder("examples/travel");
    let mut run = mynah();
    prepare(&mut run);
    run.arg("run");
    for path in ["components", "tests/components"] {
        run.arg("--resources-path").arg(travel.join(path));
    }
    run.args(["--stand-in", "scripted", "--rules"]).arg(travel.join("tests/rules.yaml"));
    run.arg("--").arg(tests.get_program()).args(tests.get_args()).current_dir(home);
    child::run(&mut run).expect_success("the tests of the travel assistant");
}

/// Runs the tests of the support desk, which start mynah themselves.
fn desk_tests(home: &Path, tests: &Command) {
    let mynah = Path::new(env!("CARGO_BIN_EXE_mynah")).parent().unwrap();
    let mut run = Command::new("sh");
    prepare(&mut run);
    run.args(["-c", WITH_MYNAH]).arg(mynah).arg(tests.get_program()).args(tests.get_args());
    child::run(run.current_dir(home)).expect_success("the tests of the support desk");
}

/// Runs the tests of the support desk in Python with the command in their README.
fn desk_tests_next_to_mynah(tests: &Command) {
    let mut run = mynah();
    prepare(&mut run);
    run.args(["run", "--resources-path", "components", "--stand-in", "scripted"]);
    run.args(["--rules", "rules.yaml", "--"]).arg(tests.get_program()).args(tests.get_args());
    run.current_dir(folder("examples/testing/python"));
    child::run(&mut run).expect_success("the tests of the support desk next to mynah");
}
