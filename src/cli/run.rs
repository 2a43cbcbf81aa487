//! `mynah run`: a command beside a sidecar of its own.

use std::{
    ffi::{OsStr, OsString},
    io,
    process::ExitStatus,
};

use thiserror::Error as ThisError;
use tokio::process::{Child, Command};

use crate::{
    cli::signals::Signals,
    server::{
        app::{Addresses, App, StartError},
        config::Config,
    },
};

/// Why a command could not be run.
#[derive(Debug, ThisError)]
pub enum RunError {
    /// The sidecar does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The command does not start.
    #[error("cannot run {}", .command.display())]
    Command {
        /// The command.
        command: OsString,
        /// Why.
        source: io::Error,
    },
    /// Nothing can be known of the command or of signals.
    #[error("cannot wait for the command")]
    Wait(#[from] io::Error),
}

impl RunError {
    /// The exit status that shells have for it.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Command { source, .. } if source.kind() == io::ErrorKind::NotFound => 127,
            Self::Command { .. } => 126,
            _ => 1,
        }
    }
}

/// Serves while the command runs, and gives its exit status: 128 and the signal's number where one
/// ended it.
///
/// The command finds the sidecar in the variables that Dapr's SDKs read. Signals are passed on to
/// it. What it started and left behind is not waited for.
pub async fn run(config: Config, command: &[OsString]) -> Result<u8, RunError> {
    let mut signals = Signals::to_pass_on()?;
    let app = App::bind(config).await?;
    let drain = app.sidecar().drain.clone();
    let mut child = start(command, app.addresses())?;
    let ended = async {
        let status = wait(&mut child, &mut signals).await;
        drain.start();
        status.map_err(RunError::Wait)
    };
    let served = async { app.serve().await.map_err(RunError::Start) };
    // The command may end the sidecar and have more to do itself, so that both are waited for.
    let ((), status) = tokio::try_join!(served, ended)?;
    Ok(exit_code(status))
}

async fn wait(child: &mut Child, signals: &mut Signals) -> io::Result<ExitStatus> {
    loop {
        tokio::select! {
            status = child.wait() => return status,
            signal = signals.next() => {
                if let Some(process) = child.id() {
                    signal.pass_on(process);
                }
            }
        }
    }
}

fn exit_code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let code = status.code().or(signal.map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

fn start(command: &[OsString], addresses: &Addresses) -> Result<Child, RunError> {
    let (program, arguments) =
        command.split_first().map_or((OsStr::new(""), &[][..]), |(p, a)| (p.as_os_str(), a));
    let started =
        Command::new(program).args(arguments).envs(variables(addresses)).kill_on_drop(true).spawn();
    started.map_err(|source| RunError::Command { command: program.to_owned(), source })
}

/// Where Dapr's SDKs look for a sidecar. The token is inherited.
fn variables(addresses: &Addresses) -> impl Iterator<Item = (&'static str, String)> {
    let Addresses { grpc, http, .. } = addresses;
    let port = |name, port: Option<u16>| port.map(|port| (name, port.to_string()));
    [
        port("DAPR_GRPC_PORT", grpc.port()),
        port("DAPR_HTTP_PORT", http.port()),
        Some(("DAPR_GRPC_ENDPOINT", grpc.endpoint())),
        Some(("DAPR_HTTP_ENDPOINT", http.endpoint())),
    ]
    .into_iter()
    .flatten()
}
