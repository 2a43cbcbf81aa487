//! Tests `mynah run -- pytest` with an unchanged application in the style of Dapr's quickstart.

use mynah_needs::needs;

use super::{child, folder, toolchain};
use crate::support::mynah;

#[needs("python")]
#[test]
fn application_tests_pass_under_mynah_run() {
    runs_pytest("components", &[]);
}

/// The components' API keys are in a secret store that does not exist here.
#[needs("python")]
#[test]
fn stand_in_replaces_production_components() {
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
