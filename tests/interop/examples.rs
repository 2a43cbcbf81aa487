//! Tests that the example applications print the output that their READMEs show.

use std::{fs, path::Path, process::Command};

use mynah_needs::needs;

use super::{
    child, folder, point_at,
    toolchain::{self, Missing},
};
use crate::support::Sidecar;

#[needs("python")]
#[test]
fn python_example_prints_its_readme() {
    toolchain::suite("python", || {
        let home = folder("examples/python");
        prints_readme_output(&mut python_example()?, &Sidecar::start(), &home.join("README.md"));
        Ok(())
    });
}

#[needs("go")]
#[test]
fn go_example_prints_its_readme() {
    toolchain::suite("go", || {
        let home = folder("examples/go");
        prints_readme_output(&mut go_example()?, &Sidecar::start(), &home.join("README.md"));
        Ok(())
    });
}

/// Returns the command of the example for the Python SDK.
pub(super) fn python_example() -> Result<Command, Missing> {
    let home = folder("examples/python");
    let lock = folder("tests/interop/python/requirements.txt");
    // The suite's requirements include those of the example, so both share an environment.
    let requirements = fs::read_to_string(home.join("requirements.txt")).unwrap();
    let locked = fs::read_to_string(&lock).unwrap();
    assert!(requirements.lines().all(|one| locked.lines().any(|other| other == one)));
    let mut app = Command::new(toolchain::python("python", &lock)?);
    app.args(["-B", "app.py"]).current_dir(&home);
    Ok(app)
}

/// Returns the command of the example for the Go SDK.
pub(super) fn go_example() -> Result<Command, Missing> {
    let home = folder("examples/go");
    toolchain::go_modules(&home)?;
    let mut app = Command::new("go");
    app.args(["run", "."]).current_dir(&home);
    Ok(app)
}

/// Asserts that an application that uses a sidecar prints the first `text` block of its README.
pub(super) fn prints_readme_output(app: &mut Command, sidecar: &Sidecar, readme: &Path) {
    point_at(app, sidecar);
    prints(app, readme);
}

/// Asserts that a command prints the first `text` block of a README.
pub(super) fn prints(app: &mut Command, readme: &Path) {
    let printed = child::run(app).expect_success("the example");
    let readme = fs::read_to_string(readme).unwrap();
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
    assert_eq!(Some(printed.as_str()), shown);
}
