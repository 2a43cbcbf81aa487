//! A running program and its resource usage.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    process::Child,
    thread,
    time::Duration,
};

use anyhow::{Context, bail};
use mynah_bench::cases::Case;
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    process::Usage,
    program::{Ports, Program, Programs},
};

/// The interval between checks of whether a server is listening.
const POLL_INTERVAL: Duration = Duration::from_micros(50);
/// The number of checks after which the server has failed to start. They take more than a minute.
const MAX_POLLS: usize = 1_000_000;

/// A running server, which is killed on drop.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) program: Program,
    child: Child,
    ports: Ports,
}

impl Server {
    /// Starts a program for a case and waits until it is listening. If `wrapper` is not empty, it is
    /// a command such as valgrind that runs the program.
    pub(crate) fn start(
        programs: &Programs,
        program: Program,
        case: Case,
        wrapper: &[String],
    ) -> anyhow::Result<Self> {
        let ports = free_ports()?;
        let mut command = programs.command(program, case, ports, wrapper);
        let child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let mut server = Self { program, child, ports };
        server.wait_until_listening().with_context(|| format!("{command:?}"))?;
        Ok(server)
    }

    fn wait_until_listening(&mut self) -> anyhow::Result<()> {
        for _ in 0..MAX_POLLS {
            // Programs bind their ports one after another, so check each port.
            let listens = |case| TcpStream::connect(self.address(case)).is_ok();
            if listens(Case::Short) && (self.program.is_bare() || listens(Case::Json)) {
                return Ok(());
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("exited with {status} before it was listening");
            }
            thread::sleep(POLL_INTERVAL);
        }
        bail!("not listening after a minute")
    }

    /// Returns the address that serves a case.
    pub(crate) fn address(&self, case: Case) -> SocketAddr {
        let is_http = case.http_path().is_some() || self.program == Program::BareAxum;
        let port = if is_http { self.ports.http } else { self.ports.grpc };
        (Ipv4Addr::LOCALHOST, port).into()
    }

    /// Returns what the program has used so far.
    pub(crate) fn usage(&self) -> anyhow::Result<Usage> {
        Usage::of(self.child.id())
    }

    /// Returns the resident memory in MiB.
    pub(crate) fn resident(&self) -> anyhow::Result<f64> {
        self.memory("VmRSS:")
    }

    /// Returns the peak resident memory in MiB.
    pub(crate) fn peak_resident(&self) -> anyhow::Result<f64> {
        self.memory("VmHWM:")
    }

    fn memory(&self, name: &str) -> anyhow::Result<f64> {
        let status = self.proc("status")?;
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kib = line
            .and_then(|line| line.split_whitespace().next())
            .with_context(|| format!("/proc has no {name}"))?;
        Ok(kib.parse::<f64>()? / 1024.0)
    }

    fn proc(&self, file: &str) -> anyhow::Result<String> {
        Ok(fs::read_to_string(format!("/proc/{}/{file}", self.child.id()))?)
    }

    /// Terminates the program and waits for its exit.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::TERM)?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ignore errors: the program may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns ports that no program uses at this moment.
pub(crate) fn free_ports() -> anyhow::Result<Ports> {
    let held = [(); 3].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)));
    let mut ports = Vec::new();
    for listener in &held {
        let listener = listener.as_ref().map_err(|error| anyhow::anyhow!("{error}"))?;
        ports.push(listener.local_addr()?.port());
    }
    let [grpc, http, internal] = ports[..] else { bail!("expected three ports") };
    Ok(Ports { grpc, http, internal })
}
