//! Running programs that work together.

use std::{
    fs,
    ops::{Add, Sub},
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::Context;

use crate::program::Ports;

/// A running program, which is killed on drop.
pub(crate) struct Process {
    pub(crate) name: &'static str,
    child: Child,
}

impl Process {
    /// Starts a program.
    pub(crate) fn start(name: &'static str, command: &mut Command) -> anyhow::Result<Self> {
        command.env_remove("DAPR_API_TOKEN");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        Ok(Self { name, child })
    }

    /// Returns what the program has used so far.
    pub(crate) fn usage(&self) -> anyhow::Result<Usage> {
        Usage::of(self.child.id())
    }
}

/// What a process has used so far, or in a part of its time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usage {
    /// Processor time in user and kernel space, in seconds.
    pub(crate) cpu: f64,
    /// Page faults that were served without input or output.
    pub(crate) faults: f64,
    /// Context switches, voluntary or not.
    pub(crate) switches: f64,
}

impl Usage {
    /// Returns what the threads that a process has now have used.
    pub(crate) fn of(process: u32) -> anyhow::Result<Self> {
        let mut usage = Self::default();
        for thread in fs::read_dir(format!("/proc/{process}/task"))? {
            let folder = thread?.path();
            let read = |file| fs::read_to_string(folder.join(file));
            // A thread may have ended since.
            let (Ok(schedule), Ok(stat), Ok(status)) =
                (read("schedstat"), read("stat"), read("status"))
            else {
                continue;
            };
            usage.cpu += number(schedule.split_whitespace().next())? / 1e9;
            // The name of the thread, which is in parentheses, may contain spaces.
            let after_name = stat.rsplit_once(')').map_or("", |(_, after)| after);
            usage.faults += number(after_name.split_whitespace().nth(7))?;
            for line in status.lines().filter(|line| line.contains("ctxt_switches")) {
                usage.switches += number(line.split_whitespace().nth(1))?;
            }
        }
        Ok(usage)
    }
}

fn number(text: Option<&str>) -> anyhow::Result<f64> {
    Ok(text.context("/proc has another format")?.parse()?)
}

impl Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            cpu: self.cpu + other.cpu,
            faults: self.faults + other.faults,
            switches: self.switches + other.switches,
        }
    }
}

impl Sub for Usage {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            cpu: self.cpu - before.cpu,
            faults: self.faults - before.faults,
            switches: self.switches - before.switches,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Ignore errors: the program may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the command that starts mynah.
pub(crate) fn mynah(release: &Path, ports: Ports, flags: &[String]) -> Command {
    let mut command = Command::new(release.join("mynah"));
    command.args(ports.flags()).arg("--metrics-port=0").args(flags);
    command
}
