//! Starts mynah or daprd with the same flags.

use std::{
    fs::{self, File},
    mem,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{
    self,
    http::direct_client,
    ports::ReservedPort,
    process::{listens, occupied_port, wait_until},
};

/// The program to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    Mynah,
    Daprd(PathBuf),
}

/// The options of a startup.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    pub resources: Vec<PathBuf>,
    pub flags: Vec<String>,
    pub token: Option<&'static str>,
    /// More environment variables.
    pub environment: Vec<(&'static str, String)>,
    /// Whether to omit `--app-id`.
    pub without_app_id: bool,
    pub grpc_port_in_use: bool,
}

/// A running program, which is killed on drop.
#[derive(Debug)]
pub struct Target {
    child: Child,
    log: PathBuf,
    pub grpc: SocketAddr,
    pub http: SocketAddr,
    ports: Ports,
}

/// The exit code and the log of a program that exited instead of serving.
#[derive(Debug)]
pub struct Exit {
    pub code: Option<i32>,
    pub log: String,
}

impl Program {
    /// Creates a folder with the two components that most cases call.
    pub fn components(&self) -> PathBuf {
        let metadata = match self {
            Self::Mynah => json!([{ "name": "mode", "value": "daprd" }]),
            Self::Daprd(_) => json!([]),
        };
        let component = |name: &str| {
            json!({
                "apiVersion": "dapr.io/v1alpha1",
                "kind": "Component",
                "metadata": { "name": name },
                "spec": { "type": "conversation.echo", "version": "v1", "metadata": metadata },
            })
        };
        let folder = support::scratch("parity");
        for (file, name) in [("a.yaml", "echo"), ("b.yaml", "we-ird+x")] {
            fs::write(folder.join(file), component(name).to_string()).unwrap();
        }
        folder
    }

    /// Starts the program and waits until it serves or exits.
    pub async fn start(&self, setup: &Setup) -> Result<Target, Exit> {
        let occupied = setup.grpc_port_in_use.then(occupied_port);
        let mut ports = self.ports();
        if let Some(occupied) = &occupied {
            ports.numbers[0] = occupied.local_addr().unwrap().port();
        }
        self.start_on(ports, setup).await
    }

    async fn start_on(&self, ports: Ports, setup: &Setup) -> Result<Target, Exit> {
        // The files are outside the resources folder, because daprd watches that folder.
        let folder = support::scratch("parity-log");
        let addresses = (*self == Self::Mynah).then(|| folder.join("addresses.json"));
        let log = folder.join("log");
        let mut command = self.command(setup, ports.numbers, &log);
        if let Some(file) = &addresses {
            command.arg("--addresses-file").arg(file);
        }
        let child = command.spawn().unwrap();
        let [grpc, http] = [0, 1].map(|at| (Ipv4Addr::LOCALHOST, ports.numbers[at]).into());
        let mut target = Target { child, log, grpc, http, ports };
        let exit = match addresses {
            Some(file) => target.wait_for_addresses(&file).await,
            None => target.wait_until_healthy().await,
        };
        exit.map_or(Ok(target), Err)
    }

    /// Returns the ports to listen on: gRPC, HTTP and daprd's internal gRPC.
    fn ports(&self) -> Ports {
        match self {
            // It reports the ports that it has selected.
            Self::Mynah => Ports::default(),
            Self::Daprd(_) => {
                let reserved = [(); 3].map(|()| ReservedPort::new());
                Ports { numbers: reserved.each_ref().map(|p| p.number), _reserved: reserved.into() }
            }
        }
    }

    fn command(&self, setup: &Setup, ports: [u16; 3], log: &Path) -> Command {
        let mut command = match self {
            Self::Mynah => support::mynah(),
            Self::Daprd(path) => Command::new(path),
        };
        command.env_clear().envs(setup.token.map(|token| ("DAPR_API_TOKEN", token)));
        command.envs(setup.environment.iter().map(|(name, value)| (name, value)));
        let names = ["dapr-grpc-port", "dapr-http-port", "dapr-internal-grpc-port"];
        for (name, port) in names.into_iter().zip(ports) {
            command.arg(format!("--{name}={port}"));
        }
        command.args(["--dapr-listen-addresses=127.0.0.1", "--enable-metrics=false"]);
        command.arg("--dapr-internal-grpc-listen-address=127.0.0.1");
        command.args((!setup.without_app_id).then_some("--app-id=app"));
        for path in &setup.resources {
            command.arg("--resources-path").arg(path);
        }
        let log = File::create(log).unwrap();
        let copy = log.try_clone().unwrap();
        command.args(&setup.flags).stdin(Stdio::null()).stdout(log).stderr(copy);
        command
    }
}

/// Port numbers and the reservations of those that are not 0.
#[derive(Debug, Default)]
struct Ports {
    numbers: [u16; 3],
    _reserved: Vec<ReservedPort>,
}

impl Target {
    /// Waits until mynah writes its addresses. Returns the exit if mynah exits first.
    async fn wait_for_addresses(&mut self, file: &Path) -> Option<Exit> {
        let started = async || {
            if let Some(exit) = self.exit() {
                return Some(Some(exit));
            }
            let addresses = fs::read_to_string(file).ok()?;
            let addresses: Value = serde_json::from_str(&addresses).ok()?;
            let address = |name: &str| addresses[name].as_str().unwrap().parse().unwrap();
            (self.grpc, self.http) = (address("grpc"), address("http"));
            Some(None)
        };
        wait_until(started, "mynah neither serves nor exits").await
    }

    /// Waits until daprd is healthy. Returns the exit if daprd exits first.
    async fn wait_until_healthy(&mut self) -> Option<Exit> {
        let url = format!("http://{}/v1.0/healthz/outbound", self.http);
        let client = direct_client();
        let started = async || {
            if let Some(exit) = self.exit() {
                return Some(Some(exit));
            }
            // Another process on this port could answer.
            if !listens(&self.child, self.http) {
                return None;
            }
            let health = client.get(&url).send().await.ok()?;
            (health.status() == 204).then_some(None)
        };
        wait_until(started, "daprd neither serves nor exits").await
    }

    /// Waits for the program to exit. daprd can be healthy for a moment before it exits with an
    /// error.
    pub async fn wait(&mut self) -> Exit {
        wait_until(async || self.exit(), "the program did not exit").await
    }

    /// Kills the program and starts it again on the same ports.
    pub async fn restart(&mut self, program: &Program, setup: &Setup) -> Result<(), Exit> {
        self.kill();
        *self = program.start_on(mem::take(&mut self.ports), setup).await?;
        Ok(())
    }

    /// Kills the program.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Sends a signal to the program.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("the program runs");
    }

    fn exit(&mut self) -> Option<Exit> {
        let status = self.child.try_wait().unwrap()?;
        Some(Exit { code: status.code(), log: fs::read_to_string(&self.log).unwrap() })
    }

    /// Returns the names and types of the loaded components.
    pub async fn components(&self) -> Vec<String> {
        let url = format!("http://{}/v1.0/metadata", self.http);
        let body = direct_client().get(url).send().await.unwrap().text().await.unwrap();
        let metadata: Value = serde_json::from_str(&body).unwrap();
        let components = metadata["components"].as_array().cloned().unwrap_or_default();
        let text = |component: &Value, key: &str| component[key].as_str().unwrap().to_owned();
        let mut names: Vec<_> = components
            .iter()
            .map(|component| format!("{} {}", text(component, "name"), text(component, "type")))
            .collect();
        names.sort();
        names
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.kill();
    }
}
