//! A condition, and whether it holds for a call.

use std::{collections::BTreeSet, slice, sync::Arc};

use mynah_core::{
    base::condition::TextCondition,
    chat::{Attachment, Message, ToolChoice},
};
use regex::Regex;

use super::{
    MatchedCall,
    captures::{Captures, capture},
    count::{Bounds, Count},
    field::{Field, Searched},
    request::{Normalizer, RequestCondition},
    tool_result::ResultCondition,
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
    HasResponseFormat(bool),
    /// A condition on the JSON of the response format.
    ResponseFormat(TextCondition),
    Metadata(String, TextCondition),
    Parameter(String, TextCondition),
    MaxTokens(Count),
    Temperature(Bounds<f64>),
    ScrubPii(bool),
    AnyMessage(TextCondition),
    LastToolResult(Box<ResultCondition>),
    /// A condition on one of the tool calls in the history.
    AnyToolCall(Box<ResultCondition>),
    /// The request offers these tools and no others.
    OfferedOnly(BTreeSet<String>),
    /// Whether the last user message has a part of this kind.
    Has(Attachment, bool),
    /// The request is the recorded one.
    Request(Box<RequestCondition>),
    /// At least one of these conditions does not hold.
    Not(Vec<Self>),
    /// All conditions of one of these lists hold.
    AnyOf(Vec<Vec<Self>>),
}

