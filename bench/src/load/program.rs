//! The measured programs and the commands that start them.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use mynah_bench::cases::Case;

use crate::Folders;

/// A measured program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    Mynah,
    BareTonic,
    BareAxum,
    Hello,
    Daprd,
}

/// The ports on which a program listens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ports {
    pub(crate) grpc: u16,
    pub(crate) http: u16,
    /// daprd's internal port.
    pub(crate) internal: u16,
}

/// The paths of the programs.
#[derive(Debug)]
pub(crate) struct Programs {
    folders: Folders,
    daprd: Option<PathBuf>,
    /// The folder with daprd's component.
    components: tempfile::TempDir,
}

const COMPONENT: &str = "apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: echo}
spec: {type: conversation.echo, version: v1}
";

impl Ports {
    /// Returns the flags of mynah and daprd for the ports that applications call.
    pub(crate) fn flags(self) -> [String; 2] {
        let Self { grpc, http, .. } = self;
        [format!("--dapr-grpc-port={grpc}"), format!("--dapr-http-port={http}")]
    }
}

impl Programs {
    pub(crate) fn new(folders: Folders, daprd: Option<PathBuf>) -> anyhow::Result<Self> {
        let components = tempfile::tempdir()?;
        fs::write(components.path().join("echo.yaml"), COMPONENT)?;
        Ok(Self { folders, daprd, components })
    }

    /// Returns `true` if daprd is measured.
    pub(crate) fn has_daprd(&self) -> bool {
        self.daprd.is_some()
    }

    fn path(&self, program: Program) -> PathBuf {
        let Folders { release, plain } = &self.folders;
        match program {
            Program::Mynah => release.join("mynah"),
            Program::BareTonic => release.join("bare-tonic"),
            Program::BareAxum => release.join("bare-axum"),
            Program::Hello => plain.join("hello"),
            Program::Daprd => self.daprd.clone().unwrap_or_default(),
        }
    }

    /// Returns the command that starts a program for a case. If `wrapper` is not empty, it is a
    /// command such as valgrind that runs the program.
    pub(crate) fn command(
        &self,
        program: Program,
        case: Case,
        ports: Ports,
        wrapper: &[String],
    ) -> Command {
        let path = self.path(program);
        let mut command = match wrapper {
            [] => Command::new(&path),
            [outer, args @ ..] => {
                let mut command = Command::new(outer);
                command.args(args).arg(&path);
                command
            }
        };
        command.args(self.args(program, case, ports));
        command.env_remove("DAPR_API_TOKEN");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// mynah gets no flag that an application's developer would not set.
    fn args(&self, program: Program, case: Case, ports: Ports) -> Vec<String> {
        let Ports { grpc, http, internal } = ports;
        let dapr = ports.flags();
        match program {
            Program::Mynah => {
                let own = ["--metrics-port=0"].into_iter().chain(case.flag()).map(str::to_owned);
                dapr.into_iter().chain(own).collect()
            }
            Program::BareTonic | Program::Hello => vec![grpc.to_string()],
            Program::BareAxum => vec![http.to_string()],
            Program::Daprd => {
                let own = [
                    "--app-id=echo".to_owned(),
                    "--enable-metrics=false".to_owned(),
                    format!("--dapr-internal-grpc-port={internal}"),
                    format!("--resources-path={}", self.components.path().display()),
                ];
                [&dapr[..], &own].concat()
            }
        }
    }
}

impl Program {
    /// Returns the name used in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mynah => "mynah",
            Self::BareTonic => "bare tonic",
            Self::BareAxum => "bare axum",
            Self::Hello => "hello",
            Self::Daprd => "daprd",
        }
    }

    /// Returns `true` if this is a minimal server, which serves only one protocol.
    pub(crate) fn is_bare(self) -> bool {
        matches!(self, Self::BareTonic | Self::BareAxum | Self::Hello)
    }
}
