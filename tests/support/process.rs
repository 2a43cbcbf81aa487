//! Runs processes to test their output and exit code.

#![expect(clippy::disallowed_methods, reason = "waits for other processes")]

use std::{
    fs::{self, File},
    io::{ErrorKind, PipeWriter},
    net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::Duration,
};

use mynah::internals::wire::proto::ConversationRequestAlpha2;
use rustix::process::{Pid, Signal, kill_process};

use super::{Sidecar, mynah, scratch};

const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The number of polls until a test counts as hanging.
const MAX_POLLS: usize = 30_000;
/// The time after which a test counts as hanging. No test depends on its length: on a busy machine,
/// milliseconds become minutes.
pub const HANG: Duration = Duration::from_secs(300);

/// A running program whose output goes to files. It is killed on drop.
pub struct Process {
    child: Child,
    folder: PathBuf,
}

/// The exit code and the output of a program.
#[derive(Debug)]
pub struct Output {
    /// The exit code, or `None` if a signal killed the program.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Process {
    pub fn start(command: &mut Command) -> Self {
        Self::start_with_stdin(command, Stdio::null())
    }

    /// Starts a program with this standard input.
    pub fn start_with_input(command: &mut Command, input: impl AsRef<[u8]>) -> Self {
        let file = scratch("input").join("stdin");
        fs::write(&file, input).unwrap();
        Self::start_with_stdin(command, File::open(file).unwrap().into())
    }

    /// Starts a program whose standard input stays open while the returned writer exists.
    pub fn start_with_open_input(command: &mut Command) -> (Self, PipeWriter) {
        let (reader, writer) = std::io::pipe().unwrap();
        (Self::start_with_stdin(command, reader.into()), writer)
    }

    fn start_with_stdin(command: &mut Command, stdin: Stdio) -> Self {
        let folder = scratch("output");
        let file = |name| File::create(folder.join(name)).unwrap();
        let (stdout, stderr) = (file("stdout"), file("stderr"));
        let child = command.stdin(stdin).stdout(stdout).stderr(stderr).spawn();
        Self { child: child.expect("the program starts"), folder }
    }

    /// Starts a program whose stdout and stderr are closed, so that writing to them fails.
    pub fn start_with_closed_output(command: &mut Command) -> Self {
        let pipe = || std::io::pipe().unwrap().1;
        let child = command.stdin(Stdio::null()).stdout(pipe()).stderr(pipe()).spawn();
        let folder = scratch("output");
        fs::write(folder.join("stdout"), "").unwrap();
        fs::write(folder.join("stderr"), "").unwrap();
        Self { child: child.expect("the program starts"), folder }
    }

    /// Waits until the program exits.
    pub fn wait(mut self) -> Output {
        let status = poll(|| self.child.try_wait().unwrap(), "the program did not exit");
        let read = |name| fs::read_to_string(self.folder.join(name)).unwrap();
        Output { code: status.code(), stdout: read("stdout"), stderr: read("stderr") }
    }

    /// Waits until stdout is exactly `expected`.
    pub fn wait_for_stdout(&self, expected: &str) {
        let stdout = self.folder.join("stdout");
        let is_printed = || fs::read_to_string(&stdout).is_ok_and(|text| text == expected);
        poll(|| is_printed().then_some(()), "the program did not print the expected text");
    }

    /// Waits for the first line of stdout.
    pub fn first_line(&self) -> String {
        let stdout = self.folder.join("stdout");
        let line = || {
            let text = fs::read_to_string(&stdout).unwrap();
            Some(text.split_once('\n')?.0.to_owned())
        };
        poll(line, "the program did not print a line")
    }

    /// Sends SIGTERM and waits until the program exits. It does not send SIGINT, which a shell's
    /// background processes ignore.
    pub fn terminate(self) -> Output {
        send(&self.child, Signal::TERM);
        self.wait()
    }

