//! The messages in a history.

use std::borrow::Cow;

use super::ToolCall;

/// A message in a history.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Message {
    /// The role of the author, with the fields that are specific to the role.
    pub role: Role,
    /// Name of the participant, if the client provides one.
    pub name: Option<String>,
    /// The texts of the message, in order.
    pub parts: Vec<String>,
    /// The kinds of the parts that are not texts, in order.
    pub attachments: Vec<Attachment>,
}

/// The kind of a part that is not a text. Its content is not kept, because no provider reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attachment {
    /// An image.
    Image,
    /// A recording.
    Audio,
    /// A file of any other type.
    File,
}

/// The role of a message's author.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Role {
    /// The developer of the application.
    Developer,
    /// The system prompt.
    System,
    /// The person or program that uses the application.
    User,
    /// The model.
    Assistant {
        /// The tool calls that the model made.
        tool_calls: Vec<ToolCall>,
    },
    /// A tool, which returns the result of a call.
    Tool {
        /// Id of the call.
        id: Option<String>,
        /// Name of the tool.
        name: String,
    },
}

impl Role {
    /// Returns the name of the role.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Developer => "developer",
            Self::System => "system",
            Self::User => "user",
            Self::Assistant { .. } => "assistant",
            Self::Tool { .. } => "tool",
        }
    }
}

impl Message {
    /// Creates a message with one text and no name.
    ///
    /// ```
    /// use mynah_core::chat::{Message, Role};
    /// assert_eq!(Message::new(Role::User, "hello").text(), "hello");
    /// ```
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, name: None, parts: vec![text.into()], attachments: Vec::new() }
    }

    /// Creates a message of the user.
    ///
    /// ```
    /// use mynah_core::chat::Message;
    /// let history = [
    ///     Message::system("Be brief."),
    ///     Message::user("Hello!"),
    ///     Message::assistant("Hi."),
    ///     Message::tool("call_1", "get_time", "12:30"),
    /// ];
    /// # assert_eq!(history.each_ref().map(Message::text), ["Be brief.", "Hello!", "Hi.", "12:30"]);
    /// ```
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, text)
    }

    /// Creates a message of the model that calls no tools.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant { tool_calls: Vec::new() }, text)
    }

    /// Creates a system prompt.
    pub fn system(text: impl Into<String>) -> Self {
        Self::new(Role::System, text)
    }

    /// Creates a message with the result of the call with this id to the tool with this name.
    pub fn tool(id: impl Into<String>, name: impl Into<String>, result: impl Into<String>) -> Self {
        Self::new(Role::Tool { id: Some(id.into()), name: name.into() }, result)
    }

    /// Returns the parts joined by line breaks.
    pub fn text(&self) -> Cow<'_, str> {
        match self.parts.as_slice() {
            [] => Cow::Borrowed(""),
            [part] => Cow::Borrowed(part),
            parts => Cow::Owned(parts.join("\n")),
        }
    }

    /// Returns the length of [`text`](Self::text) in bytes, without joining the parts.
    pub fn text_len(&self) -> usize {
        let breaks = self.parts.len().saturating_sub(1);
        self.parts.iter().map(String::len).sum::<usize>() + breaks
    }

    /// Returns roughly the size of the message in bytes.
    pub fn size(&self) -> usize {
        let calls = self.tool_calls();
        let attachments = size_of_val(self.attachments.as_slice());
        let calls = calls.iter().map(ToolCall::size).sum::<usize>();
        size_of::<Self>() + self.text_len() + attachments + calls
    }

    /// Returns the tool calls that the message makes.
    pub fn tool_calls(&self) -> &[ToolCall] {
        match &self.role {
            Role::Assistant { tool_calls } => tool_calls,
            _ => &[],
        }
    }
}
