//! Tests of the inspector: the copies of calls, and the page in a browser.

use std::process::Command;

use mynah_needs::needs;

use super::{child, folder, prepare, toolchain};

const HOME: &str = "tests/interop/inspector";

#[needs("go", "grpcurl", "javascript", "python")]
#[test]
fn copies_of_calls_give_the_same_answer() {
    toolchain::suite("javascript", || {
        let mut tests = node_tests("copies.test.mjs")?;
        toolchain::go_modules(&folder("tests/interop/go_helper"))?;
        tests.env("GRPCURL", toolchain::grpcurl()?);
        tests.env("PYTHON", toolchain::python_with_helper("python")?);
        child::run(&mut tests).expect_success("the copies");
        Ok(())
    });
}

#[needs("chromium", "javascript")]
#[test]
fn the_page_works_in_chromium() {
    toolchain::suite("chromium", || {
        toolchain::find("chromium")?;
        let mut tests = node_tests("page/*.test.mjs")?;
        child::run(&mut tests).expect_success("the page");
        Ok(())
    });
}

/// Returns the command that runs tests with Node, next to a link to the packages that they import.
fn node_tests(files: &str) -> Result<Command, toolchain::Missing> {
    toolchain::find("node")?;
    let home = folder(HOME);
    let packages = toolchain::node_modules(&home)?;
    let mut tests = Command::new("sh");
    prepare(&mut tests);
    tests.args(["-c", IN_A_COPY]).arg(folder("")).arg(&packages).arg(files);
    tests.current_dir(scratch("inspector"));
    tests.env("MYNAH_BIN", env!("CARGO_BIN_EXE_mynah")).env("NODE_MODULES", packages);
    Ok(tests)
}
