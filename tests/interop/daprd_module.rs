//! Checks the Go module `daprd/`, which builds daprd with pluggable conversation components.

use std::process::Command;

use super::{child, folder, toolchain};

#[test]
fn go_module_passes_its_own_tests() {
    toolchain::suite("daprd", || {
        let module = folder("daprd");
        toolchain::go_modules(&module)?;
        for check in [["vet", "./..."].as_slice(), &["test", "-count=1", "./..."]] {
            let mut go = Command::new("go");
            go.args(check).current_dir(&module);
            child::run(&mut go).expect_success(&check.join(" "));
        }
        Ok(())
    });
}

#[test]
fn daprd_builds_with_and_without_the_adaptor() {
    toolchain::suite("daprd", || {
        for program in [toolchain::daprd()?, toolchain::daprd_with_adaptor()?] {
            let mut version = Command::new(program);
            let output = child::run(version.arg("--version"));
            assert_eq!(output.stdout, "1.18.0\n", "{}", output.stderr);
        }
        Ok(())
    });
}
