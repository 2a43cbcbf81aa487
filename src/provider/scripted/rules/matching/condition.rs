//! A condition, and whether it holds for a call.

use std::fmt::Display;

use regex::Regex;

use super::{
    MatchedCall, Mismatch,
    captures::{Captures, capture},
    count::{Bounds, Count},
    field::{Field, Searched},
    tool_result::ResultCondition,
};
use crate::{
    base::condition::TextCondition,
    chat::{Message, ToolChoice},
};

/// The least work of a condition, in steps.
const CONDITION: usize = 16;

/// A condition of a match.
#[derive(Debug, Clone)]
pub(super) enum Condition {
    Text(Field, TextCondition),
    Alpha(u8),
    Turn(Count),
    HasToolResult(bool),
    /// The history does not end with the results of tools, because the rule itself calls tools.
    AnswersNoResult,
    HasToolResultSinceUser(bool),
    Tool(String),
    ToolChoice(String),
    /// Whether there is a response format.
    ResponseFormat(bool),
    Metadata(String, TextCondition),
    Parameter(String, TextCondition),
    MaxTokens(Count),
    Temperature(Bounds<f64>),
    ScrubPii(bool),
    AnyMessage(TextCondition),
    LastToolResult(Box<ResultCondition>),
}

/// What a call must have for a condition to hold.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Requirement<'m> {
    /// One of the texts must meet the condition.
    Text(Searched, &'m TextCondition),
    /// The request must offer the tool.
    Tool(&'m str),
}

impl Condition {
    /// Returns `true` if the condition holds for a call.
    pub(super) fn holds(&self, call: &MatchedCall<'_>) -> bool {
        match self {
            Self::Alpha(version) => *version == call.alpha(),
            Self::Turn(count) => count.holds(call.turns()),
            Self::HasToolResult(expected) => *expected != call.results().is_empty(),
            Self::AnswersNoResult => call.results().is_empty(),
            Self::HasToolResultSinceUser(expected) => *expected == call.has_result_since_user(),
            Self::Tool(name) => call.offers(name),
            Self::ToolChoice(expected) => tool_choice(call) == expected,
            Self::ResponseFormat(expected) => *expected == call.request.response_format.is_some(),
            Self::Metadata(key, value) => {
                call.request.metadata.get(key).is_some_and(|it| value.holds(it))
            }
            Self::Parameter(name, value) => call.parameter(name).is_some_and(|it| value.holds(&it)),
            Self::MaxTokens(count) => call.max_tokens().is_some_and(|it| count.holds(it)),
            Self::Temperature(bounds) => {
                call.request.temperature.is_some_and(|it| bounds.holds(it))
            }
            Self::ScrubPii(expected) => *expected == call.request.scrubs_pii(),
            Self::Text(field, text) => field.of(call).is_some_and(|it| text.holds(it)),
            Self::AnyMessage(text) => newest(call, text).is_some(),
            Self::LastToolResult(result) => {
                result.eligible(call.results()).any(|it| result.holds(it))
            }
        }
    }

    /// Returns `true` if the condition is about the results of tools or the number of turns.
    pub(super) fn is_about_results(&self) -> bool {
        matches!(
            self,
            Self::Turn(_)
                | Self::HasToolResult(_)
                | Self::HasToolResultSinceUser(_)
                | Self::LastToolResult(_)
        )
    }

    /// Returns the work of checking the condition for a call, in steps.
    pub(super) fn work(&self, call: &MatchedCall<'_>) -> usize {
        let length = |text: Option<&str>| text.map_or(0, str::len);
        let steps = match self {
            Self::Text(field, text) => text.work(length(field.of(call))),
            Self::Metadata(key, text) => {
                text.work(length(call.request.metadata.get(key).map(String::as_str)))
            }
            Self::AnyMessage(text) => {
                text.work(call.request.messages.iter().map(Message::text_len).sum())
            }
            Self::LastToolResult(result) => result.work(call.results()),
            Self::Tool(_) => call.request.tools.len(),
            Self::Parameter(name, text) => text.work(length(call.parameter(name).as_deref())),
            Self::Alpha(_)
            | Self::Turn(_)
            | Self::MaxTokens(_)
            | Self::Temperature(_)
            | Self::ScrubPii(_)
            | Self::HasToolResult(_)
            | Self::AnswersNoResult
            | Self::HasToolResultSinceUser(_)
            | Self::ToolChoice(_)
            | Self::ResponseFormat(_) => call.request.messages.len(),
        };
        steps.saturating_add(CONDITION)
    }

    /// Adds what the pattern of a condition that holds captures.
    pub(super) fn capture(&self, call: &MatchedCall<'_>, captures: &mut Captures) {
        match self {
            Self::Metadata(key, text) => {
                let value = call.request.metadata.get(key).map(String::as_str);
                capture(text, value.unwrap_or_default(), captures);
            }
            Self::Parameter(name, text) => {
                capture(text, &call.parameter(name).unwrap_or_default(), captures);
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

    /// Returns the conditions on texts, without those on metadata and parameters, and the required
    /// tools.
    pub(super) fn requirements(&self) -> Vec<Requirement<'_>> {
        match self {
            Self::Text(field, text) => vec![Requirement::Text(Searched::One(*field), text)],
            Self::AnyMessage(text) => vec![Requirement::Text(Searched::AllMessages, text)],
            Self::LastToolResult(result) => {
                result.texts().map(|(texts, it)| Requirement::Text(texts, it)).collect()
            }
            Self::Tool(name) => vec![Requirement::Tool(name)],
            _ => Vec::new(),
        }
    }

    /// Returns the patterns of the conditions on texts.
    pub(super) fn patterns(&self) -> Vec<&Regex> {
        let of_requirement = |requirement| match requirement {
            Requirement::Text(_, text) => Some(text),
            Requirement::Tool(_) => None,
        };
        let texts: Vec<_> = match self {
            Self::Metadata(_, text) | Self::Parameter(_, text) => vec![text],
            _ => self.requirements().into_iter().filter_map(of_requirement).collect(),
        };
        texts.into_iter().filter_map(TextCondition::pattern).collect()
    }

    /// Describes a condition that does not hold for a call.
    pub(super) fn mismatch(&self, call: &MatchedCall<'_>) -> Mismatch {
        match self {
            Self::Alpha(version) => {
                Mismatch::new("alpha", version.to_string(), Some(&call.alpha().to_string()))
            }
            Self::Turn(count) => {
                Mismatch::new("turn", count.to_string(), Some(&call.turns().to_string()))
            }
            Self::HasToolResult(expected) => {
                Mismatch::new("has_tool_result", expected.to_string(), Some(bool_text(!expected)))
            }
            Self::AnswersNoResult => {
                let reason =
                    "because the rule calls tools and has no condition on results or turns";
                Mismatch::new("has_tool_result", format!("false, {reason}"), Some("true"))
            }
            Self::HasToolResultSinceUser(expected) => Mismatch::new(
                "has_tool_result_since_user",
                expected.to_string(),
                Some(bool_text(!expected)),
            ),
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
            Self::Parameter(name, value) => {
                let seen = call.parameter(name);
                of_text(&format!("parameters.{name}"), value, seen.as_deref())
            }
            Self::MaxTokens(count) => of_number("max_tokens", count, call.request.max_tokens),
            Self::Temperature(it) => of_number("temperature", it, call.request.temperature),
            Self::ScrubPii(expected) => {
                Mismatch::new("scrub_pii", expected.to_string(), Some(bool_text(!expected)))
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

fn of_number(key: &str, expected: impl Display, seen: Option<impl Display>) -> Mismatch {
    Mismatch::new(key, expected.to_string(), seen.map(|seen| seen.to_string()).as_deref())
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
