//! Plays the conversations of a run, and measures their times.

use std::{
    future::Future,
    io,
    num::NonZeroUsize,
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
    time::Duration,
};

use futures_util::FutureExt;
use mynah_core::base::clock::Moment;
use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{
    error::RunError,
    scan::Header,
    shard::Shard,
    store::{EarlierResults, Store, to_line, write_file},
    tally::{RunSummary, Tally},
};
use crate::{Clock, ConversationResult, EndReason, SimulatedConversation, result::PANICKED};

/// What identifies a run. Only the same run can be continued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunIdentity {
    /// Name of the run.
    pub name: String,
    /// Hash of the simulate file and everything that it refers to.
    pub hash: String,
    /// The number of scenarios.
    pub scenarios: usize,
    /// The number of conversations in all shards.
    pub conversations: usize,
    /// What the times of the conversations follow. If some are real, two runs differ.
    pub clock: Clock,
}

/// How a run is played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSettings {
    /// The folder for the results. It is created if necessary.
    pub out: PathBuf,
    /// What happens to results that are in the folder already.
    pub earlier: EarlierResults,
    /// Plays only this part of the run.
    pub shard: Option<Shard>,
    /// Maximum number of conversations at the same time.
    pub in_flight: NonZeroUsize,
}

/// The progress of a run.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct RunProgress<'a> {
    /// The number of conversations that this run has to play, including those of an earlier,
    /// interrupted run.
    pub conversations: usize,
    /// How many of them the earlier run had played.
    pub resumed: usize,
    /// The conversations played so far, including those of the earlier run.
    pub tally: &'a Tally,
    /// The number of conversations that are being played.
    pub in_flight: usize,
}

/// A conversation that was played.
struct Played {
    conversation: SimulatedConversation,
    line: io::Result<Vec<u8>>,
    time: Duration,
}