    /// Waits until a sidecar has written its addresses or exited, and stops it.
    pub fn stop(mut self, addresses: &Path) -> Output {
        self.wait_until_serving_or_exited(addresses);
        send(&self.child, Signal::TERM);
        self.wait()
    }

    /// Waits for the addresses file and returns one of the addresses.
    pub fn address(&self, addresses: &Path, name: &str) -> SocketAddr {
        self.wait_until_serving(addresses);
        let json = fs::read(addresses).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        json[name].as_str().and_then(|text| text.parse().ok()).unwrap()
    }

    /// Waits for the addresses file.
    pub fn wait_until_serving(&self, addresses: &Path) {
        poll(|| is_written(addresses).then_some(()), "mynah did not write its addresses");
    }

    /// Waits for the addresses file or the exit; returns whether the sidecar serves.
    pub fn wait_until_serving_or_exited(&mut self, addresses: &Path) -> bool {
        let found = || is_written(addresses).then_some(true).or(self.has_exited().then_some(false));
        poll(found, "mynah neither wrote its addresses nor exited")
    }

    /// Waits for a file.
    pub fn wait_until_exists(&self, file: &Path) {
        poll(|| file.exists().then_some(()), "the file was not created");
    }

    /// Waits for a file, then sends a signal.
    pub fn signal_when_exists(&self, file: &Path, signal: Signal) {
        self.wait_until_exists(file);
        send(&self.child, signal);
    }

    /// Sends a signal; ignored if the program has ended.
    pub fn send(&self, signal: Signal) {
        send(&self.child, signal);
    }

