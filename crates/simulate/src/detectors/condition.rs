//! Conditions on conversations.

use mynah_core::base::condition::TextCondition;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Conversation, ParticipantRole, Pattern, SentMessage, UnsentCall};

/// A condition on the messages of a conversation after the initial message.
///
/// The sender, the content and the called tool must hold for the same message. In files, the keys are
/// `sender`, `content`, `tool_called`, `any`, `all` and `not`.
///
/// ```
/// use mynah_simulate::{ParticipantRole, Pattern, detectors::Condition};
/// let thanks = Condition::matches(Pattern::new("(?i)thanks")?).by(ParticipantRole::Customer);
/// let done = Condition::any(vec![thanks, Condition::tool_called("close_ticket")]);
/// # Ok::<(), mynah_simulate::PatternError>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "Parts")]
#[schemars(with = "Parts")]
pub struct Condition(Parts);

/// A condition on the messages of a conversation after the initial one. All parts must hold; the
/// sender, the content and the called tool for the same message.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Condition", extend("minProperties" = 1))]
struct Parts {
    /// Who sent the message.
    sender: Option<ParticipantRole>,
    /// The text of the message.
    content: Option<TextCondition>,
    /// The name of a tool that the sender called for the message, or in a turn without a message.
    tool_called: Option<String>,
    /// At least one of these conditions holds.
    #[schemars(length(min = 1))]
    any: Option<Vec<Condition>>,
    /// All these conditions hold, if necessary for different messages.
    #[schemars(length(min = 1))]
    all: Option<Vec<Condition>>,
    /// This condition does not hold for any message.
    not: Option<Box<Condition>>,
}

impl Condition {
    /// The condition that a message contains a text.
    pub fn contains(text: impl Into<String>) -> Self {
        Self(Parts { content: Some(TextCondition::contains(text)), ..Parts::default() })
    }

    /// The condition that a message matches a pattern.
    pub fn matches(pattern: Pattern) -> Self {
        let content = Some(TextCondition::matches(pattern.into_inner()));
        Self(Parts { content, ..Parts::default() })
    }

    /// The condition that a participant called a tool.
    pub fn tool_called(name: impl Into<String>) -> Self {
        Self(Parts { tool_called: Some(name.into()), ..Parts::default() })
    }

    /// Adds the condition that the message was sent by this participant.
    #[must_use]
    pub fn by(self, sender: ParticipantRole) -> Self {
        Self(Parts { sender: Some(sender), ..self.0 })
    }

    /// The condition that at least one of these conditions holds.
    pub fn any(conditions: Vec<Self>) -> Self {
        Self(Parts { any: Some(conditions), ..Parts::default() })
    }

    /// The condition that all these conditions hold.
    pub fn all(conditions: Vec<Self>) -> Self {
        Self(Parts { all: Some(conditions), ..Parts::default() })
    }

    /// The condition that a condition does not hold.
    #[expect(clippy::should_implement_trait, reason = "the name of the key in files")]
    pub fn not(condition: Self) -> Self {
        Self(Parts { not: Some(Box::new(condition)), ..Parts::default() })
    }

    /// Returns `true` if the condition holds for the conversation.
    pub fn holds(&self, conversation: &Conversation) -> bool {
        let Parts { any, all, not, .. } = &self.0;
        let holds = |condition: &Self| condition.holds(conversation);
        self.0.hold_for_a_message(conversation)
            && any.as_ref().is_none_or(|any| any.iter().any(holds))
            && all.as_ref().is_none_or(|all| all.iter().all(holds))
            && !not.as_deref().is_some_and(holds)
    }
}

impl Parts {
    fn hold_for_a_message(&self, conversation: &Conversation) -> bool {
        let has_no_parts =
            self.sender.is_none() && self.content.is_none() && self.tool_called.is_none();
        has_no_parts
            || conversation.messages.iter().skip(1).any(|message| self.hold_for(message))
            || conversation.unsent_calls.iter().any(|unsent| self.hold_for_unsent(unsent))
    }

    /// Calls without a message can be called tools, but have no content.
    fn hold_for_unsent(&self, unsent: &UnsentCall) -> bool {
        let Self { sender, content, tool_called, .. } = self;
        sender.is_none_or(|sender| unsent.sender == sender)
            && tool_called.as_ref().is_some_and(|name| unsent.call.name == *name)
            && content.is_none()
    }

    fn hold_for(&self, message: &SentMessage) -> bool {
        let Self { sender, content, tool_called, .. } = self;
        let calls = |tool: &String| message.tool_calls.iter().any(|call| call.name == *tool);
        sender.is_none_or(|sender| message.sender == sender)
            && tool_called.as_ref().is_none_or(calls)
            && content.as_ref().is_none_or(|content| content.holds(&message.content))
    }
}

impl TryFrom<Parts> for Condition {
    type Error = String;

    fn try_from(parts: Parts) -> Result<Self, String> {
        let Parts { sender, content, tool_called, any, all, not } = &parts;
        let of_messages = sender.is_some() || content.is_some() || tool_called.is_some();
        let of_conditions = any.is_some() || all.is_some() || not.is_some();
        if !of_messages && !of_conditions {
            let expected = "expected one of sender, content, tool_called, any, all and not";
            return Err(format!("the condition is empty; {expected}"));
        }
        for (key, list) in [("any", any), ("all", all)] {
            if list.as_ref().is_some_and(Vec::is_empty) {
                return Err(format!("`{key}` is empty; expected at least one condition"));
            }
        }
        Ok(Self(parts))
    }
}
