//! Tests that clients get recorded answers without the model: what they print stays the same.

mod clients;
mod daprd;
mod namespace;

use std::{
    fs,
    net::{Ipv4Addr, TcpStream},
    path::{Path, PathBuf},
    process::Command,
};

use tokio::runtime::Runtime;

use super::{
    behind_daprd::{self, openai, resources},
    child, point_at,
};
use crate::{
    record::stop,
    support::{Sidecar, ports::ReservedPort, scratch},
};

/// The rules of the model: it looks up the weather before it answers.
const RULES: &str = "
rules:
- match: { user: weather }
  chain:
  - messages:
    - text: I look it up.
    - tool_call: [{ name: get_weather, args: { location: Paris } }]
  - respond: Take an umbrella to Paris.
    words_per_chunk: 2
";

/// Starts a model that follows rules. It is a mynah with the component `echo`.
fn model(port: &ReservedPort, rules: &str) -> Sidecar {
    let file = scratch("model-rules").join("rules.yaml");
    fs::write(&file, rules).unwrap();
    behind_daprd::mynah(port.number, &[], &["--rules", file.to_str().unwrap()])
}

/// The recorded answers of a model that has ended.
struct Recording {
    folder: PathBuf,
    /// The component `echo`, whose endpoint is the port of the model.
    components: PathBuf,
    /// What the client has printed.
    transcript: String,
    /// The port of the model. Nothing listens there any more.
    port: ReservedPort,
}

impl Recording {
    /// Runs a client with the model, and records the answers of the model.
    fn of(client: &mut Command) -> Self {
        let port = ReservedPort::new();
        let components = resources(&[("echo", "conversation.openai", &openai(port.number))]);
        let folder = scratch("recordings");
        let model = model(&port, RULES);
        let flags = ["--upstream", "openai", "--record", folder.to_str().unwrap()];
        let recorder = start(&components, &flags);
        let transcript = run(client, &recorder);
        assert!(transcript.contains("Take an umbrella"), "{transcript}");
        Runtime::new().unwrap().block_on(stop(recorder));
        drop(model);
        Self { folder, components, transcript, port }
    }

    /// Returns the file with the answers.
    fn file(&self) -> PathBuf {
        self.folder.join("echo.yaml")
    }

    /// Starts a mynah that replays the answers. The model cannot be reached.
    fn replay(&self) -> Sidecar {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port.number)).unwrap_err();
        start(&self.components, &["--replay", self.folder.to_str().unwrap()])
    }

    /// Asserts that a client prints the same without the model.
    fn is_repeated(&self, client: &mut Command) {
        assert_eq!(run(client, &self.replay()), self.transcript);
    }
}

fn start(components: &Path, flags: &[&str]) -> Sidecar {
    Sidecar::start_with(&[&["--resources-path", components.to_str().unwrap()], flags].concat())
}

/// Runs a client of a sidecar, and returns what it prints.
fn run(client: &mut Command, sidecar: &Sidecar) -> String {
    point_at(client, sidecar);
    child::run(client).expect_success("the client")
}
