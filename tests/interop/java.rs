//! Tests of Dapr's Java SDK.

use std::{fs, process::Command};

use mynah_needs::needs;

use super::{child, folder, run_tests, toolchain};
use crate::support::scratch;

#[needs("java")]
#[test]
fn java_suite_passes() {
    toolchain::suite("java", || {
        let home = folder("tests/interop/java");
        let (jars, classes) = (toolchain::jars(&home)?, scratch("classes"));
        let library = format!("{}/*", jars.display());

        let mut compiler = Command::new("javac");
        compiler.args(["--release", "17", "-cp", &library, "-d"]).arg(&classes);
        let sources = fs::read_dir(home.join("src/interop")).unwrap();
        compiler.args(sources.map(|source| source.unwrap().path()));
        child::run(&mut compiler).expect_success("javac");

        // Short runs are faster without the optimizing compiler.
        let mut tests = Command::new("java");
        tests.arg("-XX:TieredStopAtLevel=1");
        tests.args(["-cp", &format!("{}:{library}", classes.display())]);
        tests.args(["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner"]);
        tests.args(["--disable-ansi-colors", "--select-package", "interop"]);
        run_tests("JUnit", tests.arg("--fail-if-no-tests"));
        Ok(())
    });
}
