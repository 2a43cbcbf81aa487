//! Compares a call with a call that is written as text.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Arguments,
    arguments::canonical_json,
    call::{ValueText, is_truncated, parameters_text, plain_text, quoted_text},
    label::{self, CALL, display_name, tool_name},
    schema,
};

/// Returns `true` if `text` is a way to write this call. Text does not tell strings from other
/// values, and truncated values are equal to nothing.
pub(super) fn is_written_as(text: &str, name: &str, arguments: &Arguments) -> bool {
    let Some(call) = label::strip(text, CALL).and_then(|call| call.strip_prefix("Executing "))
    else {
        return false;
    };
    let (written_name, parameters) = call.split_once(" with parameters:").unwrap_or((call, ""));
    if tool_name(written_name) != tool_name(&display_name(name)) {
        return false;
    }
    let parameters = parameters.strip_prefix(' ').unwrap_or(parameters);
    let writes = [plain_text as ValueText, quoted_text].into_iter().any(|text_of| {
        let is_whole = !arguments.iter().any(|(_, value)| is_truncated(value, text_of));
        is_whole && parameters == parameters_text(arguments, text_of)
    });
    writes || has_values(parameters, arguments)
}

/// Returns `true` if parameters have these values, also in another order, as JSON, or with numbers
/// that are written in another way.
fn has_values(parameters: &str, arguments: &Arguments) -> bool {
    if arguments.is_empty() {
        return parameters.trim().is_empty();
    }
    if parameters.starts_with('{')
        && let Ok(object) = parameters.parse::<Arguments>()
    {
        return object == *arguments;
    }
    let pairs = schema::split(parameters, |name| arguments.get(name).is_some());
    let names: BTreeSet<_> = pairs.iter().map(|(name, _)| name.trim()).collect();
    let count = arguments.iter().len();
    let is_same = |(name, text): &(&str, &str)| {
        arguments.get(name.trim()).is_some_and(|value| is_text_of(text, value))
    };
    pairs.len() == count && names.len() == count && pairs.iter().all(is_same)
}

fn is_text_of(text: &str, value: &Value) -> bool {
    if value.is_string() {
        let writes = |text_of| !is_truncated(value, text_of) && text == text_of(value);
        return writes(plain_text as ValueText) || writes(quoted_text);
    }
    serde_json::from_str::<Value>(text.trim())
        .is_ok_and(|read| canonical_json(&read) == canonical_json(value))
}