    /// Sends a signal and waits until the address refuses connections.
    pub fn signal(&self, signal: Signal, address: SocketAddr) {
        send(&self.child, signal);
        self.wait_until_refused(address);
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the address refuses connections.
    pub fn wait_until_refused(&self, address: SocketAddr) {
        poll(|| refuses(address).then_some(()), "connections were still accepted");
    }

    fn has_exited(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs mynah with these arguments until it exits.
pub fn run(args: &[&str]) -> Output {
    Process::start(mynah().args(args)).wait()
}

/// Starts a sidecar on free ports, stops it when it is serving, and returns its output.
pub fn start_and_stop(args: &[&str]) -> Output {
    let addresses = scratch("addresses").join("addresses.json");
    let mut command = mynah();
    command.args(["--dapr-grpc-port=0", "--dapr-http-port=0"]).args(args);
    Process::start(command.arg("--addresses-file").arg(&addresses)).stop(&addresses)
}

/// Waits until all processes whose ids are in the file have exited.
#[cfg(target_os = "linux")]
pub fn wait_for_exit(pids: &Path) {
    let pids = fs::read_to_string(pids).unwrap();
    for pid in pids.split_whitespace() {
        // A zombie is a process that has exited but whose parent has not read its status yet.
        let runs = || {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
        };
        poll(|| (!runs()).then_some(()), "a process did not exit");
    }
}

fn is_written(addresses: &Path) -> bool {
    fs::read_to_string(addresses).is_ok_and(|text| text.ends_with('\n'))
}

/// Sends a signal. Does nothing if the program has ended.
fn send(child: &Child, signal: Signal) {
    let _ = kill_process(Pid::from_child(child), signal);
}

/// Polls until `found` returns a value. Panics with `failure` if it hangs.
pub fn poll<T>(mut found: impl FnMut() -> Option<T>, failure: &str) -> T {
    for _ in 0..MAX_POLLS {
        if let Some(found) = found() {
            return found;
        }
        thread::sleep(POLL_INTERVAL);
    }
    panic!("{failure} within {HANG:?}");
}

/// Polls like [`poll`], but without blocking the test's other tasks.
pub async fn wait_until<T>(mut found: impl AsyncFnMut() -> Option<T>, failure: &str) -> T {
    for _ in 0..MAX_POLLS {
        if let Some(found) = found().await {
            return found;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    panic!("{failure} within {HANG:?}");
}

/// Awaits a future. Panics if it hangs.
pub async fn with_timeout<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(HANG, future).await.expect("the future completes")
}

impl Sidecar {
    /// Starts a call whose answer has a delay, and drops it while it waits.
    pub async fn abandon(&self, call: ConversationRequestAlpha2) {
        let mut client = self.client().await;
        let arrives = async {
            let check = r#"{"waiting": 1, "wait": "1m"}"#;
            assert_eq!(self.post("/mynah/v1/verify", check).await.status, 200);
        };
        tokio::select! {
            biased;
            answer = client.converse_alpha2(call) => panic!("the call was answered: {answer:?}"),
            () = arrives => {}
        }
    }

    /// Waits until the process exits, without blocking the test's other tasks.
    pub async fn wait(&mut self) -> ExitStatus {
        wait_until(async || self.child.try_wait().unwrap(), "mynah did not exit").await
    }

    /// Waits until the address refuses connections while the process is still running.
    pub async fn wait_until_refused(&mut self, address: SocketAddr) {
        let is_refused = async || refuses(address).then_some(());
        wait_until(is_refused, "connections were still accepted").await;
        let status = self.child.try_wait().unwrap();
        assert_eq!(status, None, "exited instead of refusing connections");
    }
}

/// Whether an address refuses connections. A sidecar that shuts down ignores them before.
fn refuses(address: SocketAddr) -> bool {
    let connected = TcpStream::connect_timeout(&address, Duration::from_millis(50));
    connected.is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}

/// Listens on a free port of 127.0.0.1.
pub fn occupied_port() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

/// Returns the IP address of this machine on its network.
pub fn network_address() -> IpAddr {
    // Connecting a UDP socket sends nothing: it only selects the interface.
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    socket.connect("192.0.2.1:9").unwrap();
    socket.local_addr().unwrap().ip()
}

/// Returns `true` if a process listens on an address, or if the system does not tell.
pub fn listens(process: &Child, address: SocketAddr) -> bool {
    !cfg!(target_os = "linux") || listeners(process.id()).contains(&address)
}

/// Returns the TCP addresses that a process listens on, as Linux reports them in /proc.
pub fn listeners(pid: u32) -> Vec<SocketAddr> {
    const LISTEN: &str = "0A";
    let sockets = open_sockets(pid);
    let mut listeners = Vec::new();
    for table in ["tcp", "tcp6"] {
        let table = fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
        for line in table.lines().skip(1) {
            let fields: Vec<_> = line.split_whitespace().collect();
            let (address, state, inode) = (fields[1], fields[3], fields[9]);
            if state == LISTEN && sockets.iter().any(|socket| socket == inode) {
                listeners.push(parse_address(address));
            }
        }
    }
    listeners
}

/// Returns the inodes of a process's sockets.
fn open_sockets(pid: u32) -> Vec<String> {
    let Ok(files) = fs::read_dir(format!("/proc/{pid}/fd")) else { return Vec::new() };
    let links = files.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
    let inode = |link: PathBuf| {
        Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
    };
    links.filter_map(inode).collect()
}

/// Parses an address in a table in /proc/net. The IP address consists of hexadecimal words in the
/// byte order of the machine.
fn parse_address(text: &str) -> SocketAddr {
    let (ip, port) = text.split_once(':').unwrap();
    let word = |at: usize| u32::from_str_radix(&ip[at..at + 8], 16).unwrap().to_ne_bytes();
    let ip = match ip.len() {
        8 => IpAddr::from(word(0)),
        _ => {
            let bytes: Vec<_> = [0, 8, 16, 24].into_iter().flat_map(word).collect();
            IpAddr::from(<[u8; 16]>::try_from(bytes).unwrap())
        }
    };
    SocketAddr::new(ip, u16::from_str_radix(port, 16).unwrap())
}
