//! What conditions expect, and what a call has.

use std::{collections::BTreeSet, fmt::Display};

use mynah_core::{
    base::{condition::TextCondition, text::shorten},
    chat::{Attachment, Message},
};

use super::{
    MatchedCall, Mismatch,
    call::ToolText,
    condition::{Condition, all_hold, newest, tool_choice},
    request::{Difference, RequestCondition},
    response_format::presence,
    tool_result::ResultCondition,
};

/// Maximum number of characters of a list of names.
const MAX_SHOWN: usize = 1_000;

impl Condition {
    /// Says what the condition expects and what the call has, whether or not it holds.
    fn comparisons(&self, call: &MatchedCall<'_>) -> Vec<Mismatch> {
        let comparison = match self {
            Self::Alpha(version) => {
                Mismatch::new("alpha", version.to_string(), Some(&call.alpha().to_string()))
            }
            Self::Turn(count) => {
                Mismatch::new("turn", count.to_string(), Some(&call.turns().to_string()))
            }
            Self::HasToolResult(expected) => {
                of_flag("has_tool_result", *expected, !call.results().is_empty())
            }
            Self::AnswersNoResult => {
                let reason =
                    "because the rule calls tools and has no condition on results or turns";
                Mismatch::new("has_tool_result", format!("false, {reason}"), Some("true"))
            }
            Self::HasToolResultSinceUser(expected) => {
                let seen = call.has_result_since_user();
                of_flag("has_tool_result_since_user", *expected, seen)
            }
            Self::Tool(name) => {
                Mismatch::new("tools", format!("{name:?}"), offered(call).as_deref())
            }
            Self::ToolChoice(name) => {
                Mismatch::new("tool_choice", format!("{name:?}"), Some(tool_choice(call)))
            }
            Self::HasResponseFormat(expected) => {
                let seen = presence(call.request.response_format.is_some());
                Mismatch::new("response_format", presence(*expected), Some(seen))
            }
            Self::ResponseFormat(json) => of_text("response_format", json, call.response_format()),
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
            Self::ScrubPii(expected) => of_flag("scrub_pii", *expected, call.request.scrubs_pii()),
            Self::Text(field, text) => of_text(field.key(), text, field.of(call)),
            Self::AnyMessage(text) => {
                let seen = newest(call, text).map(Message::text);
                Mismatch::new("any_message", text.description(), seen.as_deref())
            }
            Self::LastToolResult(result) => {
                of_tool("last_tool_result", result, "result", call.results())
            }
            Self::AnyToolCall(of_call) => {
                of_tool("any_tool_call", of_call, "call", call.tool_calls())
            }
            Self::OfferedOnly(names) => of_offered(names, call),
            Self::Has(kind, expected) => of_flag(has_key(*kind), *expected, call.has(*kind)),
            Self::Request(recorded) => return of_request(recorded, call),
            Self::Not(conditions) => {
                let deciding = deciding(conditions, call).into_iter();
                return deciding.map(|it| it.negated().within("not")).collect();
            }
            Self::AnyOf(lists) => return of_lists(lists, call),
        };
        vec![comparison]
    }
}

/// Returns the comparisons that decide whether all conditions hold: those of the conditions that do not
/// hold, or else all.
pub(super) fn deciding(conditions: &[Condition], call: &MatchedCall<'_>) -> Vec<Mismatch> {
    let all_hold = all_hold(conditions, call);
    let deciding = conditions.iter().filter(|it| all_hold || !it.holds(call));
    deciding.flat_map(|it| it.comparisons(call)).collect()
}

/// Returns the comparisons that decide whether the conditions of one of the lists hold.
fn of_lists(lists: &[Vec<Condition>], call: &MatchedCall<'_>) -> Vec<Mismatch> {
    let one_holds = lists.iter().any(|conditions| all_hold(conditions, call));
    let deciding_lists = lists.iter().zip(1..).filter(|(it, _)| all_hold(it, call) == one_holds);
    let comparisons = deciding_lists.flat_map(|(conditions, number): (_, usize)| {
        let comparisons = deciding(conditions, call).into_iter();
        comparisons.map(move |it| it.within(&format!("any_of.{number}")))
    });
    comparisons.collect()
}

/// Compares a request with the recorded one.
fn of_request(recorded: &RequestCondition, call: &MatchedCall<'_>) -> Vec<Mismatch> {
    let differences = recorded.differences(&call.redacted(recorded.normalizer()));
    let mismatch = |Difference { path, expected, seen }| {
        let key = format!("request.{path}");
        let expected = match expected {
            Some(expected) => {
                return of_text(&key, &TextCondition::equals(expected), seen.as_deref());
            }
            None => "nothing",
        };
        Mismatch::new(key, expected, seen.as_deref())
    };
    if differences.is_empty() {
        return vec![Mismatch::new("request", "the recorded one", Some("the recorded one"))];
    }
    differences.into_iter().map(mismatch).collect()
}

fn of_text(key: &str, condition: &TextCondition, seen: Option<&str>) -> Mismatch {
    match seen.and_then(|seen| condition.failure(seen)) {
        Some(failure) => Mismatch::new(key, failure.expected, Some(&failure.seen)),
        None => Mismatch::new(key, condition.description(), seen),
    }
}

fn of_number(key: &str, expected: impl Display, seen: Option<impl Display>) -> Mismatch {
    Mismatch::new(key, expected.to_string(), seen.map(|seen| seen.to_string()).as_deref())
}

/// Compares the results or the calls of tools.
fn of_tool(key: &str, condition: &ResultCondition, what: &str, texts: &[ToolText<'_>]) -> Mismatch {
    let eligible = || condition.eligible(texts);
    if let Some(found) = eligible().find(|text| condition.holds(text)) {
        return Mismatch::new(key, condition.description(what), Some(&found.text));
    }
    let shown = eligible().find(|result| condition.selects(result)).or_else(|| eligible().next());
    match shown.and_then(|result| condition.failure(result)) {
        Some((part, expected, seen)) => {
            Mismatch::new(format!("{key}{part}"), expected, seen.as_deref())
        }
        None => Mismatch::new(key, condition.description(what), None),
    }
}

fn of_flag(key: &str, expected: bool, seen: bool) -> Mismatch {
    Mismatch::new(key, expected.to_string(), Some(bool_text(seen)))
}

fn of_offered(names: &BTreeSet<String>, call: &MatchedCall<'_>) -> Mismatch {
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let expected = if names.is_empty() { "no tools".to_owned() } else { names.join(", ") };
    Mismatch::new("offered_only", shorten(&expected, MAX_SHOWN), offered(call).as_deref())
}

/// Lists the offered tools.
fn offered(call: &MatchedCall<'_>) -> Option<String> {
    let names: Vec<_> = call.request.tools.iter().map(|tool| tool.name.as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn bool_text(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

fn has_key(kind: Attachment) -> &'static str {
    match kind {
        Attachment::Image => "has_image",
        Attachment::Audio => "has_audio",
        Attachment::File => "has_file",
    }
}
