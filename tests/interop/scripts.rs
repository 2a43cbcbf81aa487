//! Tests of clients in conversations that follow an instruction chain.

use std::process::Command;

use mynah_needs::needs;

use super::{
    child,
    examples::prints_readme_output,
    folder, point_at,
    toolchain::{self, Missing},
};
use crate::{chains::scripted, support::Sidecar};

#[needs("dapr-agents")]
#[test]
fn dapr_agents_follow_a_script_of_five_turns() {
    toolchain::suite("dapr-agents", || {
        run(&mut dapr_agents_script()?, &scripted(""));
        Ok(())
    });
}

/// Returns the command of the script for Dapr Agents.
pub(super) fn dapr_agents_script() -> Result<Command, Missing> {
    let home = folder("tests/interop/dapr_agents");
    let python = toolchain::python("dapr-agents", &home.join("requirements.txt"))?;
    let mut tests = Command::new(python);
    tests.args(["-B", "-m", "unittest", "--verbose", "scripted_conversation"]).current_dir(home);
    Ok(tests)
}

#[needs("go")]
#[test]
fn go_sdk_follows_a_script_of_five_turns() {
    toolchain::suite("go", || {
        let home = folder("tests/interop/go");
        toolchain::go_modules(&home)?;
        let mut tests = Command::new("go");
        tests.args([
            "test",
            "-count=1",
            "-v",
            "-tags",
            "scripted",
            "-run",
            "TestFollowsAScript",
            "./...",
        ]);
        run(tests.current_dir(&home), &scripted(""));
        Ok(())
    });
}

#[needs("python")]
#[test]
fn python_chain_example_prints_its_readme() {
    toolchain::suite("python", || {
        let lock = folder("tests/interop/python/requirements.txt");
        let mut app = Command::new(toolchain::python("python", &lock)?);
        app.args(["-B", "app.py"]).current_dir(folder("examples/chains/python"));
        prints_chain_output(&mut app);
        Ok(())
    });
}

#[needs("go")]
#[test]
fn go_chain_example_prints_its_readme() {
    toolchain::suite("go", || {
        let home = folder("examples/chains/go");
        toolchain::go_modules(&home)?;
        let mut app = Command::new("go");
        app.args(["run", "."]).current_dir(&home);
        prints_chain_output(&mut app);
        Ok(())
    });
}

fn run(command: &mut Command, sidecar: &Sidecar) {
    point_at(command, sidecar);
    child::run(command).expect_success("the script");
}

/// Runs an example with the sample components.
fn prints_chain_output(app: &mut Command) {
    let components = folder("components");
    let sidecar = Sidecar::start_with(&["--resources-path", components.to_str().unwrap()]);
    prints_readme_output(app, &sidecar, &folder("examples/chains/README.md"));
}
