//! Dapr's Java SDK.

use std::{fs, process::Command};

use super::{child, folder, run_tests, toolchain};
use crate::support::scratch;

#[test]
fn the_java_sdk_converses() {
    toolchain::suite("java", || {
        let home = folder("tests/interop/java");
        let (jars, classes) = (toolchain::jars(&home)?, scratch("classes"));
        let library = format!("{}/*", jars.display());

        let mut compiler = Command::new("javac");
        compiler.args(["--release", "17", "-cp", &library, "-d"]).arg(&classes);
        let sources = fs::read_dir(home.join("src/interop")).expect("sources");
        compiler.args(sources.map(|source| source.expect("a source").path()));
        child::run(&mut compiler).expect_success("javac");

        // Without its second compiler Java is done sooner.
        let mut tests = Command::new("java");
        tests.arg("-XX:TieredStopAtLevel=1");
        tests.args(["-cp", &format!("{}:{library}", classes.display())]);
        tests.args(["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner"]);
        tests.args(["--disable-ansi-colors", "--select-package", "interop"]);
        run_tests("the Java suite", tests.arg("--fail-if-no-tests"));
        Ok(())
    });
}
