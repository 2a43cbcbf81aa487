//! Builds the documentation with mdBook.

use std::process::Command;

use mynah_needs::needs;

use crate::{
    interop::{child, folder},
    support::scratch,
};

#[needs("mdbook")]
#[test]
fn book_builds_without_warnings() {
    let output = scratch("book");
    let mut build = Command::new("mdbook");
    build.arg("build").arg("--dest-dir").arg(&output).current_dir(folder("."));
    let ended = child::run(&mut build);
    let log = format!("{}{}", ended.stdout, ended.stderr);
    assert!(ended.success && !log.contains("WARN") && !log.contains("ERROR"), "{log}");
    assert!(output.join("getting-started.html").exists(), "{log}");
}
