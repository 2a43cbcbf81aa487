//! Builds the documentation with mdBook.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    interop::{child, folder, toolchain},
    support::scratch,
};

#[test]
fn book_builds_without_warnings() {
    let Some(mdbook) = mdbook() else { return };
    let output = scratch("book");
    let mut build = Command::new(mdbook);
    build.arg("build").arg("--dest-dir").arg(&output).current_dir(folder("."));
    let ended = child::run(&mut build);
    let log = format!("{}{}", ended.stdout, ended.stderr);
    assert!(ended.success && !log.contains("WARN") && !log.contains("ERROR"), "{log}");
    assert!(output.join("getting-started.html").exists(), "{log}");
}

/// Finds the mdbook that `.ci/run` installs, or one in `PATH`.
fn mdbook() -> Option<PathBuf> {
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("tools");
    let installed = tools.join("bin/mdbook");
    if installed.exists() {
        return Some(installed);
    }
    toolchain::has("mdbook").then(|| PathBuf::from("mdbook"))
}