/// Plays the conversations of a run and writes them to `results.jsonl`. Skips the conversations that
/// are there already. `play` gets the position of a conversation, and `progress` is called at the
/// start and after each conversation.
///
/// Conversations are spawned as tasks, so that a runtime with several threads plays them in parallel.
/// When `cancel` is cancelled, no more conversations start; `play` should then end those in flight
/// with [`EndReason::Cancelled`]. These are not stored.
///
/// ```
/// use std::num::NonZeroUsize;
///
/// use mynah_agent::tool_loop::CancellationToken;
/// use mynah_simulate::{
///     Clock,
///     EarlierResults,
///     MessageDraft,
///     ParticipantRole,
///     RunIdentity,
///     RunSettings,
///     Runner,
///     SimulatedConversation,
///     participants::Script,
///     run,
/// };
///
/// async fn play(index: usize) -> SimulatedConversation {
///     let hello = format!("I need help with order {index}");
///     let customer = Script::of_texts(ParticipantRole::Customer, [hello.as_str(), "Thanks!"]);
///     let agent = Script::of_texts(ParticipantRole::Agent, ["I have sent it again."]);
///     let runner =
///         Runner::new(customer, agent, MessageDraft::new(ParticipantRole::Customer, hello));
///     SimulatedConversation {
///         id: format!("order-{index}"),
///         index,
///         scenario: "order".to_owned(),
///         original: None,
///         result: runner.run().await,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let identity = RunIdentity {
///     name: "orders".to_owned(),
///     hash: "1".to_owned(),
///     scenarios: 1,
///     conversations: 20,
///     clock: Clock::Virtual,
/// };
/// # let folder = tempfile::tempdir()?;
/// # let out = folder.path().join("orders");
/// let settings = RunSettings {
///     out, // the path of a folder
///     earlier: EarlierResults::Keep,
///     shard: None,
///     in_flight: NonZeroUsize::new(8).unwrap_or(NonZeroUsize::MIN),
/// };
/// let summary = run(&identity, &settings, play, |_| {}, CancellationToken::new()).await?;
/// assert_eq!((summary.tally.finished, summary.tally.failed), (20, 0));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Fails if a file cannot be used, if the folder has the results of another run, and if the run is
/// cancelled. The results so far are stored, and another call continues the run. A conversation that
/// panics does not fail the run: its end reason is [`EndReason::ParticipantError`].
pub async fn run<F>(
    identity: &RunIdentity,
    settings: &RunSettings,
    play: impl Fn(usize) -> F,
    mut progress: impl FnMut(RunProgress<'_>),
    cancel: CancellationToken,
) -> Result<RunSummary, RunError>
where
    F: Future<Output = SimulatedConversation> + Send + 'static,
{
    let RunIdentity { name: run, hash, scenarios, conversations, clock } = identity.clone();
    let header = Header { run, hash, scenarios, conversations, clock, shard: settings.shard };
    let all = header.shard().conversations(header.conversations);
    let conversations = all.len();
    let mut store = Store::open(&settings.out, header, settings.earlier)?;
    let resumed = store.tally.finished;
    let mut timings = Timings::start(resumed, settings.in_flight.get());
    let mut pending = all;
    let mut playing = JoinSet::new();
    loop {
        while playing.len() < settings.in_flight.get() && !cancel.is_cancelled() {
            let Some(index) = pending.find(|index| !store.contains(*index)) else { break };
            playing.spawn(timed(index, play(index)));
        }
        let (tally, in_flight) = (&store.tally, playing.len());
        progress(RunProgress { conversations, resumed, tally, in_flight });
        let Some(played) = playing.join_next().await else { break };
        record(played.map_err(RunError::Aborted)?, &mut store, &mut timings)?;
    }
    let stored = store.tally.finished;
    if stored < conversations {
        return Err(RunError::Cancelled { stored, conversations });
    }
    let (results, tally) = store.finish()?;
    // The times of an earlier run stay if this run played nothing.
    if resumed < stored {
        timings.write(&settings.out)?;
    }
    Ok(RunSummary { results, resumed, tally })
}

/// Plays a conversation and formats its line, on the thread of the conversation.
async fn timed(index: usize, play: impl Future<Output = SimulatedConversation>) -> Played {
    let start = Moment::now();
    let played = AssertUnwindSafe(play).catch_unwind().await;
    let conversation = played.unwrap_or_else(|_| panicked(index));
    let conversation = SimulatedConversation { index, ..conversation };
    Played { line: to_line(&conversation), conversation, time: start.age() }
}

/// Returns the record of a conversation that panicked, whose id and scenario are unknown.
fn panicked(index: usize) -> SimulatedConversation {
    let result = ConversationResult::not_started(EndReason::ParticipantError, PANICKED);
    let scenario = "(unknown)".to_owned();
    SimulatedConversation {
        id: format!("conversation-{index}"),
        index,
        scenario,
        original: None,
        result,
    }
}

/// Stores a conversation, unless it was cancelled.
fn record(played: Played, store: &mut Store, timings: &mut Timings) -> Result<(), RunError> {
    let Played { conversation, line, time } = played;
    if conversation.result.end_reason == EndReason::Cancelled {
        return Ok(());
    }
    timings.add(&conversation.id, time);
    store.append(&conversation, line)
}

/// Name of the file with the times.
const TIMINGS: &str = "timings.json";
/// How many of the slowest conversations are listed.
const SLOWEST: usize = 10;

/// Measures a run.
struct Timings {
    start: Moment,
    resumed: usize,
    in_flight: usize,
    played: usize,
    total: Duration,
    fastest: Option<Duration>,
    /// The slowest conversation first.
    slowest: Vec<(Duration, String)>,
}

impl Timings {
    fn start(resumed: usize, in_flight: usize) -> Self {
        let (start, total) = (Moment::now(), Duration::ZERO);
        Self { start, resumed, in_flight, played: 0, total, fastest: None, slowest: Vec::new() }
    }

    /// Adds a conversation.
    fn add(&mut self, id: &str, time: Duration) {
        self.played += 1;
        self.total += time;
        self.fastest = Some(self.fastest.map_or(time, |fastest| fastest.min(time)));
        let position = self.slowest.partition_point(|(slower, _)| *slower >= time);
        if position < SLOWEST {
            self.slowest.insert(position, (time, id.to_owned()));
            self.slowest.truncate(SLOWEST);
        }
    }

    /// Writes the times to a folder.
    fn write(&self, folder: &Path) -> Result<(), RunError> {
        let Self { start, resumed, in_flight, played, total, .. } = self;
        let seconds = start.age().as_secs_f64();
        let slow =
            |(time, id): &(Duration, String)| json!({ "id": id, "seconds": time.as_secs_f64() });
        let timings = json!({
            "resumed": resumed,
            "played": played,
            "in_flight": in_flight,
            "seconds": seconds,
            "conversations_per_second": ratio(*played as f64, seconds),
            "conversation_seconds": {
                "min": self.fastest.unwrap_or_default().as_secs_f64(),
                "mean": ratio(total.as_secs_f64(), *played as f64),
                "max": self.slowest.first().map_or(0.0, |(time, _)| time.as_secs_f64()),
            },
            "slowest": self.slowest.iter().map(slow).collect::<Vec<_>>(),
        });
        write_file(&folder.join(TIMINGS), |target| {
            Ok(serde_json::to_writer_pretty(target, &timings)?)
        })
    }
}

/// Returns 0 if there is nothing to divide by.
fn ratio(value: f64, by: f64) -> f64 {
    if by > 0.0 { value / by } else { 0.0 }
}
