//! Tests of the Java package `mynah-dapr-junit5`, with JUnit and Dapr's Java SDK.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use mynah_needs::needs;

use super::{child, folder, prepare, toolchain};
use crate::support::scratch;

#[needs("java")]
#[test]
fn java_helper_passes_its_tests() {
    toolchain::suite("java", || {
        let jars = toolchain::jars(&folder("tests/interop/java"))?;
        let (home, classes) = (folder("java"), scratch("java-helper"));
        let library = format!("{}/*", jars.display());

        let mut compiler = Command::new("javac");
        compiler.args(["-Xlint:all,-classfile,-deprecation,-processing,-serial,-try", "-Werror"]);
        compiler.args(["--release", "17", "-cp", &library, "-d"]).arg(&classes);
        compiler.args(sources(&home.join("src")));
        child::run(&mut compiler).expect_success("javac");

        let mut tests = Command::new("java");
        prepare(&mut tests);
        // Short runs are faster without the optimizing compiler.
        tests.arg("-XX:TieredStopAtLevel=1");
        let resources = home.join("src/test/resources");
        let path = format!("{}:{}:{library}", classes.display(), resources.display());
        tests.args(["-cp", &path, "org.junit.platform.console.ConsoleLauncher", "execute"]);
        tests.args(["--disable-banner", "--disable-ansi-colors", "--fail-if-no-tests"]);
        tests.arg(format!("--scan-classpath={}", classes.display()));
        tests.env("MYNAH_BIN", env!("CARGO_BIN_EXE_mynah"));
        child::run(&mut tests).expect_success("the tests of the Java helper");
        Ok(())
    });
}

#[test]
fn java_helper_has_the_version_of_mynah() {
    let version = env!("CARGO_PKG_VERSION");
    let source = "java/src/main/java/io/github/mynahdapr/Command.java";
    for (file, text) in [
        ("java/pom.xml", format!("<version>{version}</version>\n  <name>")),
        ("java/README.md", format!("<version>{version}</version>")),
        (source, format!("VERSION = \"{version}\"")),
    ] {
        assert!(fs::read_to_string(folder(file)).unwrap().contains(&text), "{text} in {file}");
    }
}

/// Returns the Java files in a folder and below it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = paths.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    below.filter(|path| path.extension().is_some_and(|it| it == "java")).collect()
}
