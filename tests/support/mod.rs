//! Starts the program under test and calls it.

pub mod attacks;
pub mod http;
pub mod http1;
pub mod messages;
pub mod ports;
pub mod process;
mod scratch;

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Write},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::Mutex,
};

use mynah::internals::wire::proto::{
    ConversationRequest, ConversationRequestAlpha2, ConversationResponseAlpha2,
    ConversationStreamComplete, ConversationStreamCompleteAlpha2, conversation_stream_response,
    conversation_stream_response_alpha2::Message, dapr_client::DaprClient,
};
use rustix::process::{Pid, Signal, kill_process};
use tonic::{Status, transport::Channel};

use self::messages::Answer;
pub use self::scratch::scratch;

/// A running mynah, which is killed on drop.
pub struct Sidecar {
    child: Child,
    stdout: PathBuf,
    log: PathBuf,
    /// The address of the gRPC API.
    pub grpc: SocketAddr,
    /// The address of the HTTP API.
    pub http: SocketAddr,
    /// The address of the metrics, unless they are disabled.
    pub metrics: Option<SocketAddr>,
}

impl Sidecar {
    /// Starts mynah with the built-in component `echo`.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts mynah with additional flags.
    pub fn start_with(flags: &[&str]) -> Self {
        Self::start_in(&[], flags)
    }

    /// Starts mynah on free ports, with environment variables and additional flags.
    pub fn start_in(environment: &[(&str, &str)], flags: &[&str]) -> Self {
        let free = ["--dapr-grpc-port=0", "--dapr-http-port=0", "--metrics-port=0"];
        Self::start_with_ports(environment, &[&free[..], flags].concat())
    }

    /// Starts mynah on the ports from `environment` and `flags`.
    pub fn start_with_ports(environment: &[(&str, &str)], flags: &[&str]) -> Self {
        let folder = scratch("sidecar");
        let [file, stdout, log] =
            ["addresses.json", "stdout.txt", "log.txt"].map(|name| folder.join(name));
        let child = mynah()
            .envs(environment.iter().copied())
            .arg("--addresses-file")
            .arg(&file)
            .args(flags)
            .stdout(File::create(&stdout).unwrap())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .expect("mynah starts");
        let mut sidecar = Self {
            child,
            stdout,
            log,
            grpc: SocketAddr::from(([0; 4], 0)),
            http: SocketAddr::from(([0; 4], 0)),
            metrics: None,
        };
        let addresses = sidecar.wait_for_addresses(&file);
        let address = |name: &str| addresses[name].as_str().map(|a| a.parse().unwrap());
        sidecar.grpc = address("grpc").unwrap();
        sidecar.http = address("http").unwrap();
        sidecar.metrics = address("metrics");
        sidecar
    }

    /// Starts mynah with the components in a YAML document.
    pub fn with_components(yaml: &str) -> Self {
        let folder = scratch("components");
        fs::write(folder.join("components.yaml"), yaml).unwrap();
        Self::start_with(&["--resources-path", folder.to_str().unwrap()])
    }

    /// Waits for the addresses file and reads it.
    fn wait_for_addresses(&mut self, file: &Path) -> serde_json::Value {
        let addresses = || {
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("mynah exited with {status} instead of serving");
            }
            serde_json::from_str(&fs::read_to_string(file).ok()?).ok()
        };
        process::poll(addresses, "mynah did not write its addresses")
    }

    /// Connects a client to the gRPC API.
    pub async fn client(&self) -> DaprClient<Channel> {
        let client = DaprClient::connect(format!("http://{}", self.grpc)).await;
        client.unwrap().max_decoding_message_size(usize::MAX)
    }

    /// Calls ConverseAlpha2 over a new connection.
    pub async fn converse(&self, request: ConversationRequestAlpha2) -> Result<Answer, Status> {
        let answer = self.client().await.converse_alpha2(request).await?;
        Ok(answer.into_inner().into())
    }

    /// Returns the URL of a path in the HTTP API.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.http)
    }

    /// Returns the standard output so far.
    pub fn stdout(&self) -> String {
        fs::read_to_string(&self.stdout).unwrap()
    }

    /// Returns the log so far.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// Returns the process id.
    #[cfg(target_os = "linux")]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to the process.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("the sidecar runs");
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A streamed answer.
#[derive(Debug)]
pub struct StreamedAnswer {
    pub chunks: Vec<String>,
    /// The final message.
    pub answer: Answer,
}

/// Calls ConverseStreamAlpha2. The stream must consist of any number of chunks and one `complete`.
pub async fn stream(
    sidecar: &Sidecar,
    request: ConversationRequestAlpha2,
) -> Result<StreamedAnswer, Status> {
    let mut stream = sidecar.client().await.converse_stream_alpha2(request).await?.into_inner();
    let mut chunks = Vec::new();
    loop {
        let next = stream.message().await?.and_then(|message| message.message);
        match next.unwrap() {
            Message::Chunk(chunk) => chunks.push(chunk.content),
            Message::Complete(ConversationStreamCompleteAlpha2 { context_id, outputs }) => {
                assert!(stream.message().await?.is_none(), "a message after complete");
                let answer = ConversationResponseAlpha2 { context_id, outputs }.into();
                return Ok(StreamedAnswer { chunks, answer });
            }
        }
    }
}

/// Calls ConverseStreamAlpha1. Returns the text and the `complete`, which must be the last message.
pub async fn stream_alpha1(
    sidecar: &Sidecar,
    request: ConversationRequest,
) -> (String, ConversationStreamComplete) {
    use conversation_stream_response::Message;
    let answer = sidecar.client().await.converse_stream_alpha1(request).await;
    let mut stream = answer.unwrap().into_inner();
    let mut text = String::new();
    loop {
        let next = stream.message().await.unwrap().and_then(|message| message.message);
        match next.unwrap() {
            Message::Chunk(chunk) => text += &chunk.content,
            Message::Complete(complete) => {
                assert!(stream.message().await.unwrap().is_none(), "a message after complete");
                return (text, complete);
            }
        }
    }
}

/// Returns a command that runs mynah, or the build in `MYNAH_PROGRAM`. Removes the inherited variables that mynah reads.
#[expect(clippy::disallowed_methods, reason = "the variable selects the build")]
pub fn mynah() -> Command {
    let program = std::env::var_os("MYNAH_PROGRAM");
    let mut command = Command::new(program.unwrap_or(env!("CARGO_BIN_EXE_mynah").into()));
    let ports = ["DAPR_GRPC_ENDPOINT", "DAPR_GRPC_PORT", "DAPR_HTTP_PORT"];
    let others = ["DAPR_API_TOKEN", "DAPR_ENV_KEYS", "NAMESPACE", "NO_COLOR", "POD_NAME"];
    for name in ports.into_iter().chain(others) {
        command.env_remove(name);
    }
    command
}

/// Writes a line to the terminal, once per process, such as the reason why tests are not run. The
/// test harness captures the output of `eprintln!`, but not of this function.
pub fn report(line: &str) {
    static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if REPORTED.lock().unwrap().insert(line.to_owned()) {
        // The first line break ends a line such as "test name ... ".
        let _ = io::stderr().write_all(format!("\n{line}\n").as_bytes());
    }
}
