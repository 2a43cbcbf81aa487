//! Tests that the example applications print the output that their READMEs show.

use std::{fs, path::Path, process::Command};

use super::{child, folder, point_at, toolchain};
use crate::support::Sidecar;

#[test]
fn python_example_prints_its_readme() {
    toolchain::suite("python", || {
        let home = folder("examples/python");
        let lock = folder("tests/interop/python/requirements.txt");
        // The suite's requirements include those of the example, so both share an environment.
        let requirements = fs::read_to_string(home.join("requirements.txt")).unwrap();
        let locked = fs::read_to_string(&lock).unwrap();
        assert!(requirements.lines().all(|one| locked.lines().any(|other| other == one)));
        let mut app = Command::new(toolchain::python("python", &lock)?);
        app.args(["-B", "app.py"]).current_dir(&home);
        prints_readme_output(&mut app, &Sidecar::start(), &home.join("README.md"));
        Ok(())
    });
}

#[test]
fn go_example_prints_its_readme() {
    toolchain::suite("go", || {
        let home = folder("examples/go");
        toolchain::go_modules(&home)?;
        let mut app = Command::new("go");
        app.args(["run", "."]).current_dir(&home);
        prints_readme_output(&mut app, &Sidecar::start(), &home.join("README.md"));
        Ok(())
    });
}

/// Asserts that an application prints the first `text` block of its README.
pub(super) fn prints_readme_output(app: &mut Command, sidecar: &Sidecar, readme: &Path) {
    point_at(app, sidecar);
    let printed = child::run(app).expect_success("the example");
    let readme = fs::read_to_string(readme).unwrap();
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
    assert_eq!(Some(printed.as_str()), shown);
}
