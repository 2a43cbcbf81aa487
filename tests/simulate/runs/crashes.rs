//! Runs of the real program that are killed or cannot write.

use std::{
    fmt::Write,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use super::results;
use crate::support::{mynah, process::wait_until, scratch};

const CONVERSATIONS: usize = 1_000;
/// The conversations of a run that takes long enough to be killed many times.
const MANY: usize = 5_000;

/// Writes a file with conversations of 20 messages, and returns its path.
fn simulate_file(folder: &Path, conversations: usize) -> PathBuf {
    let mut file = format!(
        "name: crash\nin_flight: 4\nmax_messages: 20\nscenarios:\n  - {{id: talk, customer: anna, \
         agent: desk, repeat: {conversations}, initial_message: {{sender: customer, content: Hello}}}}\n\
         participants:\n",
    );
    for (name, role) in [("anna", "customer"), ("desk", "agent")] {
        write!(file, "  - name: {name}\n    role: {role}\n    script:\n").unwrap();
        for step in 0..12 {
            writeln!(file, "      - {{text: \"This is step {step} of {name}, a {role}\"}}")
                .unwrap();
        }
    }
    let path = folder.join("crash.yaml");
    fs::write(&path, file).unwrap();
    path
}

/// Returns a command that runs the file, or continues the run.
fn simulate(file: &Path, out: &Path) -> Command {
    let mut command = mynah();
    command.arg("simulate").arg(file).arg("--out").arg(out);
    command
}

/// Runs to the end and returns the results.
fn completed(command: &mut Command, out: &Path) -> (Vec<u8>, String) {
    let Output { status, stderr, .. } = command.output().unwrap();
    let stderr = String::from_utf8(stderr).unwrap();
    assert!(status.success(), "{stderr}");
    (fs::read(results(out)).unwrap(), stderr)
}

/// Returns the number of conversations in the complete lines, each of which must be JSON.
fn stored(out: &Path) -> usize {
    let bytes = fs::read(results(out)).unwrap_or_default();
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    let lines = lines.map(|line| serde_json::from_slice::<Value>(line).unwrap());
    lines.count().saturating_sub(1)
}

#[tokio::test]
async fn a_run_that_is_killed_at_20_moments_is_complete_in_the_end() {
    let folder = scratch("killed");
    let (file, out) = (simulate_file(&folder, MANY), folder.join("out"));
    let (expected, _) =
        completed(&mut simulate(&file, &folder.join("whole")), &folder.join("whole"));
    let size = || fs::metadata(results(&out)).map_or(0, |file| file.len());
    let mut killed_at = Vec::new();
    for moment in 0..20_u64 {
        // Anything from none to a twentieth of the results.
        let random = twox_hash::XxHash3_64::oneshot(&moment.to_le_bytes());
        let target = size() + random % (expected.len() as u64 / 20);
        let mut child =
            simulate(&file, &out).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let is_due = async || {
            let exited = child.try_wait().unwrap().is_some();
            (exited || size() >= target).then_some(())
        };
        wait_until(is_due, "no results").await;
        child.kill().unwrap();
        child.wait().unwrap();
        killed_at.push(stored(&out));
    }
    assert!(killed_at.is_sorted(), "results were lost: {killed_at:?}");
    let (actual, _) = completed(&mut simulate(&file, &out), &out);
    println!("killed after {killed_at:?}");
    assert!(actual == expected);
    assert_eq!(stored(&out), MANY);
}

#[test]
fn an_incomplete_line_is_logged_and_played_again() {
    let folder = scratch("torn");
    let (file, out) = (simulate_file(&folder, CONVERSATIONS), folder.join("out"));
    let (expected, _) = completed(&mut simulate(&file, &out), &out);
    let length = expected.len() as u64 / 2;
    File::options().write(true).open(results(&out)).unwrap().set_len(length).unwrap();
    let line = stored(&out) + 2;
    let (actual, log) = completed(&mut simulate(&file, &out), &out);
    assert!(actual == expected);
    let message = format!("results.jsonl:{line}: removed an incomplete line");
    assert!(log.contains(&message), "{log}");
}

/// Runs with a limit on the size of files, in blocks of 512 bytes, as if the disk were full.
fn limited(file: &Path, out: &Path, blocks: usize) -> String {
    let simulate = simulate(file, out);
    let mut limited = Command::new("sh");
    limited.args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\"")]);
    let Output { status, stderr, .. } =
        limited.arg(simulate.get_program()).args(simulate.get_args()).output().unwrap();
    assert_eq!(status.code(), Some(1));
    String::from_utf8(stderr).unwrap()
}

#[test]
fn a_full_disk_is_an_error_and_keeps_the_results() {
    let folder = scratch("full");
    let (file, out) = (simulate_file(&folder, CONVERSATIONS), folder.join("out"));
    let error = limited(&file, &out, 256);
    let stored = stored(&out);
    assert!((1..CONVERSATIONS).contains(&stored));
    let message = format!(
        "cannot write to {}, which has {stored} of 1000 conversations; to play the others, solve the \
         problem and run the same command again: File too large",
        results(&out).display()
    );
    assert!(error.contains(&message), "{error}");
    assert!(fs::read(results(&out)).unwrap().ends_with(b"\n"));
    let (whole, _) = completed(&mut simulate(&file, &folder.join("whole")), &folder.join("whole"));
    let (actual, _) = completed(&mut simulate(&file, &out), &out);
    assert!(actual == whole);
}

#[test]
fn results_are_kept_if_they_cannot_be_rewritten_in_order() {
    let folder = scratch("rewrite");
    let (file, out) = (simulate_file(&folder, CONVERSATIONS), folder.join("out"));
    let (expected, _) = completed(&mut simulate(&file, &out), &out);
    let text = String::from_utf8(expected.clone()).unwrap();
    let (header, conversations) = text.split_once('\n').unwrap();
    let reversed: Vec<_> = [header].into_iter().chain(conversations.lines().rev()).collect();
    fs::write(results(&out), reversed.join("\n") + "\n").unwrap();
    let before = fs::read(results(&out)).unwrap();
    let error = limited(&file, &out, 256);
    let message = format!("cannot write {}: File too large", results(&out).display());
    assert!(error.contains(&message), "{error}");
    assert!(fs::read(results(&out)).unwrap() == before);
    assert!(!out.join("results.jsonl.tmp").exists());
    let (actual, _) = completed(&mut simulate(&file, &out), &out);
    assert!(actual == expected);
}
