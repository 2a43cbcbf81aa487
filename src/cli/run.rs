//! `mynah run`: starts a sidecar and a command that uses the sidecar.

use std::{
    ffi::OsString,
    io::{self, Write},
    pin::pin,
    process::ExitStatus,
    sync::Arc,
};

use futures_util::{FutureExt, future::FusedFuture};
use thiserror::Error as ThisError;
use tokio::process::{Child, Command};

#[cfg(target_os = "linux")]
use super::supervisor;
use super::{
    args::RunArgs,
    child::{CannotRun, Program, exit_code, split},
    inspect,
    replayed::Replayed,
    signals::{self, Signals},
    verify::indented,
};
use crate::{
    base::{
        blocking::{Panicked, run_blocking},
        terminal::escape_controls,
        work::Work,
    },
    engine::{
        Engine,
        journal::EntryFilter,
        verify::{Checks, verify},
    },
    server::{Addresses, App, Config, MissedConfig, ModelSource, ServeError, StartError},
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
    #[error(transparent)]
    Command(#[from] CannotRun),
    /// Waiting for the command or for signals failed.
    #[error("cannot wait for the command")]
    Wait(#[from] io::Error),
}

impl RunError {
    /// Returns the exit code that shells use for the error.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Command(error) => error.exit_code(),
            _ => 1,
        }
    }
}

/// Runs the command and serves until the command exits. Returns the command's exit code, or 128
/// plus the signal's number if a signal terminated the command.
///
/// Forwards signals to the command. After the command's exit, a signal cuts the calls in flight. Does
/// not wait for the command's background processes.
pub(super) async fn run(config: Config, args: &RunArgs, program: Program) -> Result<u8, RunError> {
    let mut signals = Signals::for_forwarding()?;
    if args.serve.exit_on_stdin_close {
        signals.end_with(signals::wait_until_stdin_closed)?;
    }
    let app = match signals.interrupt(App::bind(config.clone())).await {
        Ok(app) => app?,
        Err(signal) => return Ok(signal.exit_code()),
    };
    let engine = app.engine.clone();
    let is_inspected = announce(&app, &config, args);
    let child = start(&args.command, program, &app.addresses)?;
    let code = exit_code(serve(app, child, &mut signals, is_inspected).await?);
    let is_as_recorded = !is_replayed(&config) || was_recorded(&engine).await;
    let is_met = met_expectations(&engine).await && is_as_recorded;
    Ok(if is_met || code != 0 { code } else { UNMET })
}

/// Says which models answer, and opens the inspector if the arguments want it. Returns `true` if they do.
fn announce(app: &App, config: &Config, args: &RunArgs) -> bool {
    if let Some(models) = &config.models
        && args.serve.log_as_json
    {
        tracing::info!(%models, "serving");
    } else if let Some(models) = &config.models {
        // Ignore write errors: the reader is gone.
        let _ = writeln!(io::stderr(), "mynah: models: {}", escape_controls(&models.to_string()));
    }
    let inspector = app.inspector().filter(|_| args.inspect);
    inspector.iter().for_each(|url| inspect::open_live(url, &config.environment));
    inspector.is_some()
}

/// Returns `true` if a request that is not recorded makes the run fail.
fn is_replayed(config: &Config) -> bool {
    matches!(config.models, Some(ModelSource::Replay { missed: MissedConfig::Error, .. }))
}

/// Serves until the command has exited and the calls in flight have finished. An inspector stays open
/// until a signal arrives.
async fn serve(
    app: App,
    mut child: Child,
    signals: &mut Signals,
    is_inspected: bool,
) -> Result<ExitStatus, RunError> {
    let drain = app.drain.clone();
    let mut serving = pin!(app.serve().fuse());
    let status = tokio::select! {
        status = wait(&mut child, signals) => status?,
        served = serving.as_mut() => {
            // The command may shut down the sidecar and keep running.
            served?;
            wait(&mut child, signals).await?
        }
    };
    if is_inspected && !serving.is_terminated() {
        tokio::select! {
            served = serving.as_mut() => served?,
            () = inspect::keep_open(exit_code(status), signals) => {}
        }
    }
    drain.start();
    if !serving.is_terminated() {
        tokio::select! {
            served = serving => served?,
            _ = signals.next() => tracing::warn!("signal after the command exited: calls in flight were cut"),
        }
    }
    Ok(status)
}

/// Reports the requests that are not recorded, and the exchanges that were not asked for. Returns `false`
/// if there are such requests.
async fn was_recorded(engine: &Arc<Engine>) -> bool {
    let of_work = engine.clone();
    let (is_recorded, report) = match run_blocking(move || Replayed::of(&of_work)).await {
        Ok(Some(replayed)) => (!replayed.has_missed(), replayed.report()),
        Ok(None) => (true, Some("the replay cannot be checked: the journal is off".to_owned())),
        Err(Panicked) => (true, Some("the replay cannot be checked; see the log".to_owned())),
    };
    if let Some(report) = report {
        // Ignore write errors: the exit code is still useful.
        let _ = writeln!(io::stderr(), "mynah: {report}");
    }
    is_recorded
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
        let calls = journal.select(&EntryFilter::default());
        let components = of_work.with_instances();
        let mut verification = verify(&checks, &calls, &components, &Work::unlimited()).ok()?;
        verification.describe(&checks);
        Some(verification)
    };
    let report = match run_blocking(work).await {
        Ok(Some(verification)) if verification.ok => return true,
        Ok(Some(verification)) => indented(&verification.report),
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

fn start(command: &[OsString], program: Program, addresses: &Addresses) -> Result<Child, RunError> {
    let mut process = process(command, program);
    for name in OVERRIDDEN {
        process.env_remove(name);
    }
    let started = process.envs(variables(addresses)).spawn();
    started.map_err(|source| CannotRun::new(command, source).into())
}

/// Returns the process that runs a command, with a supervisor if possible.
fn process(command: &[OsString], program: Program) -> Command {
    if program == Program::Executable
        && let Some(supervisor) = supervisor::of(command)
    {
        // Not killed on drop: when this process ends, it ends the command.
        return supervisor.into();
    }
    let (program, arguments) = split(command);
    let mut process = Command::new(program);
    process.args(arguments).kill_on_drop(true);
    process
}

/// Only Linux reports the end of a parent.
#[cfg(not(target_os = "linux"))]
mod supervisor {
    pub(super) fn of(_: &[std::ffi::OsString]) -> Option<std::process::Command> {
        None
    }
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
