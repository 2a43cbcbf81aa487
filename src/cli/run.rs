//! `mynah run`: starts a sidecar and a command that uses the sidecar.

use std::{
    ffi::{OsStr, OsString},
    io::{self, Write},
    pin::pin,
    process::ExitStatus,
    sync::Arc,
};

use futures_util::{FutureExt, future::FusedFuture};
use thiserror::Error as ThisError;
use tokio::process::{Child, Command};

use super::verify_report::report;
use crate::{
    base::{
        blocking::{Panicked, run_blocking},
        work::Work,
    },
    cli::signals::Signals,
    engine::{
        Engine,
        journal::EntryFilter,
        verify::{Checks, verify},
    },
    server::{Addresses, App, Config, ServeError, StartError},
};

/// The exit code if the command succeeded but expectations are not met.
const UNMET: u8 = 1;

/// An error in `mynah run` itself. A command that exits with a nonzero code is not an error.
#[derive(Debug, ThisError)]
pub(super) enum RunError {
    /// The sidecar failed to start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The sidecar stopped before the command did.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// The command failed to start.
    #[error("cannot run {}", .command.display())]
    Command {
        /// The name or path of the program.
        command: OsString,
        /// The cause.
        source: io::Error,
    },
    /// Waiting for the command or for signals failed.
    #[error("cannot wait for the command")]
    Wait(#[from] io::Error),
}

impl RunError {
    /// Returns the exit code that shells use for the error.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Command { source, .. } if source.kind() == io::ErrorKind::NotFound => 127,
            Self::Command { .. } => 126,
            _ => 1,
        }
    }
}

/// Runs the command and serves until the command exits. Returns the command's exit code, or 128
/// plus the signal's number if a signal terminated the command.
///
/// Forwards signals to the command. After the command's exit, a signal cuts the calls in flight. Does
/// not wait for the command's background processes.
pub(super) async fn run(config: Config, command: &[OsString]) -> Result<u8, RunError> {
    let mut signals = Signals::for_forwarding()?;
    let app = match signals.interrupt(App::bind(config)).await {
        Ok(app) => app?,
        Err(signal) => return Ok(signal.exit_code()),
    };
    let (drain, engine) = (app.drain().clone(), app.shared_engine());
    let mut child = start(command, app.addresses())?;
    let mut serving = pin!(app.serve().fuse());
    let status = tokio::select! {
        status = wait(&mut child, &mut signals) => status?,
        served = serving.as_mut() => {
            // The command may shut down the sidecar and keep running.
            served?;
            wait(&mut child, &mut signals).await?
        }
    };
    drain.start();
    if !serving.is_terminated() {
        tokio::select! {
            served = serving => served?,
            _ = signals.next() => tracing::warn!("signal after the command exited: calls in flight were cut"),
        }
    }
    let code = exit_code(status);
    Ok(if met_expectations(&engine).await || code != 0 { code } else { UNMET })
}

/// Checks the expectations in the files of rules. Reports those that are not met on stderr.
async fn met_expectations(engine: &Arc<Engine>) -> bool {
    let checks = Checks::expected(&engine.with_instances());
    if checks.expectations.is_empty() {
        return true;
    }
    let of_work = engine.clone();
    let work = move || {
        let journal = of_work.readable_journal()?;
        let (entries, dropped) = journal.checked_entries(&EntryFilter::default());
        verify(&checks, &entries, dropped, &of_work.with_instances(), &Work::unlimited()).ok()
    };
    let report = match run_blocking(work).await {
        Ok(Some(verification)) if verification.ok => return true,
        Ok(Some(verification)) => report(&verification),
        Ok(None) => "the expectations cannot be checked: the journal is off".to_owned(),
        Err(Panicked) => "the expectations cannot be checked; see the log".to_owned(),
    };
    // Ignore write errors: the exit code is still useful.
    let _ = writeln!(io::stderr(), "mynah: {report}");
    false
}

async fn wait(child: &mut Child, signals: &mut Signals) -> io::Result<ExitStatus> {
    loop {
        tokio::select! {
            // Signals first: the one that ended the command must not count as sent after its exit.
            biased;
            received = signals.next() => {
                if let Some(process) = child.id() {
                    received.forward_to(process);
                }
            }
            status = child.wait() => return status,
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
    let mut process = Command::new(program);
    process.args(arguments).kill_on_drop(true);
    for name in OVERRIDDEN {
        process.env_remove(name);
    }
    let started = process.envs(variables(addresses)).spawn();
    started.map_err(|source| RunError::Command { command: program.to_owned(), source })
}

/// The path of the control API.
const CONTROL_API: &str = "/mynah/v1";

/// Variables with which Dapr's SDKs would look for another sidecar.
const OVERRIDDEN: [&str; 6] = [
    "DAPR_GRPC_ENDPOINT",
    "DAPR_GRPC_PORT",
    "DAPR_HTTP_ENDPOINT",
    "DAPR_HTTP_PORT",
    "DAPR_RUNTIME_HOST",
    "DAPR_SIDECAR_IP",
];

/// Returns the variables in which Dapr's SDKs find the sidecar. `DAPR_API_TOKEN` is inherited.
fn variables(addresses: &Addresses) -> impl Iterator<Item = (&'static str, String)> {
    let Addresses { grpc, http, .. } = addresses;
    let port = |name, port: Option<u16>| port.map(|port| (name, port.to_string()));
    // No value of DAPR_GRPC_ENDPOINT suits all SDKs: Rust's and .NET's need a scheme, and Python's
    // calls `http` deprecated. Without it, all of them use the port on 127.0.0.1.
    let endpoint = Some(grpc.dialable()).filter(|grpc| !grpc.is_on("127.0.0.1"));
    [
        port("DAPR_GRPC_PORT", grpc.port()),
        port("DAPR_HTTP_PORT", http.port()),
        endpoint.map(|grpc| ("DAPR_GRPC_ENDPOINT", grpc.url())),
        Some(("DAPR_HTTP_ENDPOINT", http.dialable().url())),
        Some(("MYNAH_ENDPOINT", format!("{}{CONTROL_API}", http.dialable().url()))),
    ]
    .into_iter()
    .flatten()
}
