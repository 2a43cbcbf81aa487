//! The result of a conversation.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use super::{Clock, Conversation, Intent};

/// The result of a simulated conversation, also of one that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationResult {
    /// The conversation. If a participant or a detector failed, what was said before.
    pub conversation: Conversation,
    /// The time from the first to the last message.
    #[serde(with = "seconds")]
    pub duration: Duration,
    /// What the times of the conversation follow. Left out in files if they are virtual.
    #[serde(default, skip_serializing_if = "Clock::is_virtual")]
    pub clock: Clock,
    /// What the participants wanted, given or inferred from the conversation.
    #[serde(default)]
    pub intents: Vec<Intent>,
    /// Why the conversation ended.
    pub end_reason: EndReason,
    /// The error, if a participant or a detector failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The error of a conversation that panicked.
pub(super) const PANICKED: &str = "the conversation panicked; the log has the reason";

impl ConversationResult {
    /// Creates the result of a conversation that has no messages because of an error.
    pub(super) fn not_started(end_reason: EndReason, error: &str) -> Self {
        Self {
            conversation: Conversation::default(),
            duration: Duration::ZERO,
            clock: Clock::default(),
            intents: Vec::new(),
            end_reason,
            error: Some(error.to_owned()),
        }
    }

    /// Returns the name of the outcome, if one was detected.
    pub fn outcome_name(&self) -> Option<&str> {
        self.conversation.outcome.as_ref().map(|outcome| outcome.name.as_str())
    }
}

impl fmt::Display for ConversationResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (messages, seconds) = (self.conversation.messages.len(), self.duration.as_secs_f64());
        write!(f, "ConversationResult: {messages} messages, {seconds:.2}s")?;
        self.outcome_name().map_or(Ok(()), |name| write!(f, " - {name}"))
    }
}

/// Why a conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// Both participants passed, one after the other.
    BothPassed,
    /// The conversation reached its maximum number of messages.
    MaxMessages,
    /// A detector found an outcome, and no messages may follow it.
    Outcome,
    /// A detector found an outcome, and the messages that may follow it were sent.
    OutcomeFollowup,
    /// No message was sent for too long.
    Timeout,
    /// A message matched a pattern that ends conversations.
    Pattern,
    /// A model judged the conversation to be complete.
    Judged,
    /// A model judged the goal of the customer to be reached.
    Goal,
    /// A participant failed.
    ParticipantError,
    /// A detector failed.
    DetectorError,
    /// The run was cancelled.
    Cancelled,
}

impl EndReason {
    /// Returns the name of the reason in files, such as `both_passed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BothPassed => "both_passed",
            Self::MaxMessages => "max_messages",
            Self::Outcome => "outcome",
            Self::OutcomeFollowup => "outcome_followup",
            Self::Timeout => "timeout",
            Self::Pattern => "pattern",
            Self::Judged => "judged",
            Self::Goal => "goal",
            Self::ParticipantError => "participant_error",
            Self::DetectorError => "detector_error",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns `true` if a participant or a detector failed.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::ParticipantError | Self::DetectorError)
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The record of a conversation in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimulatedConversation {
    /// Id of the conversation, such as `refund-17`.
    pub id: String,
    /// Position of the conversation in the run, starting at 0.
    pub index: usize,
    /// Id of the scenario.
    pub scenario: String,
    /// The recorded conversation that the scenario was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<OriginalConversation>,
    /// The result.
    #[serde(flatten)]
    pub result: ConversationResult,
}

/// A recorded conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OriginalConversation {
    /// Id of the conversation in the recording.
    pub id: String,
    /// The conversation with its recorded outcome.
    pub conversation: Conversation,
    /// The name of the outcome that the detectors find in it, if any.
    #[serde(default)]
    pub predicted_outcome: Option<String>,
    /// The error, if the detectors failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prediction_error: Option<String>,
}

impl OriginalConversation {
    /// Creates a conversation for which the detectors have not run.
    pub(super) fn new(id: String, conversation: Conversation) -> Self {
        Self { id, conversation, predicted_outcome: None, prediction_error: None }
    }
}

/// Durations as seconds.
mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(time.as_secs_f64())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(from)?).map_err(D::Error::custom)
    }
}
