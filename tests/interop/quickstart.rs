//! `mynah run -- pytest` over an application of the shape of Dapr's quickstart, unchanged.

use super::{child, folder, toolchain};
use crate::support::mynah;

#[test]
fn an_applications_own_tests_pass_beside_it() {
    runs_pytest("components", &[]);
}

/// Whose keys nobody has, in a store that is not there.
#[test]
fn components_of_other_providers_are_stood_in_for() {
    runs_pytest("production", &["--stand-in", "echo"]);
}

fn runs_pytest(resources: &str, flags: &[&str]) {
    let name = format!("mynah run -- pytest, {resources}");
    toolchain::suite("python", || {
        let home = folder("tests/interop/quickstart");
        let python = toolchain::python("quickstart", &home.join("requirements.txt"))?;
        let mut run = mynah();
        run.args(["run", "--resources-path", resources]).args(flags).arg("--").arg(python);
        run.args(["-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"]).current_dir(home);
        let printed = child::run(&mut run).expect_success(&name);
        let tests = if resources == "components" { 2 } else { 4 };
        assert!(printed.contains(&format!("{tests} passed")), "{printed}");
        Ok(())
    });
}
