//! Checks the files in `deploy/` with the libraries that read them.

use std::{fs, process::Command};

use mynah_needs::needs;

use super::{child, folder, toolchain};

#[needs("go")]
#[test]
fn the_compose_files_are_valid() {
    toolchain::suite("go", || {
        let home = folder("tests/interop/compose");
        toolchain::go_modules(&home)?;
        for file in ["deploy/compose.yaml", "deploy/in-front.compose.yaml"] {
            let mut check = Command::new("go");
            check.args(["run", "."]).arg(folder(file)).current_dir(&home);
            let services = child::run(&mut check).expect_success(file);
            assert_eq!(services, "[daprd mynah]\n");
        }
        Ok(())
    });
}

#[needs("python")]
#[test]
fn the_kubernetes_files_are_valid() {
    toolchain::suite("python", || {
        let lock = folder("tests/interop/kubernetes/requirements.txt");
        let python = toolchain::python("kubernetes", &lock)?;
        let mut check = Command::new(python.with_file_name("kubernetes-validate"));
        check.arg("--strict");
        check.args(["kubernetes.yaml", "simulate.yaml"].map(|file| folder("deploy").join(file)));
        child::run(&mut check).expect_success("kubernetes-validate");
        Ok(())
    });
}

#[test]
fn the_samples_use_the_image_of_this_version() {
    let files = ["compose.yaml", "in-front.compose.yaml", "kubernetes.yaml", "simulate.yaml"];
    for file in files {
        let text = fs::read_to_string(folder("deploy").join(file)).unwrap();
        let images = text.lines().filter_map(|line| line.trim().strip_prefix("image: mynah"));
        let expected = concat!(":", env!("CARGO_PKG_VERSION"));
        let mut images = images.peekable();
        assert!(images.peek().is_some() && images.all(|tag| tag == expected), "{file}");
    }
}
