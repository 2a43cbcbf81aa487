//! Tests of the inspector: its sources, the copies of calls, and the page in a browser.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use mynah_needs::needs;

use super::{
    child, folder, prepare,
    toolchain::{self, Missing},
};
use crate::support::scratch;

/// Runs tests in a copy of their folder (`$0`), next to the packages that they import (`$1`).
const IN_A_COPY: &str = r#"
    cp -R "$0"/*.mjs "$0/page" . && ln -s "$1" node_modules && shift &&
    exec node --test --test-concurrency=1 --test-force-exit --test-reporter=spec "$@"
"#;

/// Builds the page in a copy of its folder (`$0`), next to the packages that it needs (`$1`).
const BUILD: &str = r#"
    cp -R "$0/src" "$0/build.mjs" "$0/tsconfig.json" "$0/package.json" . &&
    ln -s "$1" node_modules && node_modules/.bin/tsc --noEmit && exec node build.mjs
"#;

#[needs("javascript")]
#[test]
fn the_page_is_what_its_sources_give() {
    toolchain::suite("javascript", || {
        let home = folder("web");
        let packages = packages(&home)?;
        let built = scratch("inspector-page");
        let mut build = Command::new("sh");
        build.args(["-c", BUILD]).arg(&home).arg(packages).current_dir(&built);
        child::run(&mut build).expect_success("the build of the page");
        let page = |home: &Path| fs::read(home.join("dist/inspector.html")).unwrap();
        assert!(page(&home) == page(&built), "run `npm run build` in web/, and commit its result");
        Ok(())
    });
}

#[needs("go", "grpcurl", "javascript", "python")]
#[test]
fn copies_of_calls_give_the_same_answers() {
    toolchain::suite("javascript", || {
        toolchain::go_modules(&folder("tests/interop/go_helper"))?;
        let mut tests = node_tests(&["copies.test.mjs", "unanswered.test.mjs"])?;
        tests.env("GRPCURL", toolchain::grpcurl()?);
        tests.env("PYTHON", toolchain::python_with_helper("python")?);
        child::run(&mut tests).expect_success("the tests of the copies");
        Ok(())
    });
}

#[needs("chromium", "javascript")]
#[test]
fn the_page_works_in_chromium() {
    toolchain::suite("chromium", || {
        toolchain::find("chromium")?;
        let files = ["watch", "read", "act", "hostile", "access", "report", "memory"];
        let files = files.map(|name| format!("page/{name}.test.mjs"));
        let mut tests = node_tests(&files.each_ref().map(String::as_str))?;
        child::run(&mut tests).expect_success("the tests of the page");
        Ok(())
    });
}

/// Returns the folder with the packages that a folder of sources needs.
fn packages(home: &Path) -> Result<PathBuf, Missing> {
    toolchain::find("node")?;
    toolchain::node_modules(home)
}

/// Returns the command that runs files of tests.
fn node_tests(files: &[&str]) -> Result<Command, Missing> {
    let home = folder("tests/interop/inspector");
    let packages = packages(&home)?;
    let mut tests = Command::new("sh");
    prepare(&mut tests);
    tests.args(["-c", IN_A_COPY]).arg(home).arg(&packages).args(files);
    tests.env("MYNAH_BIN", env!("CARGO_BIN_EXE_mynah")).env("NODE_MODULES", packages);
    tests.env("REPOSITORY", folder("")).current_dir(scratch("inspector"));
    Ok(tests)
}
