//! The example applications, run as their READMEs say.

use std::{fs, path::Path, process::Command};

use super::{child, folder, point_at, toolchain};
use crate::support::Sidecar;

#[test]
fn the_python_example_tells_the_weather() {
    toolchain::suite("python", || {
        let home = folder("examples/python");
        let lock = folder("tests/interop/python/requirements.txt");
        // The example's requirements are among the suite's, so that both share an environment.
        let requirements = fs::read_to_string(home.join("requirements.txt")).expect("requirements");
        let locked = fs::read_to_string(&lock).expect("requirements");
        assert!(requirements.lines().all(|one| locked.lines().any(|other| other == one)));
        let mut app = Command::new(toolchain::python("python", &lock)?);
        app.args(["-B", "app.py"]).current_dir(&home);
        tells_the_weather(&mut app, &home.join("README.md"));
        Ok(())
    });
}

#[test]
fn the_go_example_tells_the_weather() {
    toolchain::suite("go", || {
        let home = folder("examples/go");
        toolchain::go_modules(&home)?;
        let mut app = Command::new("go");
        app.args(["run", "."]).current_dir(&home);
        tells_the_weather(&mut app, &home.join("README.md"));
        Ok(())
    });
}

fn tells_the_weather(app: &mut Command, readme: &Path) {
    prints_what_is_shown(app, &Sidecar::start(), readme);
}

/// What it prints is what its README shows.
pub(super) fn prints_what_is_shown(app: &mut Command, sidecar: &Sidecar, readme: &Path) {
    point_at(app, sidecar);
    let printed = child::run(app).expect_success("the example");
    let readme = fs::read_to_string(readme).expect("a README");
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
    assert_eq!(Some(printed.as_str()), shown);
}
