//! The program under test, as a process of its own.

pub mod http;
pub mod messages;
pub mod process;

use std::{
    fs::{self, File},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::Duration,
};

use mynah::wire::proto::{
    ConversationRequest, ConversationRequestAlpha2, ConversationResponseAlpha2,
    ConversationStreamComplete, ConversationStreamCompleteAlpha2, conversation_stream_response,
    conversation_stream_response_alpha2::Message, dapr_client::DaprClient,
};
use rustix::process::{Pid, Signal, kill_process};
use tonic::{Status, transport::Channel};

use self::messages::Answer;

/// A running mynah on free ports. Dropping it kills it.
pub struct Sidecar {
    child: Child,
    output: PathBuf,
    log: PathBuf,
    /// Where its gRPC API listens.
    pub grpc: SocketAddr,
    /// Where its HTTP API listens.
    pub http: SocketAddr,
    /// Where its metrics are.
    pub metrics: Option<SocketAddr>,
}

impl Sidecar {
    /// Starts mynah with its built-in echo.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts mynah with more flags.
    pub fn start_with(flags: &[&str]) -> Self {
        Self::start_in(&[], flags)
    }

    /// Starts mynah on free ports in an environment.
    pub fn start_in(environment: &[(&str, &str)], flags: &[&str]) -> Self {
        let free = ["--dapr-grpc-port=0", "--dapr-http-port=0", "--metrics-port=0"];
        Self::start_with_ports(environment, &[&free[..], flags].concat())
    }

    /// Starts mynah on the ports that the environment and the flags name.
    pub fn start_with_ports(environment: &[(&str, &str)], flags: &[&str]) -> Self {
        let folder = scratch("sidecar");
        let [file, output, log] =
            ["addresses.json", "output.txt", "log.txt"].map(|name| folder.join(name));
        let child = mynah()
            .envs(environment.iter().copied())
            .arg("--addresses-file")
            .arg(&file)
            .args(flags)
            .stdout(File::create(&output).expect("a file"))
            .stderr(File::create(&log).expect("a file"))
            .spawn()
            .expect("mynah starts");
        let mut sidecar = Self {
            child,
            output,
            log,
            grpc: SocketAddr::from(([0; 4], 0)),
            http: SocketAddr::from(([0; 4], 0)),
            metrics: None,
        };
        let addresses = sidecar.addresses(&file);
        let address = |name: &str| addresses[name].as_str().map(|a| a.parse().expect("an address"));
        sidecar.grpc = address("grpc").expect("a gRPC address");
        sidecar.http = address("http").expect("an HTTP address");
        sidecar.metrics = address("metrics");
        sidecar
    }

    /// Starts mynah with the components of one YAML text.
    pub fn with_components(yaml: &str) -> Self {
        let folder = scratch("components");
        fs::write(folder.join("components.yaml"), yaml).expect("a file");
        Self::start_with(&["--resources-path", folder.to_str().expect("a path in UTF-8")])
    }

    /// Waits for the file that says where it listens.
    fn addresses(&mut self, file: &Path) -> serde_json::Value {
        for _ in 0..1_000 {
            let text = fs::read_to_string(file).unwrap_or_default();
            if let Ok(addresses) = serde_json::from_str(&text) {
                return addresses;
            }
            if let Some(status) = self.child.try_wait().expect("a child") {
                panic!("mynah ended with {status} before it served");
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("mynah serves nothing after ten seconds");
    }

    /// A client of its gRPC API.
    pub async fn client(&self) -> DaprClient<Channel> {
        let client = DaprClient::connect(format!("http://{}", self.grpc)).await;
        client.expect("a connection").max_decoding_message_size(usize::MAX)
    }

    /// The answer to ConverseAlpha2, over a connection of its own.
    pub async fn converse(&self, request: ConversationRequestAlpha2) -> Result<Answer, Status> {
        let answer = self.client().await.converse_alpha2(request).await?;
        Ok(answer.into_inner().into())
    }

    /// The address of a path of its HTTP API.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.http)
    }

    /// What it has printed by now.
    pub fn stdout(&self) -> String {
        fs::read_to_string(&self.output).expect("its output")
    }

    /// What it has logged by now.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).expect("its log")
    }

    /// Its process id.
    #[cfg(target_os = "linux")]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal.
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
    /// The texts, in order.
    pub chunks: Vec<String>,
    /// The end.
    pub answer: Answer,
}

/// The answer to ConverseStreamAlpha2, which must be any number of chunks and one end.
pub async fn stream(
    sidecar: &Sidecar,
    request: ConversationRequestAlpha2,
) -> Result<StreamedAnswer, Status> {
    let mut stream = sidecar.client().await.converse_stream_alpha2(request).await?.into_inner();
    let mut chunks = Vec::new();
    loop {
        let next = stream.message().await?.and_then(|message| message.message);
        match next.expect("a complete before the end") {
            Message::Chunk(chunk) => chunks.push(chunk.content),
            Message::Complete(ConversationStreamCompleteAlpha2 { context_id, outputs }) => {
                assert!(stream.message().await?.is_none(), "nothing comes after complete");
                let answer = ConversationResponseAlpha2 { context_id, outputs }.into();
                return Ok(StreamedAnswer { chunks, answer });
            }
        }
    }
}

/// The answer to ConverseStreamAlpha1: its text, and its end, after which nothing comes.
pub async fn stream_alpha1(
    sidecar: &Sidecar,
    request: ConversationRequest,
) -> (String, ConversationStreamComplete) {
    use conversation_stream_response::Message;
    let answer = sidecar.client().await.converse_stream_alpha1(request).await;
    let mut stream = answer.expect("a stream").into_inner();
    let mut text = String::new();
    loop {
        let next = stream.message().await.expect("a message").and_then(|message| message.message);
        match next.expect("a complete before the end") {
            Message::Chunk(chunk) => text += &chunk.content,
            Message::Complete(complete) => {
                assert!(stream.message().await.expect("an end").is_none(), "nothing comes after");
                return (text, complete);
            }
        }
    }
}

/// The program, with nothing of this process's environment that it would listen to.
pub fn mynah() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mynah"));
    let ports = ["DAPR_GRPC_ENDPOINT", "DAPR_GRPC_PORT", "DAPR_HTTP_PORT"];
    let others = ["DAPR_API_TOKEN", "DAPR_ENV_KEYS", "NAMESPACE", "NO_COLOR", "POD_NAME"];
    for name in ports.into_iter().chain(others) {
        command.env_remove(name);
    }
    command
}

/// A new empty folder under `target`.
pub fn scratch(name: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("{name}-{}-{count}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
}
