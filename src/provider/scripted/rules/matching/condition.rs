//! A condition, and whether it holds for a call.

use super::{
    MatchedCall, Mismatch,
    captures::{Captures, capture},
    count::Count,
    name::NameCondition,
    tool_result::ResultCondition,
};
use crate::{
    base::condition::TextCondition,
    chat::{Message, ToolChoice},
};

/// A condition of a match.
#[derive(Debug, Clone)]
pub(super) enum Condition {
    Name(NameField, NameCondition),
    Alpha(u8),
    Turn(Count),
    HasToolResult(bool),
    Tool(String),
    ToolChoice(String),
    /// Whether there is a response format.
    ResponseFormat(bool),
    Metadata(String, TextCondition),
    Text(TextField, TextCondition),
    AnyMessage(TextCondition),
    LastToolResult(Box<ResultCondition>),
}

/// A name in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameField {
    Component,
    Model,
    Session,
    ContextId,
}

/// A text in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TextField {
    User,
    System,
    LastMessage,
}

impl Condition {
    /// Returns `true` if the condition holds for a call.
    pub(super) fn holds(&self, call: &MatchedCall<'_>) -> bool {
        match self {
            Self::Name(field, name) => field.of(call).is_some_and(|it| name.0.holds(it)),
            Self::Alpha(version) => *version == call.alpha(),
            Self::Turn(count) => count.holds(call.turns()),
            Self::HasToolResult(expected) => *expected != call.results().is_empty(),
            Self::Tool(name) => call.offers(name),
            Self::ToolChoice(expected) => tool_choice(call) == expected,
            Self::ResponseFormat(expected) => *expected == call.request.response_format.is_some(),
            Self::Metadata(key, value) => {
                call.request.metadata.get(key).is_some_and(|it| value.holds(it))
            }
            Self::Text(field, text) => field.of(call).is_some_and(|it| text.holds(it)),
            Self::AnyMessage(text) => newest(call, text).is_some(),
            Self::LastToolResult(result) => {
                result.eligible(call.results()).any(|it| result.holds(it))
            }
        }
    }

    /// Adds what the pattern of a condition that holds captures.
    pub(super) fn capture(&self, call: &MatchedCall<'_>, captures: &mut Captures) {
        match self {
            Self::Name(field, NameCondition(text)) => {
                capture(text, field.of(call).unwrap_or_default(), captures);
            }
            Self::Metadata(key, text) => {
                let value = call.request.metadata.get(key).map(String::as_str);
                capture(text, value.unwrap_or_default(), captures);
            }
            Self::Text(field, text) => {
                capture(text, field.of(call).unwrap_or_default(), captures);
            }
            Self::AnyMessage(text) if text.pattern().is_some() => {
                if let Some(message) = newest(call, text) {
                    capture(text, &message.text(), captures);
                }
            }
            Self::LastToolResult(result) => {
                if let Some(found) = result.eligible(call.results()).find(|it| result.holds(it)) {
                    result.capture(found, captures);
                }
            }
            _ => {}
        }
    }

    /// Returns the conditions on texts.
    pub(super) fn texts(&self) -> Vec<&TextCondition> {
        match self {
            Self::Name(_, NameCondition(text))
            | Self::Metadata(_, text)
            | Self::Text(_, text)
            | Self::AnyMessage(text) => vec![text],
            Self::LastToolResult(result) => result.texts().collect(),
            _ => Vec::new(),
        }
    }

    /// Describes a condition that does not hold for a call.
    pub(super) fn mismatch(&self, call: &MatchedCall<'_>) -> Mismatch {
        match self {
            Self::Name(field, name) => of_text(field.key(), &name.0, field.of(call)),
            Self::Alpha(version) => {
                Mismatch::new("alpha", version.to_string(), Some(&call.alpha().to_string()))
            }
            Self::Turn(count) => {
                Mismatch::new("turn", count.to_string(), Some(&call.turns().to_string()))
            }
            Self::HasToolResult(expected) => {
                Mismatch::new("has_tool_result", expected.to_string(), Some(bool_text(!expected)))
            }
            Self::Tool(name) => {
                Mismatch::new("tools", format!("{name:?}"), offered(call).as_deref())
            }
            Self::ToolChoice(name) => {
                Mismatch::new("tool_choice", format!("{name:?}"), Some(tool_choice(call)))
            }
            Self::ResponseFormat(expected) => {
                Mismatch::new("response_format", presence(*expected), Some(presence(!expected)))
            }
            Self::Metadata(key, value) => {
                let seen = call.request.metadata.get(key).map(String::as_str);
                of_text(&format!("metadata.{key}"), value, seen)
            }
            Self::Text(field, text) => of_text(field.key(), text, field.of(call)),
            Self::AnyMessage(text) => Mismatch::new("any_message", text.description(), None),
            Self::LastToolResult(result) => of_result(result, call),
        }
    }
}

fn of_text(key: &str, condition: &TextCondition, seen: Option<&str>) -> Mismatch {
    let expected = seen.and_then(|seen| condition.failure(seen));
    Mismatch::new(key, expected.unwrap_or_else(|| condition.description()), seen)
}

fn of_result(condition: &ResultCondition, call: &MatchedCall<'_>) -> Mismatch {
    const KEY: &str = "last_tool_result";
    let eligible = || condition.eligible(call.results());
    let shown = eligible().find(|result| condition.selects(result)).or_else(|| eligible().next());
    match shown.and_then(|result| condition.failure(result)) {
        Some((key, expected, seen)) => {
            Mismatch::new(format!("{KEY}{key}"), expected, seen.as_deref())
        }
        None => Mismatch::new(KEY, condition.description(), None),
    }
}

/// Returns the newest message for whose text the condition holds.
fn newest<'c>(call: &MatchedCall<'c>, condition: &TextCondition) -> Option<&'c Message> {
    call.request.messages.iter().rev().find(|message| condition.holds(&message.text()))
}

fn tool_choice<'c>(call: &MatchedCall<'c>) -> &'c str {
    match &call.request.tool_choice {
        ToolChoice::Auto => "auto",
        ToolChoice::None => "none",
        ToolChoice::Required => "required",
        ToolChoice::Tool(name) => name,
    }
}

/// Lists the offered tools.
fn offered(call: &MatchedCall<'_>) -> Option<String> {
    let names: Vec<_> = call.request.tools.iter().map(|tool| tool.name.as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn bool_text(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

fn presence(is_present: bool) -> &'static str {
    if is_present { "present" } else { "absent" }
}

impl NameField {
    /// Returns the name in a call.
    pub(super) fn of<'c>(self, call: &MatchedCall<'c>) -> Option<&'c str> {
        match self {
            Self::Component => Some(call.component),
            Self::Model => call.model,
            Self::Session => Some(call.session),
            Self::ContextId => call.request.context_id.as_deref(),
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Component => "component",
            Self::Model => "model",
            Self::Session => "session",
            Self::ContextId => "context_id",
        }
    }
}

impl TextField {
    /// Returns the text in a call.
    pub(super) fn of<'t>(self, call: &'t MatchedCall<'_>) -> Option<&'t str> {
        match self {
            Self::User => call.user(),
            Self::System => call.system(),
            Self::LastMessage => call.last_message(),
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::System => "system",
            Self::LastMessage => "last_message",
        }
    }
}
