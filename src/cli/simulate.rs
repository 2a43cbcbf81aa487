//! `mynah simulate`: plays simulated conversations and reports on them.

use std::{
    io::{self, Write},
    path::Path,
    pin::pin,
};

use thiserror::Error as ThisError;
use tokio_util::sync::CancellationToken;

use super::{
    args::{MergeArgs, PlayArgs, SimulateArgs, SimulateCommand},
    progress::Progress,
    signals::{Signal, Signals},
};
use crate::{
    base::{diagnostics::Diagnostic, environment::Environment, text::count},
    component::Context,
    models::SidecarModels,
    simulate::{
        self, AdversarialTester, ConnectError, InvalidSimulation, Plan, RunError, RunProgress,
        RunSettings, RunSummary, analyse, write_html,
    },
};

// error     errors, with their messages and exit codes

/// Plays a simulation, or joins the results of shards.
pub(super) async fn simulate(args: &SimulateArgs, environment: &Environment) -> Result<(), Error> {
    match (&args.command, &args.play) {
        (Some(SimulateCommand::Merge(args)), _) => merge(args).await,
        (None, Some(args)) => play(args, environment).await,
        // clap requires one of them.
        (None, None) => Ok(()),
    }
}

async fn merge(args: &MergeArgs) -> Result<(), Error> {
    simulate::merge(&args.folders, &args.out)?;
    report(&args.out, None).await
}

async fn play(args: &PlayArgs, environment: &Environment) -> Result<(), Error> {
    let (environment, rules) = (environment.clone(), args.rules.clone());
    let context = Context { environment, rules, stand_in: args.stand_in, ..Context::default() };
    let mut models = SidecarModels::new(&context);
    let plan = Plan::read(&args.file, &context.environment, &mut models);
    let plan = plan.map_err(|InvalidSimulation(errors)| Error::Invalid(errors))?;
    plan.warnings().iter().for_each(|warning| tracing::warn!("{warning}"));
    let mut signals = Signals::for_cancellation().map_err(Error::Signals)?;
    let connected = signals.interrupt(plan.connect()).await.map_err(Error::Cancelled)?;
    connected?;
    let RunSummary { results, tally, .. } =
        run(&plan, args, &mut signals, &context.environment).await?;
    let (failed, conversations) = (tally.failed, tally.finished);
    if let Some(shard) = args.shard {
        let (results, played) = (results.display(), count(conversations, "conversation"));
        print(&format!("shard {shard}: {played}, {failed} failed\nresults: {results}\n"));
    } else {
        let tester = plan.adversarial_tester();
        let reported = signals.interrupt(report(&args.out, tester.as_ref())).await;
        reported.map_err(Error::Cancelled)??;
    }
    if args.exit_code && failed > 0 {
        return Err(Error::Failed { failed, conversations });
    }
    Ok(())
}

/// Plays the conversations. A signal cancels the run, and a second one ends the program.
async fn run(
    plan: &Plan,
    args: &PlayArgs,
    signals: &mut Signals,
    environment: &Environment,
) -> Result<RunSummary, Error> {
    let (out, earlier, shard) = (args.out.clone(), args.earlier_results(), args.shard);
    let settings = RunSettings { out, earlier, shard, in_flight: plan.in_flight() };
    let cancel = CancellationToken::new();
    let mut display = Progress::new(environment, "conversation");
    let play = |index| plan.clone().play(index, cancel.clone());
    let progress = |progress: RunProgress<'_>| {
        let RunProgress { conversations, tally, .. } = progress;
        display.update(tally.finished, conversations, tally.failed);
    };
    let running = simulate::run(plan.identity(), &settings, play, progress, cancel.clone());
    let mut running = pin!(running);
    let received = tokio::select! {
        summary = running.as_mut() => return Ok(summary?),
        received = signals.next() => received,
    };
    cancel.cancel();
    tokio::select! {
        summary = running => match summary {
            Err(simulate::RunError::Cancelled { stored, conversations }) => {
                Err(Error::Stopped { stored, conversations, signal: received.signal })
            }
            // The signal came at the end of the run.
            summary => Ok(summary?),
        },
        received = signals.next() => Err(Error::Cancelled(received.signal)),
    }
}

/// Writes the report and prints its summary.
async fn report(folder: &Path, tester: Option<&AdversarialTester>) -> Result<(), Error> {
    let report = analyse(folder, tester).await?;
    write_html(folder, &report)?;
    let file = folder.join("report.html");
    print(&format!("{report}report: {}\n", file.display()));
    Ok(())
}

/// Prints to stdout. Ignores write errors: the files have everything.
fn print(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}

/// An error that ends a simulation.
#[derive(Debug, ThisError)]
pub(crate) enum Error {
    /// The file, or a file that it refers to, is invalid.
    #[error("the simulation is invalid")]
    Invalid(Vec<Diagnostic>),
    /// A sidecar or a server of tools cannot be used.
    #[error("cannot start: {0}")]
    Connect(#[from] ConnectError),
    /// The results cannot be written or read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A signal ended the command.
    #[error("cancelled")]
    Cancelled(Signal),
    /// A signal ended the run. Its results so far are stored.
    #[error(
        "cancelled after {stored} of {conversations} conversations; to continue, run the same command again"
    )]
    Stopped {
        /// The number of stored conversations.
        stored: usize,
        /// The number of conversations.
        conversations: usize,
        /// The signal.
        signal: Signal,
    },
    /// Conversations failed, and the exit code was to tell.
    #[error("{failed} of {} failed", count(*.conversations, "conversation"))]
    Failed {
        /// The number of conversations that failed.
        failed: usize,
        /// The number of conversations.
        conversations: usize,
    },
    /// Signal handlers could not be set up.
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
}

impl Error {
    /// Returns the exit code: 128 plus the signal's number after a signal, otherwise 1.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Cancelled(signal) | Self::Stopped { signal, .. } => signal.exit_code(),
            _ => 1,
        }
    }

    /// Returns the errors in files.
    pub(crate) fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Invalid(diagnostics) => diagnostics,
            _ => &[],
        }
    }
}
