//! Runs a program with a time limit.

use std::{
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};

/// A time limit that allows for the first build of a client on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(1_800);

/// The result of running a program.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) success: bool,
    /// How the program ended, such as `exit status: 1`.
    status: String,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a program without standard input, and kills it at the time limit.
pub(crate) fn run(command: &mut Command) -> Output {
    run_for(command, TIME_LIMIT)
}

fn run_for(command: &mut Command, limit: Duration) -> Output {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Use a new process group, so that child processes can be killed together with the program.
    match command.process_group(0).spawn() {
        Ok(child) => wait(child, limit),
        Err(error) => Output::failed(format!("{}: {error}", program(command))),
    }
}

fn wait(child: Child, limit: Duration) -> Output {
    let group = Pid::from_child(&child);
    let (sender, outputs) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    if let Ok(output) = outputs.recv_timeout(limit) {
        return output.unwrap().into();
    }
    let _ = kill_process_group(group, Signal::KILL);
    let output = outputs.recv_timeout(Duration::from_secs(10));
    let mut output =
        output.map_or_else(|_| Output::failed(String::new()), |output| output.unwrap().into());
    output.stderr += &format!("\nkilled after {} seconds", limit.as_secs());
    output
}

fn program(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

impl Output {
    fn failed(stderr: String) -> Self {
        let status = "no exit status".to_owned();
        Self { success: false, status, stdout: String::new(), stderr }
    }

    /// Returns stdout. Panics with the whole output if the program failed.
    pub(crate) fn expect_success(self, what: &str) -> String {
        let Self { success, status, stdout, stderr } = &self;
        assert!(*success, "{what} failed: {status}\n--- stdout\n{stdout}\n--- stderr\n{stderr}");
        self.stdout
    }
}

impl From<std::process::Output> for Output {
    fn from(output: std::process::Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self {
            success: output.status.success(),
            status: output.status.to_string(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

#[test]
fn kills_a_program_and_its_children_at_the_time_limit() {
    let script = "echo started; sleep 60 & sleep 60";
    let output = run_for(Command::new("sh").args(["-c", script]), Duration::from_secs(10));
    assert!(!output.success);
    assert_eq!(output.stdout, "started\n");
    assert!(output.stderr.contains("killed after"), "{}", output.stderr);
}
