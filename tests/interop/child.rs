//! Runs a program to its end, or ends it.

use std::{
    os::unix::process::CommandExt,
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};

/// Enough for the first build of a client on a busy machine.
const LIMIT: Duration = Duration::from_secs(1_800);

/// How a program ended, and what it printed.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) success: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a program that has nothing to read, and ends it should it hang.
pub(crate) fn run(command: &mut Command) -> Ended {
    run_for(command, LIMIT)
}

fn run_for(command: &mut Command, limit: Duration) -> Ended {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own, so that what it starts ends with it.
    match command.process_group(0).spawn() {
        Ok(child) => wait(child, limit),
        Err(error) => Ended::failed(format!("{}: {error}", program(command))),
    }
}

fn wait(child: Child, limit: Duration) -> Ended {
    let group = Pid::from_child(&child);
    let (sender, end) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    if let Ok(output) = end.recv_timeout(limit) {
        return output.expect("a child to wait for").into();
    }
    let _ = kill_process_group(group, Signal::KILL);
    let output = end.recv_timeout(Duration::from_secs(10));
    let mut ended = output.map_or_else(
        |_| Ended::failed(String::new()),
        |output| output.expect("a child to wait for").into(),
    );
    ended.stderr += &format!("\nkilled: still running after {} seconds", limit.as_secs());
    ended
}

fn program(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

impl Ended {
    fn failed(stderr: String) -> Self {
        Self { success: false, stdout: String::new(), stderr }
    }

    /// What it printed, once it succeeded. Shows everything where it did not.
    pub(crate) fn expect_success(self, what: &str) -> String {
        let Self { success, stdout, stderr } = &self;
        assert!(*success, "{what} failed\n--- stdout\n{stdout}\n--- stderr\n{stderr}");
        self.stdout
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self {
            success: output.status.success(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

#[test]
fn a_program_that_hangs_is_ended_with_all_that_it_started() {
    let script = "echo started; sleep 60 & sleep 60";
    let ended = run_for(Command::new("sh").args(["-c", script]), Duration::from_secs(3));
    assert!(!ended.success);
    assert_eq!(ended.stdout, "started\n");
    assert!(ended.stderr.contains("killed: still running"), "{}", ended.stderr);
}
