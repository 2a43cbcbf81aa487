//! `mynah simulate`: plays simulated conversations and reports on them.

// progress  shows the progress of a run
// error     errors, with their messages and exit codes

mod error;
mod progress;

use std::{
    io::{self, Write},
    path::Path,
    pin::pin,
};

use tokio_util::sync::CancellationToken;

pub(super) use self::error::Error;
use self::progress::ProgressDisplay;
use super::signals::Signals;
use crate::{
    base::{environment::Environment, text::count},
    cli::args::{MergeArgs, PlayArgs, SimulateArgs, SimulateCommand},
    component::Context,
    models::SidecarModels,
    simulate::{
        self, AdversarialTester, InvalidSimulation, Plan, RunSettings, RunSummary, analyse,
        write_html,
    },
};

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
    let mut display = ProgressDisplay::new(environment);
    let play = |index| plan.clone().play(index, cancel.clone());
    let progress = |progress: simulate::RunProgress<'_>| display.update(&progress);
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
