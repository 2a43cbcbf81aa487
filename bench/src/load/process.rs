//! Running programs that work together.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::Context;

use crate::{program::Ports, server};

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

    /// Returns the processor time used so far, in seconds.
    pub(crate) fn cpu(&self) -> anyhow::Result<f64> {
        server::cpu(self.child.id())
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
