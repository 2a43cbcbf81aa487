//! Component files that block their reader or take minutes to load. Neither delays a signal.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use rustix::{
    fs::{CWD, FileType, Mode, mknodat},
    process::Signal,
};

use super::{VALID, redact_folder, report, run_report, write_folder};
use crate::support::{
    mynah,
    process::{Output, Process, wait_until},
    scratch,
};

/// Links to one file. Each takes more than a second to load in a debug build.
const SLOW_FILES: usize = 500;
/// The most values that a document may have.
const VALUES: usize = 490_000;

/// Adds files to a folder that take minutes to load.
fn add_slow_files(folder: &Path) {
    let file = scratch("slow").join("values");
    fs::write(&file, format!("a: [{}1]\n", "1, ".repeat(VALUES))).unwrap();
    for number in 0..SLOW_FILES {
        symlink(&file, folder.join(format!("slow-{number}.yaml"))).unwrap();
    }
}

fn sidecar(command: &str, resources: &Path) -> Command {
    let mut sidecar = mynah();
    sidecar.args([command, "--dapr-grpc-port=0", "--dapr-http-port=0", "--metrics-port=0"]);
    sidecar.arg("--resources-path").arg(resources);
    sidecar
}

/// Waits until a process handles SIGTERM itself.
async fn handles_signals(process: &Process) {
    let handles = async || {
        let status = fs::read_to_string(format!("/proc/{}/status", process.id())).ok()?;
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        let caught = u64::from_str_radix(caught.trim(), 16).ok()?;
        (caught >> (Signal::TERM.as_raw() - 1) & 1 == 1).then_some(())
    };
    wait_until(handles, "the program does not handle signals").await;
}

/// Waits until a process has used a second of processor time.
async fn is_loading(process: &Process) {
    let has_worked = async || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", process.id())).ok()?;
        let (_, fields) = stat.rsplit_once(") ")?;
        let ticks: u64 = fields.split(' ').nth(11)?.parse().ok()?;
        (ticks >= 100).then_some(())
    };
    wait_until(has_worked, "the program does not load the files").await;
}

#[tokio::test]
async fn signal_ends_a_slow_start() {
    let folder = write_folder(&[("a.yaml", VALID)]);
    add_slow_files(&folder);
    for (command, code) in [("serve", 0), ("run", 143)] {
        let mut start = sidecar(command, &folder);
        if command == "run" {
            start.args(["--", "true"]);
        }
        let process = Process::start(&mut start);
        handles_signals(&process).await;
        let Output { code: ended, stdout, .. } = process.terminate();
        assert_eq!((ended, stdout.as_str()), (Some(code), ""), "{command}");
    }
}

#[tokio::test]
async fn slow_reload_does_not_delay_the_exit() {
    let folder = write_folder(&[("a.yaml", VALID)]);
    let addresses = scratch("addresses").join("addresses.json");
    let process = Process::start(sidecar("serve", &folder).arg("--addresses-file").arg(&addresses));
    process.wait_until_serving(&addresses);
    add_slow_files(&folder);
    is_loading(&process).await;
    assert_eq!(process.terminate().code, Some(0));
}

/// Looks like a regular file, but a reader waits for the kernel's next message.
#[test]
fn file_that_blocks_is_an_error() {
    let folder = write_folder(&[("a.yaml", VALID)]);
    symlink("/proc/kmsg", folder.join("b.yaml")).unwrap();
    let report = redact_folder(&run_report(&["check", folder.to_str().unwrap()]), &folder);
    assert!(report.starts_with("[folder]/b.yaml: cannot be read: "), "{report}");
    assert!(report.ends_with("1 component, 1 error, 0 warnings\n-- exit 1"), "{report}");
}

/// A pipe takes the place of a file between the check of its path and the opening, which happens
/// about once in 40,000 reads.
#[test]
fn pipe_instead_of_a_file_does_not_block() {
    const RUNS: usize = 40;
    const LINKS: usize = 2_500;
    let folder = scratch("swapped");
    let (target, other) = (folder.join("target"), folder.join("other"));
    let resources = write_folder(&[]);
    for number in 0..LINKS {
        symlink(&target, resources.join(format!("{number}.yaml"))).unwrap();
    }
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| swap(&[&target, &other].map(PathBuf::from), &is_done));
        let _done = SetOnDrop(&is_done);
        for _ in 0..RUNS {
            let mut check = mynah();
            let output = Process::start(check.arg("check").arg(&resources)).wait();
            assert!(output.code.is_some(), "{}", report(&output));
        }
    });
}

/// Sets a flag even if the test fails.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Puts a file and a pipe in turn at the first path.
fn swap([target, other]: &[PathBuf; 2], is_done: &AtomicBool) {
    while !is_done.load(Ordering::Relaxed) {
        fs::write(other, "a: 1\n").unwrap();
        fs::rename(other, target).unwrap();
        mknodat(CWD, other, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        fs::rename(other, target).unwrap();
    }
}
