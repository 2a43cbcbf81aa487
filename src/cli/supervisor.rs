//! The supervisor of the command of `mynah run`: another process of this program, between mynah and
//! the command. If mynah is killed, it ends the command with all descendants. It reaps descendants
//! whose parents have ended.

use std::{
    ffi::OsString,
    fs, io,
    os::unix::process::{CommandExt, ExitStatusExt},
    path::Path,
    process::{self, Child, Command, ExitCode, ExitStatus},
};

use rustix::{
    io::Errno,
    process::{
        Pid, Signal as Number, WaitOptions, getpid, getppid, kill_process, set_child_subreaper,
        set_parent_process_death_signal, wait,
    },
};
use signal_hook::{
    consts::SIGCHLD,
    iterator::{SignalsInfo, exfiltrator::WithOrigin},
};
use thiserror::Error as ThisError;

use super::{
    args::{SUPERVISE, SuperviseArgs},
    child::{CannotRun, exit_code, split},
    signals::{Received, Signal},
};

/// This program, even if its file has been replaced.
const PROGRAM: &str = "/proc/self/exe";

/// The reason why a command cannot be supervised.
#[derive(Debug, ThisError)]
pub(super) enum SuperviseError {
    #[error(transparent)]
    Command(#[from] CannotRun),
    #[error("cannot wait for the command")]
    Wait(#[from] io::Error),
}

impl SuperviseError {
    /// Returns the exit code that shells use for the error.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Command(error) => error.exit_code(),
            Self::Wait(_) => 1,
        }
    }
}

/// Returns a process that supervises a command, or `None` if this program cannot be started again.
pub(super) fn of(command: &[OsString]) -> Option<Command> {
    let mut supervisor = Command::new(PROGRAM);
    supervisor.arg0("mynah").arg(SUPERVISE).arg(process::id().to_string()).arg("--").args(command);
    Path::new(PROGRAM).exists().then_some(supervisor)
}

/// Runs a command and forwards signals to it. Returns its exit code.
pub(super) fn supervise(args: &SuperviseArgs) -> Result<ExitCode, SuperviseError> {
    let numbers = Signal::ALL.map(|signal| signal.number().as_raw());
    let mut signals = SignalsInfo::<WithOrigin>::new(numbers.iter().chain(&[SIGCHLD]))?;
    // When mynah ends, the system sends this signal.
    set_parent_process_death_signal(Some(Number::TERM)).map_err(io::Error::from)?;
    // Best effort: otherwise the system reaps orphans.
    let _ = set_child_subreaper(Some(getpid()));
    let command = start(&args.command)?;
    while !has_lost(args.parent) {
        if let Some(status) = reap(&command) {
            return Ok(ExitCode::from(exit_code(status)));
        }
        for received in signals.wait().filter_map(|origin| Received::new(&origin)) {
            if !has_lost(args.parent) {
                received.forward_to(command.id());
            }
        }
    }
    end_all(&command);
    Ok(ExitCode::FAILURE)
}

fn start(command: &[OsString]) -> Result<Child, CannotRun> {
    let (program, arguments) = split(command);
    let started = Command::new(program).args(arguments).spawn();
    started.map_err(|source| CannotRun::new(command, source))
}

/// Returns `true` if mynah has ended.
fn has_lost(parent: i32) -> bool {
    getppid().is_none_or(|current| current.as_raw_pid() != parent)
}

/// Reaps the processes that have ended. Returns the status of the command if it is one of them.
fn reap(command: &Child) -> Option<ExitStatus> {
    let mut status = None;
    while let Ok(Some((process, ended))) = wait(WaitOptions::NOHANG) {
        if process == Pid::from_child(command) {
            status = Some(ExitStatus::from_raw(ended.as_raw()));
        }
    }
    status
}

/// Ends the command and its descendants. When a process ends, its children become children of this one.
fn end_all(command: &Child) {
    // Ignore errors: the process may have ended.
    let _ = kill_process(Pid::from_child(command), Number::KILL);
    loop {
        for child in children() {
            let _ = kill_process(child, Number::KILL);
        }
        match wait(WaitOptions::empty()) {
            Ok(_) | Err(Errno::INTR) => {}
            // There are no more children.
            Err(_) => return,
        }
    }
}

fn children() -> Vec<Pid> {
    let own = getpid().as_raw_pid();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.filter(|id| parent_of(*id) == Some(own)).filter_map(Pid::from_raw).collect()
}

/// Returns the parent of a process. Its name, which comes before, may have any characters.
fn parent_of(process: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}
