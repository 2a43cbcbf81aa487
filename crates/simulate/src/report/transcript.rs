//! The conversations in the report.

use mynah_core::base::{terminal::sanitize_for_terminal, text::shorten};
use serde::Serialize;

use super::text::duration;
use crate::{
    Conversation, EndReason, MadeCall, ParticipantRole, SentMessage, SimulatedConversation,
};

/// Maximum number of messages of a conversation. Of more, the first and the last are shown.
const MAX_MESSAGES: usize = 60;
/// Maximum length of a text, in characters.
const MAX_TEXT: usize = 4_000;
/// Maximum length of all texts of a conversation, in characters.
const MAX_TOTAL: usize = 40_000;
/// Maximum number of tool calls that are shown together.
const MAX_CALLS: usize = 20;
/// Maximum length of a name, in characters.
const MAX_NAME: usize = 200;

/// A conversation in the report.
#[derive(Serialize)]
pub(super) struct Transcript {
    /// Number of the group.
    group: usize,
    id: String,
    scenario: String,
    outcome: Option<String>,
    end_reason: String,
    is_failure: bool,
    error: Option<String>,
    duration: String,
    intents: Vec<(String, String)>,
    /// The conversation, and the recorded one if there is one.
    parts: Vec<Part>,
}

#[derive(Serialize)]
struct Part {
    /// What a recorded conversation is called.
    title: Option<String>,
    count: usize,
    entries: Vec<Entry>,
}

/// A message, or a number of messages that are not shown.
#[derive(Serialize)]
#[serde(untagged)]
enum Entry {
    Message {
        sender: &'static str,
        time: String,
        content: String,
        calls: Calls,
    },
    /// The calls of turns without a message.
    Unsent {
        sender: &'static str,
        calls: Calls,
    },
    Omitted {
        omitted: usize,
    },
}

#[derive(Serialize)]
struct Calls {
    shown: Vec<Call>,
    omitted: usize,
}

#[derive(Serialize)]
struct Call {
    name: String,
    arguments: String,
    result: String,
}

/// Limits the texts of a conversation.
struct Budget(usize);

impl Budget {
    fn take(&mut self, text: &str) -> String {
        self.take_at_most(MAX_TEXT, text)
    }

    fn take_at_most(&mut self, limit: usize, text: &str) -> String {
        let text = shorten(text, limit.min(self.0));
        self.0 = self.0.saturating_sub(text.chars().count());
        clean(&text)
    }
}

/// Replaces control characters, which HTML cannot contain.
pub(super) fn clean(text: &str) -> String {
    sanitize_for_terminal(text).into_owned()
}

impl Transcript {
    pub(super) fn new(group: usize, simulated: &SimulatedConversation) -> Self {
        let result = &simulated.result;
        let mut budget = Budget(MAX_TOTAL);
        let mut parts = vec![Part::new(None, &result.conversation, &mut budget)];
        if let Some(original) = &simulated.original {
            let outcome = original.conversation.outcome.as_ref();
            let outcome = outcome.map_or_else(String::new, |it| format!(", {}", it.name));
            let title = format!("Recorded conversation {}{outcome}", original.id);
            let title = shorten(&title, MAX_NAME);
            parts.push(Part::new(Some(clean(&title)), &original.conversation, &mut budget));
        }
        let intent = |intent: &crate::Intent| {
            (intent.role.to_string(), clean(&shorten(&intent.description, MAX_TEXT)))
        };
        Self {
            group,
            id: clean(&simulated.id),
            scenario: clean(&simulated.scenario),
            outcome: result.outcome_name().map(clean),
            end_reason: end_reason(result.end_reason),
            is_failure: result.end_reason.is_failure(),
            error: result.error.as_ref().map(|error| clean(&shorten(error, MAX_TEXT))),
            duration: duration(result.duration.as_secs_f64()),
            intents: result.intents.iter().take(10).map(intent).collect(),
            parts,
        }
    }
}

/// Returns the text for an end reason.
pub(super) fn end_reason(reason: EndReason) -> String {
    reason.as_str().replace('_', " ")
}

impl Part {
    fn new(title: Option<String>, conversation: &Conversation, budget: &mut Budget) -> Self {
        let messages = &conversation.messages;
        let count = messages.len();
        let omitted = count.saturating_sub(MAX_MESSAGES);
        let half = if omitted > 0 { MAX_MESSAGES / 2 } else { count };
        let (first, rest) = messages.split_at(half);
        let start = first.first().map(|message| message.timestamp);
        let mut entries: Vec<_> =
            first.iter().map(|message| Entry::new(message, start, budget)).collect();
        if omitted > 0 {
            entries.push(Entry::Omitted { omitted });
        }
        entries.extend(rest.iter().skip(omitted).map(|it| Entry::new(it, start, budget)));
        let unsent = [ParticipantRole::Customer, ParticipantRole::Agent];
        entries.extend(unsent.into_iter().filter_map(|sender| {
            let calls = conversation.unsent_calls.iter().filter(|unsent| unsent.sender == sender);
            let calls = Calls::new(calls.map(|unsent| &unsent.call), budget);
            (!calls.shown.is_empty()).then_some(Entry::Unsent { sender: sender.as_str(), calls })
        }));
        Self { title, count, entries }
    }
}

impl Entry {
    fn new(message: &SentMessage, start: Option<jiff::Timestamp>, budget: &mut Budget) -> Self {
        let since =
            start.map_or(0.0, |start| message.timestamp.duration_since(start).as_secs_f64());
        Self::Message {
            sender: message.sender.as_str(),
            time: duration(since),
            calls: Calls::new(&message.tool_calls, budget),
            content: budget.take(&message.content),
        }
    }
}

impl Calls {
    fn new<'a>(calls: impl IntoIterator<Item = &'a MadeCall>, budget: &mut Budget) -> Self {
        let mut calls = calls.into_iter();
        let call = |call: &MadeCall| Call {
            name: budget.take_at_most(MAX_NAME, &call.name),
            arguments: budget.take(&call.arguments),
            result: budget.take(&call.result),
        };
        let shown = calls.by_ref().take(MAX_CALLS).map(call).collect();
        Self { shown, omitted: calls.count() }
    }
}
