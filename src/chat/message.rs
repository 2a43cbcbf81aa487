use std::borrow::Cow;

use super::ToolCall;

/// One message of a history.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks, with what only that speaker can say.
    pub role: Role,
    /// Name of the participant, where the client gave one.
    pub name: Option<String>,
    /// The texts of the message, in order.
    pub parts: Vec<String>,
}

/// Who speaks.
#[derive(Debug, Clone, PartialEq)]
pub enum Role {
    /// The developer of the application.
    Developer,
    /// The system prompt.
    System,
    /// The person, or program, that asks.
    User,
    /// The model, in an earlier turn.
    Assistant {
        /// The tools that it called then.
        tool_calls: Vec<ToolCall>,
    },
    /// A tool that was called.
    Tool {
        /// Id of the call that this answers.
        id: Option<String>,
        /// Name of the tool.
        name: String,
    },
}

impl Message {
    /// A message of one text, without a name.
    ///
    /// ```
    /// use mynah::chat::{Message, Role};
    /// assert_eq!(Message::new(Role::User, "hello").text(), "hello");
    /// ```
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, name: None, parts: vec![text.into()] }
    }

    /// The parts, joined by line breaks.
    pub fn text(&self) -> Cow<'_, str> {
        match self.parts.as_slice() {
            [] => Cow::Borrowed(""),
            [part] => Cow::Borrowed(part),
            parts => Cow::Owned(parts.join("\n")),
        }
    }

    /// The length in bytes of [`text`](Self::text), without joining.
    pub fn text_len(&self) -> usize {
        let breaks = self.parts.len().saturating_sub(1);
        self.parts.iter().map(String::len).sum::<usize>() + breaks
    }
}