/// What a call must have for a condition to hold.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Requirement<'m> {
    /// One of the texts must meet the condition.
    Text(Searched, &'m TextCondition),
    /// The request must offer the tool.
    Tool(&'m str),
    /// The request must be the recorded one.
    Request(&'m RequestCondition),
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
            Self::HasResponseFormat(expected) => {
                *expected == call.request.response_format.is_some()
            }
            Self::ResponseFormat(json) => call.response_format().is_some_and(|it| json.holds(it)),
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
            Self::AnyToolCall(of_call) => {
                of_call.eligible(call.tool_calls()).any(|it| of_call.holds(it))
            }
            Self::OfferedOnly(names) => {
                let offered: BTreeSet<_> = call.request.tools.iter().map(|it| &it.name).collect();
                names.iter().eq(offered)
            }
            Self::Has(kind, expected) => *expected == call.has(*kind),
            Self::Request(recorded) => call.has_request(recorded),
            Self::Not(conditions) => !all_hold(conditions, call),
            Self::AnyOf(lists) => lists.iter().any(|conditions| all_hold(conditions, call)),
        }
    }

    /// Returns `true` if the condition is about the results of tools or the number of turns.
    pub(super) fn is_about_results(&self) -> bool {
        match self {
            Self::Turn(_)
            | Self::HasToolResult(_)
            | Self::HasToolResultSinceUser(_)
            | Self::AnyToolCall(_)
            | Self::Request(_)
            | Self::LastToolResult(_) => true,
            _ => self.nested().any(Self::is_about_results),
        }
    }

    /// Returns `true` if the condition can hold only if the history ends with the results of tools, and if
    /// it does, with those of the tools that the call has.
    pub(super) fn expects_results(&self, call: &MatchedCall<'_>) -> bool {
        match self {
            Self::HasToolResult(expected) => *expected,
            Self::LastToolResult(result) => {
                call.results().is_empty() || result.is_of_tool(call.results())
            }
            Self::AnyOf(lists) => {
                lists.iter().all(|list| list.iter().any(|it| it.expects_results(call)))
            }
            _ => false,
        }
    }

    /// Returns `true` if the condition is about the text at the end of the history: what the user or a
    /// tool has said last.
    pub(super) fn is_about_question(&self) -> bool {
        match self {
            Self::Text(Field::User(_) | Field::LastMessage, _)
            | Self::LastToolResult(_)
            | Self::Request(_) => true,
            _ => self.nested().any(Self::is_about_question),
        }
    }

    /// Uses the normalization of a file.
    pub(super) fn set_normalizer(&mut self, normalizer: &Arc<Normalizer>) {
        match self {
            Self::Request(request) => request.set_normalizer(normalizer),
            Self::Not(conditions) => {
                conditions.iter_mut().for_each(|it| it.set_normalizer(normalizer));
            }
            Self::AnyOf(lists) => {
                lists.iter_mut().flatten().for_each(|it| it.set_normalizer(normalizer));
            }
            _ => {}
        }
    }

    /// Returns the conditions inside of this one.
    fn nested(&self) -> impl Iterator<Item = &Self> {
        let lists = match self {
            Self::Not(conditions) => slice::from_ref(conditions),
            Self::AnyOf(lists) => lists.as_slice(),
            _ => &[],
        };
        lists.iter().flatten()
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
            Self::AnyToolCall(of_call) => of_call.work(call.tool_calls()),
            Self::Tool(_) => call.request.tools.len(),
            Self::OfferedOnly(names) => call.request.tools.len().saturating_add(names.len()),
            Self::Not(_) | Self::AnyOf(_) => {
                self.nested().map(|it| it.work(call)).fold(0, usize::saturating_add)
            }
            Self::Parameter(name, text) => text.work(length(call.parameter(name).as_deref())),
            Self::ResponseFormat(json) => json.work(length(call.response_format())),
            Self::Request(_) => call.request.size(),
            Self::Alpha(_)
            | Self::Turn(_)
            | Self::MaxTokens(_)
            | Self::Temperature(_)
            | Self::ScrubPii(_)
            | Self::Has(..)
            | Self::HasToolResult(_)
            | Self::AnswersNoResult
            | Self::HasToolResultSinceUser(_)
            | Self::ToolChoice(_)
            | Self::HasResponseFormat(_) => call.request.messages.len(),
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
            Self::ResponseFormat(json) => {
                capture(json, call.response_format().unwrap_or_default(), captures);
            }
            Self::AnyMessage(text) if text.pattern().is_some() => {
                if let Some(message) = newest(call, text) {
                    capture(text, &message.text(), captures);
                }
            }
            Self::LastToolResult(result) => result.capture(call.results(), captures),
            Self::AnyToolCall(of_call) => of_call.capture(call.tool_calls(), captures),
            Self::AnyOf(lists) => {
                let holding = lists.iter().find(|conditions| all_hold(conditions, call));
                holding.into_iter().flatten().for_each(|it| it.capture(call, captures));
            }
            _ => {}
        }
    }

    /// Returns the names of the groups that the patterns capture. Only one list of `AnyOf` captures, so
    /// several lists may have the same names.
    pub(super) fn capture_names(&self) -> Vec<&str> {
        match self {
            Self::Not(_) => Vec::new(),
            Self::AnyOf(_) => {
                let names: BTreeSet<_> = self.nested().flat_map(Self::capture_names).collect();
                names.into_iter().collect()
            }
            _ => {
                let patterns = self.patterns().into_iter();
                patterns.flat_map(|pattern| pattern.capture_names().flatten()).collect()
            }
        }
    }

    /// Returns the conditions on texts, without those on metadata and parameters, and the required
    /// tools. Conditions inside of this one need not hold.
    pub(super) fn requirements(&self) -> Vec<Requirement<'_>> {
        match self {
            Self::Text(field, text) => vec![Requirement::Text(Searched::One(*field), text)],
            Self::AnyMessage(text) => vec![Requirement::Text(Searched::AllMessages, text)],
            Self::LastToolResult(result) => {
                result.texts().map(|(texts, it)| Requirement::Text(texts, it)).collect()
            }
            Self::Tool(name) => vec![Requirement::Tool(name)],
            Self::OfferedOnly(names) => names.iter().map(|name| Requirement::Tool(name)).collect(),
            Self::Request(recorded) => vec![Requirement::Request(recorded)],
            _ => Vec::new(),
        }
    }

    /// Returns the patterns of the conditions on texts.
    pub(super) fn patterns(&self) -> Vec<&Regex> {
        let of_requirement = |requirement| match requirement {
            Requirement::Text(_, text) => Some(text),
            Requirement::Tool(_) | Requirement::Request(_) => None,
        };
        let texts: Vec<_> = match self {
            Self::Metadata(_, text) | Self::Parameter(_, text) | Self::ResponseFormat(text) => {
                vec![text]
            }
            Self::Not(_) | Self::AnyOf(_) => {
                return self.nested().flat_map(Self::patterns).collect();
            }
            Self::AnyToolCall(of_call) => of_call.texts().map(|(_, text)| text).collect(),
            _ => self.requirements().into_iter().filter_map(of_requirement).collect(),
        };
        texts.into_iter().filter_map(TextCondition::pattern).collect()
    }
}

/// Returns `true` if all conditions hold for a call.
pub(super) fn all_hold(conditions: &[Condition], call: &MatchedCall<'_>) -> bool {
    conditions.iter().all(|condition| condition.holds(call))
}

/// Returns the newest message for whose text the condition holds.
pub(super) fn newest<'c>(call: &MatchedCall<'c>, condition: &TextCondition) -> Option<&'c Message> {
    call.request.messages.iter().rev().find(|message| condition.holds(&message.text()))
}

pub(super) fn tool_choice<'c>(call: &MatchedCall<'c>) -> &'c str {
    match &call.request.tool_choice {
        ToolChoice::Auto => "auto",
        ToolChoice::None => "none",
        ToolChoice::Required => "required",
        ToolChoice::Tool(name) => name,
    }
}
