//! Runs the commands on a page in a shell, together with the mynah that the page starts.

use std::{
    env, fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use regex::{Captures, Regex};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::page::Step;
use crate::{
    interop::{
        child, folder, point_at,
        toolchain::{self, Missing},
    },
    parity::target::{Program, Setup, Target},
    support::{Sidecar, mynah, process::poll, scratch},
};

/// Downloads what a program needs. Returns the path of the program that must be found first in
/// `PATH`, if there is one.
type Download = fn() -> Result<Option<PathBuf>, Missing>;

/// A program that needs a download, with the client suite that it belongs to.
type Client = (&'static str, &'static str, Download);

const CLIENTS: [Client; 5] = [
    ("daprd", "daprd", || toolchain::daprd().map(Some)),
    ("grpcurl", "grpcurl", || toolchain::grpcurl().map(Some)),
    ("python", "python", || toolchain::python_with_helper("python").map(Some)),
    ("go", "go", || toolchain::go_modules(&folder("examples/go")).map(|()| None)),
    ("cargo install", "rust", || Ok(None)),
];

/// An address of this machine, with its port.
static LOCAL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"127\.0\.0\.1:([0-9]+)").expect("a valid pattern"));

/// Flags that [`Sidecar`] sets itself.
const OWN_FLAGS: [&str; 4] =
    ["--dapr-grpc-port=", "--dapr-http-port=", "--metrics-port=", "--addresses-file="];

fn used_clients(steps: &[Step]) -> impl Iterator<Item = Client> {
    CLIENTS.into_iter().filter(|(program, ..)| steps.iter().any(|step| step.runs(program)))
}

/// Returns the suites of the clients that commands run.
pub(super) fn used_suites(steps: &[Step]) -> Vec<&'static str> {
    used_clients(steps).map(|(_, suite, _)| suite).collect()
}

/// The state of a terminal while the commands of a page run.
pub(super) struct Terminal {
    /// The folders to put first in `PATH`.
    folders: Vec<PathBuf>,
    /// The programs of suites that the test does not need.
    skipped: Vec<&'static str>,
    /// The mynah that the page started most recently.
    sidecar: Option<Sidecar>,
    /// The folder in which daprd finds pluggable components.
    sockets: PathBuf,
    daprd: Option<Daprd>,
    /// Whether commands are skipped because they need a daprd that is skipped.
    lacks_daprd: bool,
}

/// A running daprd, with the runtime on which it was started.
struct Daprd {
    target: Target,
    _runtime: Runtime,
}

impl Terminal {
    /// Installs the clients of these suites.
    pub(super) fn open(steps: &[Step], suites: &[&str]) -> Self {
        // The pages write files into this folder.
        fs::create_dir_all(folder("target")).expect("a folder");
        let mynah = Path::new(env!("CARGO_BIN_EXE_mynah")).parent().expect("a folder");
        let mut terminal = Self {
            folders: vec![mynah.to_owned()],
            skipped: Vec::new(),
            sidecar: None,
            sockets: scratch("docs-sockets"),
            daprd: None,
            lacks_daprd: false,
        };
        for (program, suite, download) in used_clients(steps) {
            if !suites.contains(&suite) {
                terminal.skipped.push(program);
                continue;
            }
            toolchain::suite(suite, || {
                let program = download()?;
                let folder = program.as_deref().and_then(Path::parent);
                terminal.folders.extend(folder.map(Path::to_owned));
                Ok(())
            });
        }
        terminal
    }

