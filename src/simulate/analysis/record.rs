//! A line of results.jsonl, as far as it is analysed.

use std::borrow::Cow;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use crate::simulate::EndReason;

/// The result of a conversation, without the texts of its messages.
#[derive(Deserialize)]
pub(super) struct Record<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) scenario: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) original: Option<OriginalRecord<'a>>,
    #[serde(borrow)]
    pub(super) conversation: ConversationRecord<'a>,
    pub(super) duration: f64,
    pub(super) end_reason: EndReason,
    #[serde(default)]
    pub(super) error: Option<String>,
}

/// The recorded conversation.
#[derive(Deserialize)]
pub(super) struct OriginalRecord<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    /// The JSON of the conversation.
    #[serde(borrow)]
    pub(super) conversation: &'a RawValue,
    #[serde(default)]
    pub(super) predicted_outcome: Option<String>,
    #[serde(default)]
    prediction_error: Option<IgnoredAny>,
}

impl OriginalRecord<'_> {
    /// Returns `true` if the detectors failed.
    pub(super) fn is_unpredicted(&self) -> bool {
        self.prediction_error.is_some()
    }
}

#[derive(Deserialize)]
pub(super) struct ConversationRecord<'a> {
    #[serde(borrow)]
    pub(super) messages: Vec<MessageRecord<'a>>,
    #[serde(borrow, default)]
    pub(super) unsent_calls: Vec<ToolCallRecord<'a>>,
    #[serde(borrow, default)]
    outcome: Option<OutcomeRecord<'a>>,
}

#[derive(Deserialize)]
pub(super) struct MessageRecord<'a> {
    #[serde(borrow, default)]
    pub(super) tool_calls: Vec<ToolCallRecord<'a>>,
}

#[derive(Deserialize)]
pub(super) struct ToolCallRecord<'a> {
    #[serde(borrow)]
    pub(super) name: Cow<'a, str>,
}

#[derive(Deserialize)]
struct OutcomeRecord<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
}

impl ConversationRecord<'_> {
    pub(super) fn outcome(&self) -> Option<&str> {
        self.outcome.as_ref().map(|outcome| &*outcome.name)
    }
}
