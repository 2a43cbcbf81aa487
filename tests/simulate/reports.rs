//! The reports of runs.

mod adversarial;
mod analysis;
mod page;

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Duration,
};

use mynah::simulate::{
    Clock, Conversation, ConversationResult, EarlierResults, EndReason, Intent, MadeCall,
    OriginalConversation, Outcome, ParticipantRole, RunIdentity, RunSettings, SentMessage, Shard,
    SimulatedConversation, Timestamp, analyse, run, write_html,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::support::scratch;

/// The start of all conversations.
const START: i64 = 946_684_800;

/// Returns a conversation with alternating senders, the customer first.
fn conversation(texts: &[String], outcome: Option<&str>) -> Conversation {
    let message = |(number, content): (usize, &String)| SentMessage {
        content: content.clone(),
        timestamp: Timestamp::from_second(START + 20 * number as i64).unwrap(),
        sender: [ParticipantRole::Customer, ParticipantRole::Agent][number % 2],
        tool_calls: Vec::new(),
    };
    let outcome = outcome.map(|name| Outcome::new(name, format!("The case is {name}")));
    let messages = texts.iter().enumerate().map(message).collect();
    Conversation { messages, outcome, ..Conversation::default() }
}

/// Returns a conversation that did not fail.
fn simulated(index: usize, conversation: Conversation) -> SimulatedConversation {
    let messages = conversation.messages.len() as u64;
    SimulatedConversation {
        id: format!("refund-{index}"),
        index,
        scenario: "refund".to_owned(),
        original: None,
        result: ConversationResult {
            conversation,
            duration: Duration::from_secs(20 * messages.saturating_sub(1)),
            clock: Clock::Virtual,
            intents: vec![Intent::new(ParticipantRole::Customer, "Get a refund for order 1001")],
            end_reason: EndReason::OutcomeFollowup,
            error: None,
        },
    }
}

fn texts(count: usize) -> Vec<String> {
    const TEXTS: [&str; 6] = [
        "Hello, order 1001 never arrived. It was due last Tuesday.",
        "I am sorry to hear that. Could you tell me the e-mail address of the order?",
        "Sure, it is anna@example.com.",
        "Thank you. The parcel was returned to us. I can send it again or refund it.",
        "Please refund it.",
        "Done: 49.90 EUR will be on your account within three days.",
    ];
    TEXTS.iter().cycle().take(count).map(|text| (*text).to_owned()).collect()
}

/// Returns a conversation of a support desk: of ten, six are resolved, two are escalated, one has no
/// outcome, and one fails.
fn support(index: usize) -> SimulatedConversation {
    let outcome = match index % 10 {
        0..6 => Some("resolved"),
        6..8 => Some("escalated"),
        _ => None,
    };
    let mut result = simulated(index, conversation(&texts(2 + index * 7 % 11), outcome));
    result.scenario = ["refund", "late_delivery", "password"][index % 3].to_owned();
    result.id = format!("{}-{index}", result.scenario);
    let call = MadeCall {
        name: ["find_order", "refund"][index % 2].to_owned(),
        arguments: r#"{"order":"1001"}"#.to_owned(),
        result: r#"{"status":"returned","amount":49.9}"#.to_owned(),
    };
    result.result.conversation.messages[1].tool_calls.push(call);
    match index % 10 {
        8 => result.result.end_reason = EndReason::MaxMessages,
        9 => {
            result.result.end_reason = EndReason::ParticipantError;
            result.result.error = Some("agent desk: 503 Service Unavailable".to_owned());
        }
        0 | 1 => result.result.end_reason = EndReason::BothPassed,
        _ => {}
    }
    result
}

/// Returns the conversation of a support desk that was made from a recorded conversation. Each
/// recording is simulated twice.
fn from_recording(index: usize) -> SimulatedConversation {
    let number = index / 2;
    let outcome = (!number.is_multiple_of(3)).then_some("resolved");
    let conversation = conversation(&texts(4 + number % 5), outcome);
    let id = format!("call-{number}");
    let predicted_outcome = number.is_multiple_of(4).then(|| "escalated".to_owned());
    let original =
        OriginalConversation { id, conversation, predicted_outcome, prediction_error: None };
    SimulatedConversation { original: Some(original), ..support(index) }
}

/// Runs and reports on this many conversations, and returns the folder with the files.
async fn report(conversations: usize, play: fn(usize) -> SimulatedConversation) -> PathBuf {
    let folder = scratch("report");
    simulate(&folder, conversations, 16, play).await;
    let report = analyse(&folder, None).await.unwrap();
    write_html(&folder, &report).unwrap();
    folder
}

/// Runs this many conversations.
async fn simulate(
    folder: &Path,
    conversations: usize,
    in_flight: usize,
    play: fn(usize) -> SimulatedConversation,
) {
    simulate_shard(folder, conversations, in_flight, None, play).await;
}

/// Runs a shard of this many conversations, or all of them.
async fn simulate_shard(
    folder: &Path,
    conversations: usize,
    in_flight: usize,
    shard: Option<Shard>,
    play: fn(usize) -> SimulatedConversation,
) {
    let (name, hash) = ("Support desk".to_owned(), "9f2c41d07be83a55".to_owned());
    let identity = RunIdentity { name, hash, scenarios: 3, conversations, clock: Clock::Virtual };
    let in_flight = NonZeroUsize::new(in_flight).unwrap();
    let settings =
        RunSettings { out: folder.to_owned(), earlier: EarlierResults::Keep, shard, in_flight };
    let play = |index| async move { play(index) };
    run(&identity, &settings, play, |_| {}, CancellationToken::new()).await.unwrap();
}

/// Creates a report on 1,000 conversations that were made from recorded ones.
pub(crate) async fn large_report() -> PathBuf {
    report(1_000, from_recording).await
}

fn json(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap()
}

fn html(folder: &Path) -> String {
    fs::read_to_string(folder.join("report.html")).unwrap()
}