    /// Runs a command and checks its output, with these exceptions:
    ///
    /// - `mynah` with only flags starts a sidecar on free ports, which replaces the previous one.
    ///   If the page shows output, the output must be the banner.
    /// - `mynah` with output that begins with `mynah: ` must fail with this message, because the
    ///   ports are already in use.
    /// - `mynah check` may fail.
    /// - `cargo install` installs a debug build into a temporary folder.
    /// - `daprd` starts daprd on free ports, with the components of the page's mynah. `daprd/daprd` has
    ///   pluggable conversation components.
    /// - A command is skipped if it needs a client of another suite, such as the daprd that the page
    ///   starts.
    pub(super) fn run(&mut self, step: &Step) {
        let words: Vec<_> = step.command.split_whitespace().collect();
        match words.as_slice() {
            _ if self.skipped.iter().any(|program| step.runs(program)) => {
                self.lacks_daprd |= step.runs("daprd");
            }
            _ if self.lacks_daprd => {}
            ["mynah"] if step.output.starts_with("mynah: ") => self.fail_to_start(step),
            ["mynah", flags @ ..] if is_server(flags) => self.serve(step, flags),
            ["daprd", flags @ ..] => self.start_daprd(toolchain::daprd(), flags),
            ["daprd/daprd", flags @ ..] => self.start_daprd(toolchain::daprd_with_adaptor(), flags),
            ["mynah", "check", ..] => {
                let ended = child::run(&mut self.shell(&step.command));
                self.compare(step, &ended.stdout);
            }
            ["cargo", "install", ..] => install(step),
            _ => {
                let ended = child::run(&mut self.shell(&step.command));
                self.compare(step, &ended.expect_success(&step.command));
            }
        }
    }

    fn serve(&mut self, step: &Step, flags: &[&str]) {
        let is_own = |flag: &str| OWN_FLAGS.iter().any(|own| flag.starts_with(own));
        let flags: Vec<_> = flags.iter().copied().filter(|flag| !is_own(flag)).collect();
        let sockets = self.sockets.to_str().expect("UTF-8");
        let environment = [("DAPR_COMPONENTS_SOCKETS_FOLDER", sockets)];
        let sidecar = self.sidecar.insert(Sidecar::start_in(&environment, &flags));
        if step.output.is_empty() {
            return;
        }
        // mynah prints the banner shortly after it writes the addresses.
        let is_printed = || sidecar.stdout().ends_with("\n\n").then_some(());
        poll(is_printed, "mynah did not print the banner");
        let printed = sidecar.stdout();
        self.compare(step, &printed);
    }

    /// Starts daprd with copies of the components, in which mynah has its free port.
    fn start_daprd(&mut self, program: Result<PathBuf, Missing>, flags: &[&str]) {
        let value = |name| flags.iter().find_map(|flag| flag.strip_prefix(name)).expect(name);
        let resources = scratch("docs-resources");
        for file in fs::read_dir(folder(value("--resources-path="))).expect("a folder") {
            let file = file.expect("a file");
            let text = self.with_ports(&fs::read_to_string(file.path()).expect("a text"));
            fs::write(resources.join(file.file_name()), text).expect("a copy");
        }
        let sockets = self.sockets.to_str().expect("UTF-8").to_owned();
        let setup = Setup {
            resources: vec![resources],
            environment: vec![("DAPR_COMPONENTS_SOCKETS_FOLDER", sockets)],
            ..Setup::default()
        };
        let program = Program::Daprd(program.expect("daprd"));
        let runtime = Runtime::new().expect("a runtime");
        let target = runtime.block_on(program.start(&setup)).expect("daprd starts");
        self.daprd = Some(Daprd { target, _runtime: runtime });
    }

    fn fail_to_start(&self, step: &Step) {
        let sidecar = self.sidecar.as_ref().expect("a running mynah");
        let ended = child::run(mynah().args([
            format!("--dapr-grpc-port={}", sidecar.grpc.port()),
            format!("--dapr-http-port={}", sidecar.http.port()),
        ]));
        assert!(!ended.success, "$ {}", step.command);
        self.compare(step, &ended.stderr);
    }

