//! The program that answers: mynah, or daprd itself, started with the same flags.

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

const POLL: Duration = Duration::from_millis(5);
/// Polls; longer than either of them needs on a busy machine.
const STARTS_WITHIN: u32 = 4_000;
const ENDS_WITHIN: u32 = 400;

/// What is started.
#[derive(Debug, Clone)]
pub enum Program {
    Mynah,
    Daprd(PathBuf),
}

/// How it is started.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    pub resources: Vec<PathBuf>,
    pub flags: Vec<String>,
    pub token: Option<&'static str>,
    /// Whether the flag for the application's id is left out.
    pub anonymous: bool,
    pub grpc_port_is_taken: bool,
}

/// A running program. Dropping it kills it.
#[derive(Debug)]
pub struct Target {
    child: Child,
    log: PathBuf,
    pub grpc: SocketAddr,
    pub http: SocketAddr,
}

/// How a program ended that was to serve.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub log: String,
}

impl Program {
    /// The folder of the two components that most cases call.
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

    /// Starts it and waits until it serves, or ends.
    pub async fn start(&self, setup: &Setup) -> Result<Target, Ended> {
        for _ in 0..3 {
            match self.start_once(setup).await {
                // Somebody else was given a port between our look and its.
                Err(ended) if ended.log.contains("in use") && !setup.grpc_port_is_taken => {}
                result => return result,
            }
        }
        panic!("no free ports");
    }

    async fn start_once(&self, setup: &Setup) -> Result<Target, Ended> {
        let listen = || TcpListener::bind("127.0.0.1:0").unwrap();
        let mut held = vec![listen(), listen(), listen()];
        let address = |at: usize| held[at].local_addr().unwrap();
        let [grpc, http, internal] = [address(0), address(1), address(2)];
        held.truncate(usize::from(setup.grpc_port_is_taken));
        // Beside the resources, which daprd watches.
        let log = support::scratch("parity-log").join("log");
        let child = self.command(setup, [grpc, http, internal], &log).spawn().unwrap();
        let mut target = Target { child, log, grpc, http };
        let ended = target.serves_or_ends().await;
        drop(held);
        ended.map_or(Ok(target), Err)
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
        command.args((!setup.anonymous).then_some("--app-id=app"));
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
    /// Waits until it serves; returns how it ended, should it end.
    async fn serves_or_ends(&mut self) -> Option<Ended> {
        let url = format!("http://{}/v1.0/healthz/outbound", self.http);
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        for _ in 0..STARTS_WITHIN {
            let health = client.get(&url).send().await;
            if let Some(ended) = self.ended() {
                return Some(ended);
            }
            if health.is_ok_and(|health| health.status() == 204) {
                return None;
            }
            thread::sleep(POLL);
        }
        panic!("it neither serves nor ends");
    }

    /// Waits for an end that comes although it seemed to serve: daprd can be healthy for a moment
    /// before it gives up.
    pub fn ends(&mut self) -> Option<Ended> {
        for _ in 0..ENDS_WITHIN {
            if let Some(ended) = self.ended() {
                return Some(ended);
            }
            thread::sleep(POLL);
        }
        None
    }

    fn ended(&mut self) -> Option<Ended> {
        let status = self.child.try_wait().unwrap()?;
        Some(Ended { code: status.code(), log: fs::read_to_string(&self.log).unwrap() })
    }

    /// The components that it has loaded.
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
