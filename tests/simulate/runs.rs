//! Runs of many conversations, with results that survive an interruption.

mod crashes;
mod merging;
mod resuming;
mod running;

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Duration,
};

use mynah::simulate::{
    Clock, Conversation, ConversationResult, EarlierResults, EndReason, Outcome, ParticipantRole,
    RunError, RunIdentity, RunSettings, RunSummary, SentMessage, SimulatedConversation, Timestamp,
    run,
};
use tokio_util::sync::CancellationToken;

/// Returns the identity of a run with this many conversations.
fn identity(conversations: usize) -> RunIdentity {
    RunIdentity {
        name: "desk".to_owned(),
        hash: "1".to_owned(),
        scenarios: 2,
        conversations,
        clock: Clock::Virtual,
    }
}

/// Returns settings with one conversation at a time.
fn settings(out: &Path) -> RunSettings {
    RunSettings {
        out: out.to_owned(),
        earlier: EarlierResults::Keep,
        shard: None,
        in_flight: NonZeroUsize::MIN,
    }
}

/// Plays a conversation that is a function of its position: every third is resolved, every seventh
/// fails, and each has one to five messages.
async fn play(index: usize) -> SimulatedConversation {
    // Conversations that started earlier can end later.
    for _ in 0..index * 7 % 5 {
        tokio::task::yield_now().await;
    }
    conversation(index)
}

fn conversation(index: usize) -> SimulatedConversation {
    let message = |number: usize| SentMessage {
        content: format!("message {number} of conversation {index}: “déjà vu”"),
        timestamp: Timestamp::from_second(946_684_800 + number as i64).unwrap(),
        sender: if number.is_multiple_of(2) {
            ParticipantRole::Customer
        } else {
            ParticipantRole::Agent
        },
        tool_calls: Vec::new(),
    };
    let failed = index % 7 == 6;
    let outcome = index.is_multiple_of(3).then(|| Outcome::new("resolved", "It is resolved"));
    let messages = (0..=index % 5).map(message).collect();
    SimulatedConversation {
        id: format!("refund-{index}"),
        index,
        scenario: "refund".to_owned(),
        original: None,
        result: ConversationResult {
            conversation: Conversation { messages, outcome, ..Conversation::default() },
            duration: Duration::from_secs(index as u64 % 5),
            clock: Clock::Virtual,
            intents: Vec::new(),
            end_reason: if failed { EndReason::ParticipantError } else { EndReason::BothPassed },
            error: failed.then(|| "the model is down".to_owned()),
        },
    }
}

/// Runs to the end.
async fn complete(identity: &RunIdentity, settings: &RunSettings) -> Result<RunSummary, RunError> {
    run(identity, settings, play, |_| {}, CancellationToken::new()).await
}

/// Runs until this many conversations are stored.
async fn interrupted(identity: &RunIdentity, settings: &RunSettings, stored: usize) {
    let cancel = CancellationToken::new();
    let progress = |progress: mynah::simulate::RunProgress<'_>| {
        if progress.tally.finished == stored {
            cancel.cancel();
        }
    };
    let result = run(identity, settings, play, progress, cancel.clone()).await;
    assert!(matches!(result, Err(RunError::Cancelled { .. })), "{result:?}");
}

fn results(folder: &Path) -> PathBuf {
    folder.join("results.jsonl")
}

fn read(folder: &Path) -> String {
    fs::read_to_string(results(folder)).unwrap()
}

/// Returns the results of a run that was not interrupted.
async fn whole(conversations: usize) -> String {
    let folder = crate::support::scratch("whole");
    complete(&identity(conversations), &settings(&folder)).await.unwrap();
    read(&folder)
}

/// Returns the message of an error.
fn message<T: std::fmt::Debug>(result: Result<T, RunError>, folder: &Path) -> String {
    result.unwrap_err().to_string().replace(folder.to_str().unwrap(), "FOLDER")
}