    fn compare(&self, step: &Step, printed: &str) {
        let expected = self.with_ports(&step.output);
        // The blanks in daprd's JSON differ between its builds.
        if let (Some(_), Ok(printed)) = (&self.daprd, serde_json::from_str::<Value>(printed)) {
            let expected: Value = serde_json::from_str(&expected).expect("JSON");
            assert_eq!(printed, expected, "$ {}", step.command);
            return;
        }
        assert_eq!(printed.trim_end(), expected.trim_end(), "$ {}", step.command);
    }

    /// Replaces the default ports with those of the running sidecar. Next to daprd, mynah has others.
    fn with_ports(&self, text: &str) -> String {
        let Some(Sidecar { grpc, http, metrics, .. }) = &self.sidecar else {
            return text.to_owned();
        };
        let metrics = metrics.expect("an address for metrics");
        let daprd = self.daprd.as_ref().map(|it| (it.target.grpc, it.target.http));
        let (default_grpc, default_http) = daprd.unwrap_or((*grpc, *http));
        let new = |port: &str| match port {
            "50001" => Some(default_grpc),
            "3500" => Some(default_http),
            "50002" => Some(*grpc),
            "3600" => Some(*http),
            "9090" => Some(metrics),
            _ => None,
        };
        replace_ports(text, new)
    }

    fn shell(&self, command: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", &self.with_ports(command)]).current_dir(folder("."));
        shell.env("PATH", search_path(&self.folders)).env("PYTHONDONTWRITEBYTECODE", "1");
        shell.env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        forget_package(&mut shell);
        // The pages call `curl -s`, which hides errors. The configuration in this folder shows them.
        shell.env("CURL_HOME", folder("tests/docs"));
        if let Some(sidecar) = &self.sidecar {
            point_at(&mut shell, sidecar);
        }
        shell
    }
}

/// Replaces the ports of this machine for which there is a new address.
fn replace_ports(text: &str, new: impl Fn(&str) -> Option<SocketAddr>) -> String {
    // One pass, because a new port may begin with the digits of a port to replace.
    let replaced = LOCAL.replace_all(text, |address: &Captures<'_>| {
        new(&address[1]).map_or_else(|| address[0].to_owned(), |new| new.to_string())
    });
    replaced.into_owned()
}

#[test]
fn ports_are_replaced_once() {
    let new = |port: &str| match port {
        "3500" => Some(SocketAddr::from(([127, 0, 0, 1], 36_001))),
        "3600" => Some(SocketAddr::from(([127, 0, 0, 1], 5))),
        _ => None,
    };
    let replaced = replace_ports("127.0.0.1:3500 127.0.0.1:3600/a 127.0.0.1:35001", new);
    assert_eq!(replaced, "127.0.0.1:36001 127.0.0.1:5/a 127.0.0.1:35001");
}

fn is_server(arguments: &[&str]) -> bool {
    arguments.first().is_none_or(|first| first.starts_with("--") && *first != "--version")
}

/// Runs `cargo install` without optimizations, because those would take minutes.
fn install(step: &Step) {
    let root = scratch("install");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(step.command.split_whitespace().skip(1)).current_dir(folder("."));
    cargo.args(["--debug", "--quiet", "--no-track", "--root"]).arg(&root);
    forget_package(&mut cargo);
    child::run(&mut cargo).expect_success(&step.command);
    assert!(root.join("bin/mynah").exists(), "$ {}", step.command);
    fs::remove_dir_all(root).expect("a removable folder");
}

/// Removes what cargo tells the tests of their package. A build script that reads such a variable
/// would run again, in this build and in the next.
#[expect(clippy::disallowed_methods, reason = "reads the environment of the test process")]
fn forget_package(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let of_package = ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|it| text.starts_with(it));
        if of_package || text == "OUT_DIR" {
            command.env_remove(&name);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "extends the search path of the test process")]
fn search_path(first: &[PathBuf]) -> std::ffi::OsString {
    let inherited = env::var_os("PATH").unwrap_or_default();
    let folders = first.iter().cloned().chain(env::split_paths(&inherited));
    env::join_paths(folders).expect("a search path")
}
