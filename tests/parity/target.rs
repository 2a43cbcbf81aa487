//! Starts mynah or daprd with the same flags.

use std::{
    fs::{self, File},
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::support;

const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// The number of polls before startup has failed. It allows for a busy machine.
const MAX_START_POLLS: u32 = 4_000;
const MAX_EXIT_POLLS: u32 = 400;

/// The program to start.
#[derive(Debug, Clone)]
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
        for _ in 0..3 {
            match self.start_once(setup).await {
                // Another process took one of the ports after they were chosen here, so try again.
                Err(exit) if exit.log.contains("in use") && !setup.grpc_port_in_use => {}
                result => return result,
            }
        }
        panic!("no free ports");
    }

    async fn start_once(&self, setup: &Setup) -> Result<Target, Exit> {
        let listen = || TcpListener::bind("127.0.0.1:0").unwrap();
        let mut held = vec![listen(), listen(), listen()];
        let address = |at: usize| held[at].local_addr().unwrap();
        let [grpc, http, internal] = [address(0), address(1), address(2)];
        held.truncate(usize::from(setup.grpc_port_in_use));
        // The log is outside the resources folder, because daprd watches that folder.
        let log = support::scratch("parity-log").join("log");
        let child = self.command(setup, [grpc, http, internal], &log).spawn().unwrap();
        let mut target = Target { child, log, grpc, http };
        let exit = target.wait_until_serving().await;
        drop(held);
        exit.map_or(Ok(target), Err)
    }

    fn command(&self, setup: &Setup, ports: [SocketAddr; 3], log: &Path) -> Command {
        let mut command = match self {
            Self::Mynah => support::mynah(),
            Self::Daprd(path) => Command::new(path),
        };
        command.env_clear().envs(setup.token.map(|token| ("DAPR_API_TOKEN", token)));
        let names = ["dapr-grpc-port", "dapr-http-port", "dapr-internal-grpc-port"];
        for (name, address) in names.into_iter().zip(ports) {
            command.arg(format!("--{name}={}", address.port()));
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

impl Target {
    /// Waits until the program serves. Returns the exit if the program exits first.
    async fn wait_until_serving(&mut self) -> Option<Exit> {
        let url = format!("http://{}/v1.0/healthz/outbound", self.http);
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        for _ in 0..MAX_START_POLLS {
            let health = client.get(&url).send().await;
            if let Some(exit) = self.exit() {
                return Some(exit);
            }
            if health.is_ok_and(|health| health.status() == 204) {
                return None;
            }
            thread::sleep(POLL_INTERVAL);
        }
        panic!("the program neither serves nor exits");
    }

    /// Waits a while for the program to exit. daprd can be healthy for a moment before it exits
    /// with an error.
    pub fn wait(&mut self) -> Option<Exit> {
        for _ in 0..MAX_EXIT_POLLS {
            if let Some(exit) = self.exit() {
                return Some(exit);
            }
            thread::sleep(POLL_INTERVAL);
        }
        None
    }

    fn exit(&mut self) -> Option<Exit> {
        let status = self.child.try_wait().unwrap()?;
        Some(Exit { code: status.code(), log: fs::read_to_string(&self.log).unwrap() })
    }

    /// Returns the names and types of the loaded components.
    pub async fn components(&self) -> Vec<String> {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let url = format!("http://{}/v1.0/metadata", self.http);
        let body = client.get(url).send().await.unwrap().text().await.unwrap();
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
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
