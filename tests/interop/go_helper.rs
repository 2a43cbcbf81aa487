//! Tests of the Go package `mynahtest`, on its own and with Dapr's Go SDK.

use std::process::Command;

use mynah_needs::needs;

use super::{child, folder, prepare, toolchain};

#[needs("go")]
#[test]
fn go_helper_passes_its_tests() {
    toolchain::suite("go", || {
        for arguments in [&["vet", "./..."][..], &["test", "-count=1", "./..."]] {
            go("go", arguments);
        }
        assert_eq!(go("go", &["run", "cmd/gofmt", "-l", "."]), "", "files that gofmt would change");
        Ok(())
    });
}

#[needs("go")]
#[test]
fn go_helper_works_with_the_sdk() {
    toolchain::suite("go", || {
        toolchain::go_modules(&folder("tests/interop/go_helper"))?;
        go("tests/interop/go_helper", &["test", "-count=1", "./..."]);
        Ok(())
    });
}

/// Runs Go in a folder. Returns its output.
fn go(home: &str, arguments: &[&str]) -> String {
    let mut go = Command::new("go");
    prepare(&mut go);
    go.args(arguments).current_dir(folder(home)).env("MYNAH_BIN", env!("CARGO_BIN_EXE_mynah"));
    child::run(&mut go).expect_success(&arguments.join(" "))
}
