//! A running program: when it listens, what it has used, how it ends.

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

use crate::program::{Ports, Program, Programs};

/// Between two looks whether it listens.
const LOOK_AGAIN: Duration = Duration::from_micros(50);
/// Looks before it is clear that it never will: a minute of them and more.
const LOOKS: usize = 1_000_000;

/// A server. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) program: Program,
    child: Child,
    ports: Ports,
}

impl Server {
    /// Starts a program, below another one such as valgrind where it is given, and waits until it
    /// listens.
    pub(crate) fn start(
        programs: &Programs,
        program: Program,
        below: &[String],
    ) -> anyhow::Result<Self> {
        let ports = free_ports()?;
        let mut command = programs.command(program, ports, below);
        let child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let mut server = Self { program, child, ports };
        server.listens().with_context(|| format!("{command:?}"))?;
        Ok(server)
    }

    fn listens(&mut self) -> anyhow::Result<()> {
        for _ in 0..LOOKS {
            // The ports of one program are bound one after the other.
            let serves = |case| TcpStream::connect(self.address(case)).is_ok();
            if serves(Case::Short) && (self.program.is_bare() || serves(Case::Json)) {
                return Ok(());
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("ended with {status} before it listened");
            }
            thread::sleep(LOOK_AGAIN);
        }
        bail!("does not listen within a minute")
    }

    /// Where the calls of a case go.
    pub(crate) fn address(&self, case: Case) -> SocketAddr {
        let is_http = case == Case::Json || self.program == Program::BareAxum;
        let port = if is_http { self.ports.http } else { self.ports.grpc };
        (Ipv4Addr::LOCALHOST, port).into()
    }

    /// Seconds of processor time used by now, in user and kernel space.
    pub(crate) fn cpu(&self) -> anyhow::Result<f64> {
        let stat = self.proc("stat")?;
        // The name of the program, in brackets, may have spaces in it.
        let after_name = stat.rsplit_once(')').map_or("", |(_, after)| after);
        let ticks = after_name.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
        let ticks: u64 = ticks.sum::<Result<_, _>>()?;
        Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
    }

    /// MiB that are resident now.
    pub(crate) fn resident(&self) -> anyhow::Result<f64> {
        self.memory("VmRSS:")
    }

    /// The most MiB that ever were.
    pub(crate) fn most_resident(&self) -> anyhow::Result<f64> {
        self.memory("VmHWM:")
    }

    fn memory(&self, name: &str) -> anyhow::Result<f64> {
        let status = self.proc("status")?;
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kib = line.and_then(|line| line.split_whitespace().next()).context("no such line")?;
        Ok(kib.parse::<f64>()? / 1024.0)
    }

    fn proc(&self, file: &str) -> anyhow::Result<String> {
        Ok(fs::read_to_string(format!("/proc/{}/{file}", self.child.id()))?)
    }

    /// Asks it to end, and waits for that.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::TERM)?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_ports() -> anyhow::Result<Ports> {
    let held = [(); 3].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)));
    let mut ports = Vec::new();
    for listener in &held {
        let listener = listener.as_ref().map_err(|error| anyhow::anyhow!("{error}"))?;
        ports.push(listener.local_addr()?.port());
    }
    let [grpc, http, internal] = ports[..] else { bail!("three ports") };
    Ok(Ports { grpc, http, internal })
}
