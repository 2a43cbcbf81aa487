//! Tests of `mynah man`.

use std::fs;

use super::{redact_folder, report, run_report};
use crate::support::{process::run, scratch};

#[test]
fn prints_the_page_of_the_program() {
    let output = run(&["man"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    for line in [".SH SYNOPSIS", r"\fB\-\-strict\-history\fR", r"mynah\-verify(1)"] {
        assert!(output.stdout.lines().any(|it| it == line), "{line}\n{}", output.stdout);
    }
    assert!(!output.stdout.contains(r"placement\-host\-address"));
}

#[test]
fn writes_a_page_for_each_command() {
    let folder = scratch("man").join("new");
    let written = run_report(&["man", "--dir", folder.to_str().unwrap()]);
    assert_eq!(written, "\n-- exit 0");
    let help = run(&["--help"]).stdout;
    let commands = help.split_once("\nCommands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let commands = commands.lines().filter_map(|line| line.split_whitespace().next());
    for command in commands.filter(|command| *command != "help") {
        let page = fs::read_to_string(folder.join(format!("mynah-{command}.1"))).unwrap();
        assert!(page.contains(&format!(".TH mynah-{command} 1")), "{page}");
    }
    assert!(folder.join("mynah.1").exists());
    assert!(!folder.join("mynah-__supervise.1").exists());
}

#[test]
fn fails_if_the_folder_cannot_be_created() {
    let file = scratch("man").join("file");
    fs::write(&file, "").unwrap();
    let folder = file.join("pages");
    let output = run(&["man", "--dir", folder.to_str().unwrap()]);
    let report = redact_folder(&report(&output), &folder);
    assert!(
        report.contains("mynah: cannot write manual pages to [folder]: Not a directory"),
        "{report}"
    );
    assert_eq!(output.code, Some(1));
}
