//! Conversations and their messages.

use std::{fmt, time::Duration};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Outcome;

/// The role of a participant.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ParticipantRole {
    /// The customer, who has a concern.
    Customer,
    /// The agent, who answers customers.
    Agent,
}

impl ParticipantRole {
    /// Returns the role of the participant on the other side.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Customer => Self::Agent,
            Self::Agent => Self::Customer,
        }
    }

    /// Returns the name of the role in files: `customer` or `agent`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Customer => "customer",
            Self::Agent => "agent",
        }
    }
}

impl fmt::Display for ParticipantRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A tool call that a participant made before it wrote a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeCall {
    /// Name of the tool.
    pub name: String,
    /// The arguments as the model wrote them, normally a JSON object.
    pub arguments: String,
    /// The result, or the error that the model received instead.
    pub result: String,
}

/// A tool call in a turn without a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsentCall {
    /// Who made the call.
    pub sender: ParticipantRole,
    /// The number of messages in the conversation before the call.
    pub messages_before: usize,
    /// The call.
    #[serde(flatten)]
    pub call: MadeCall,
}

/// A message without a timestamp, which the runner assigns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageDraft {
    /// The text.
    pub content: String,
    /// Who writes the message.
    pub sender: ParticipantRole,
    /// The tool calls that the sender made for this message.
    pub tool_calls: Vec<MadeCall>,
    /// How long the sender takes to write the message.
    pub typing: Duration,
}

impl MessageDraft {
    /// Creates a message that takes no time to write.
    pub fn new(sender: ParticipantRole, content: impl Into<String>) -> Self {
        Self { content: content.into(), sender, tool_calls: Vec::new(), typing: Duration::ZERO }
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentMessage {
    /// The text.
    pub content: String,
    /// When the message was sent.
    pub timestamp: Timestamp,
    /// Who sent the message.
    pub sender: ParticipantRole,
    /// The tool calls that the sender made for this message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<MadeCall>,
}

/// A conversation, complete or in progress.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// The messages, oldest first.
    pub messages: Vec<SentMessage>,
    /// The tool calls of turns in which the participant passed or failed, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsent_calls: Vec<UnsentCall>,
    /// The outcome, if one was detected.
    #[serde(default)]
    pub outcome: Option<Outcome>,
}

/// Number of messages at the start and at the end that [`Conversation`]'s text form shows.
const SHOWN: usize = 10;

impl Conversation {
    /// Iterates over the messages of one side.
    pub fn messages_of(&self, sender: ParticipantRole) -> impl Iterator<Item = &SentMessage> {
        self.messages.iter().filter(move |message| message.sender == sender)
    }

    /// Returns the latest message.
    pub fn last_message(&self) -> Option<&SentMessage> {
        self.messages.last()
    }
}

/// One line for each message. Of more than 20 messages, the first and the last ten.
impl fmt::Display for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Conversation ({} messages)", self.messages.len())?;
        if let Some(Outcome { name, description }) = &self.outcome {
            write!(f, " - Outcome: {name}: {description}")?;
        }
        f.write_str(":")?;
        let line = |f: &mut fmt::Formatter<'_>, message: &SentMessage| {
            let sender = message.sender.as_str().to_uppercase();
            write!(f, "\n[{sender}] {}", message.content)
        };
        match self.messages.as_slice() {
            [] => f.write_str(" <empty>"),
            messages if messages.len() <= 2 * SHOWN => {
                messages.iter().try_for_each(|message| line(f, message))
            }
            messages => {
                messages[..SHOWN].iter().try_for_each(|message| line(f, message))?;
                f.write_str("\n...")?;
                messages[messages.len() - SHOWN..].iter().try_for_each(|message| line(f, message))
            }
        }
    }
}
