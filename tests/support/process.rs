//! The program as a process whose words and whose end count.

#![expect(clippy::disallowed_methods, reason = "another process goes by the clock on the wall")]

use std::{
    fs::{self, File},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};

use super::{Sidecar, mynah, scratch};

/// Between two looks at something that will come.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// Looks before it is clear that it will not come: a minute of them.
const LOOKS: usize = 6_000;

/// A running program that writes into files. Dropping it kills it.
pub struct Process {
    child: Child,
    folder: PathBuf,
}

/// What a program left behind.
#[derive(Debug)]
pub struct Output {
    /// Its exit status; none where a signal killed it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Process {
    pub fn start(command: &mut Command) -> Self {
        Self::start_reading(command, Stdio::null())
    }

    /// Starts a program that finds this on its standard input.
    pub fn start_with_input(command: &mut Command, input: impl AsRef<[u8]>) -> Self {
        let file = scratch("input").join("stdin");
        fs::write(&file, input).expect("a file");
        Self::start_reading(command, File::open(file).expect("a file").into())
    }

    fn start_reading(command: &mut Command, stdin: Stdio) -> Self {
        let folder = scratch("output");
        let file = |name| File::create(folder.join(name)).expect("a file");
        let (stdout, stderr) = (file("stdout"), file("stderr"));
        let child = command.stdin(stdin).stdout(stdout).stderr(stderr).spawn();
        Self { child: child.expect("the program starts"), folder }
    }

    /// Starts a program whose standard output and error nobody reads: writing to them fails.
    pub fn start_with_closed_output(command: &mut Command) -> Self {
        let pipe = || std::io::pipe().expect("a pipe").1;
        let child = command.stdin(Stdio::null()).stdout(pipe()).stderr(pipe()).spawn();
        let folder = scratch("output");
        fs::write(folder.join("stdout"), "").expect("a file");
        fs::write(folder.join("stderr"), "").expect("a file");
        Self { child: child.expect("the program starts"), folder }
    }

    /// Waits for its end.
    pub fn wait(mut self) -> Output {
        let status = look(|| self.child.try_wait().expect("a child"), "the program does not end");
        let read = |name| fs::read_to_string(self.folder.join(name)).expect("text");
        Output { code: status.code(), stdout: read("stdout"), stderr: read("stderr") }
    }

    /// Waits until it has printed this and no more.
    pub fn wait_for_stdout(&self, expected: &str) {
        let stdout = self.folder.join("stdout");
        let is_printed = || fs::read_to_string(&stdout).is_ok_and(|text| text == expected);
        look(|| is_printed().then_some(()), "the program does not print it");
    }

    /// Sends it SIGTERM, and waits for its end. Not SIGINT, which shells have what they start in
    /// the background ignore.
    pub fn terminate(self) -> Output {
        signal(&self.child, Signal::TERM);
        self.wait()
    }

    /// Ends a sidecar once its addresses are in the file; one that never serves ends by itself.
    pub fn stop(mut self, addresses: &Path) -> Output {
        let or_ended = || (is_written(addresses) || !self.is_running()).then_some(());
        look(or_ended, "mynah does not serve");
        signal(&self.child, Signal::TERM);
        self.wait()
    }

    /// Waits for the file that says where it serves, and reads an address there.
    pub fn address(&self, addresses: &Path, name: &str) -> SocketAddr {
        self.wait_until_serving(addresses);
        let json = fs::read(addresses).expect("a file");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
        json[name].as_str().and_then(|text| text.parse().ok()).expect("an address")
    }

    /// Waits for the file that says where it serves.
    pub fn wait_until_serving(&self, addresses: &Path) {
        look(|| is_written(addresses).then_some(()), "mynah does not serve");
    }

    /// Sends a signal once the file is there.
    pub fn signal_when_exists(&self, file: &Path, name: Signal) {
        look(|| file.exists().then_some(()), "the file does not come");
        signal(&self.child, name);
    }

    /// Sends a signal and waits until the address refuses connections.
    pub fn signal(&self, name: Signal, address: SocketAddr) {
        signal(&self.child, name);
        look(|| TcpStream::connect(address).err(), "connections are still taken");
    }

    fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_none()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command that ends by itself.
pub fn run(args: &[&str]) -> Output {
    Process::start(mynah().args(args)).wait()
}

/// Starts a sidecar on free ports, ends it once it serves, and returns all that it said.
pub fn start_and_stop(args: &[&str]) -> Output {
    let addresses = scratch("addresses").join("addresses.json");
    let mut command = mynah();
    command.args(["--dapr-grpc-port=0", "--dapr-http-port=0"]).args(args);
    Process::start(command.arg("--addresses-file").arg(&addresses)).stop(&addresses)
}

/// Waits until none of the processes runs whose ids are in the file.
#[cfg(target_os = "linux")]
pub fn wait_for_exit(pids: &Path) {
    let pids = fs::read_to_string(pids).expect("ids of processes");
    for pid in pids.split_whitespace() {
        // One that nobody has taken leave of yet runs no more, either.
        let runs = || {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
        };
        look(|| (!runs()).then_some(()), "a process does not end");
    }
}

fn is_written(addresses: &Path) -> bool {
    fs::read_to_string(addresses).is_ok_and(|text| text.ends_with('\n'))
}

/// Sends a signal; ignored if the program has ended.
fn signal(child: &Child, signal: Signal) {
    let _ = kill_process(Pid::from_child(child), signal);
}

fn look<T>(mut found: impl FnMut() -> Option<T>, complaint: &str) -> T {
    for _ in 0..LOOKS {
        if let Some(found) = found() {
            return found;
        }
        thread::sleep(LOOK_AGAIN);
    }
    panic!("{complaint} within a minute");
}

/// Looks again and again, while the clients of this test go on, until there is something.
pub async fn wait_until<T>(mut found: impl AsyncFnMut() -> Option<T>, complaint: &str) -> T {
    for _ in 0..LOOKS {
        if let Some(found) = found().await {
            return found;
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    panic!("{complaint} within a minute");
}

/// What a future gives that must not take longer than a minute.
pub async fn with_timeout<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("within a minute")
}

impl Sidecar {
    /// Waits for its end, while the clients of this test go on.
    pub async fn wait(&mut self) -> ExitStatus {
        for _ in 0..LOOKS {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        panic!("mynah does not end within a minute");
    }

    /// Waits until nobody listens at the address any more, while the process still runs.
    pub async fn wait_until_refused(&mut self, address: SocketAddr) {
        for _ in 0..LOOKS {
            if TcpStream::connect(address).is_err() {
                let ended = self.child.try_wait().expect("a child");
                assert_eq!(ended, None, "it was to refuse connections, not to end");
                return;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        panic!("{address} still takes connections after a minute");
    }
}

/// A port that nobody listens on.
pub fn free_port() -> u16 {
    occupied_port().local_addr().expect("an address").port()
}

/// Somebody else, on a port of 127.0.0.1.
pub fn occupied_port() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").expect("a free port")
}

/// Whether this machine speaks IPv6.
pub fn has_ipv6() -> bool {
    TcpListener::bind("[::1]:0").is_ok()
}
