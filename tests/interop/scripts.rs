//! Conversations that an instruction chain drives, with the clients that people use.

use std::process::Command;

use super::{child, examples::prints_what_is_shown, folder, point_at, toolchain};
use crate::{chains::scripted, support::Sidecar};

#[test]
fn dapr_agents_follow_a_script_of_five_turns() {
    toolchain::suite("dapr-agents", || {
        let home = folder("tests/interop/dapr_agents");
        let python = toolchain::python("dapr-agents", &home.join("requirements.txt"))?;
        let mut tests = Command::new(python);
        tests.args(["-B", "-m", "unittest", "--verbose", "scripted_conversation"]);
        run(tests.current_dir(&home), &scripted(""));
        Ok(())
    });
}

#[test]
fn the_go_sdk_follows_a_script_of_five_turns() {
    toolchain::suite("go", || {
        let home = folder("tests/interop/go");
        toolchain::go_modules(&home)?;
        let mut tests = Command::new("go");
        tests.args(["test", "-count=1", "-v", "-tags", "scripted", "-run", "TestAScript", "./..."]);
        run(tests.current_dir(&home), &scripted(""));
        Ok(())
    });
}

#[test]
fn the_python_example_follows_its_scripts() {
    toolchain::suite("python", || {
        let lock = folder("tests/interop/python/requirements.txt");
        let mut app = Command::new(toolchain::python("python", &lock)?);
        app.args(["-B", "app.py"]).current_dir(folder("examples/chains/python"));
        follows_its_scripts(&mut app);
        Ok(())
    });
}

#[test]
fn the_go_example_follows_its_scripts() {
    toolchain::suite("go", || {
        let home = folder("examples/chains/go");
        toolchain::go_modules(&home)?;
        let mut app = Command::new("go");
        app.args(["run", "."]).current_dir(&home);
        follows_its_scripts(&mut app);
        Ok(())
    });
}

fn run(command: &mut Command, sidecar: &Sidecar) {
    point_at(command, sidecar);
    child::run(command).expect_success("the script");
}

/// The examples run beside the sample components.
fn follows_its_scripts(app: &mut Command) {
    let components = folder("components");
    let sidecar = Sidecar::start_with(&["--resources-path", components.to_str().expect("UTF-8")]);
    prints_what_is_shown(app, &sidecar, &folder("examples/chains/README.md"));
}
