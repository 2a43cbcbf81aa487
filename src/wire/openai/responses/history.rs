//! What a response keeps of its request: the settings that it repeats, and the history that requests
//! continue.

use std::{borrow::Cow, collections::BTreeMap};

use bytes::Bytes;
use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::value::RawValue;

use crate::wire::{
    error::Error,
    openai::read::{position, read},
};

/// A body, of which only the input matters.
#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    input: &'a RawValue,
}

/// What tells a reference from other items, and the id of an item.
#[derive(Deserialize)]
struct Reference<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    role: Option<IgnoredAny>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
}

/// Returns a body whose input begins with the items of a history, and has items in place of the
/// references to them.
pub(super) fn continued(
    body: &[u8],
    history: &str,
    item: impl Fn(&str) -> Result<String, Error>,
) -> Result<Bytes, Error> {
    let input = read::<Body<'_>>(body)?.input;
    let position = position(input, body);
    let items = joined(history, &resolved(&items(input), item)?);
    let [before, after] =
        [body.get(..position.start), body.get(position.end..)].map(Option::unwrap_or_default);
    Ok([before, b"[", items.as_bytes(), b"]", after].concat().into())
}

/// Puts items in place of the references to them.
fn resolved(items: &str, item: impl Fn(&str) -> Result<String, Error>) -> Result<String, Error> {
    let list = format!("[{items}]");
    let resolve = |source: &&RawValue| match reference(source.get()) {
        Some(id) => item(&id),
        None => Ok(source.get().to_owned()),
    };
    let items = read::<Vec<&RawValue>>(list.as_bytes())?;
    let items: Result<Vec<_>, Error> = items.iter().map(resolve).collect();
    Ok(items?.join(","))
}

/// Returns the id in a reference, or `None` for any other item.
fn reference(item: &str) -> Option<String> {
    let Reference { kind, role, id } = serde_json::from_str(item).ok()?;
    let is_reference = match kind.as_deref() {
        None => role.is_none(),
        kind => kind == Some("item_reference"),
    };
    id.filter(|_| is_reference).map(Cow::into_owned)
}

/// Joins two lists of items, of which either may be empty.
pub(super) fn joined(first: &str, second: &str) -> String {
    let separator = if first.is_empty() || second.is_empty() { "" } else { "," };
    [first, separator, second].concat()
}

/// Returns the items of an input.
pub(super) fn items(input: &RawValue) -> String {
    let list = input.get().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match list {
        Some(items) => items.trim().to_owned(),
        None => format!(r#"{{"role":"user","content":{}}}"#, input.get()),
    }
}

/// The keys that a response repeats, each with the JSON of its default.
const REPEATED: [(&str, &str); 17] = [
    ("background", "false"),
    ("instructions", "null"),
    ("max_output_tokens", "null"),
    ("max_tool_calls", "null"),
    ("metadata", "{}"),
    ("parallel_tool_calls", "true"),
    ("previous_response_id", "null"),
    ("reasoning", r#"{"effort":null,"summary":null}"#),
    ("service_tier", r#""default""#),
    ("store", "true"),
    ("temperature", "1.0"),
    ("text", r#"{"format":{"type":"text"}}"#),
    ("tool_choice", r#""auto""#),
    ("tools", "[]"),
    ("top_p", "1.0"),
    ("truncation", r#""disabled""#),
    ("user", "null"),
];

/// The keys of a body.
pub(super) type Keys<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// The settings of a request, as JSON by key.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub(super) struct Settings(BTreeMap<&'static str, Box<RawValue>>);

impl Settings {
    /// Reads the settings in a body.
    pub(super) fn new(keys: &Keys<'_>) -> Self {
        let settings = REPEATED.into_iter().filter_map(|(key, default)| {
            let given = keys.get(key).filter(|value| value.get() != "null");
            let value = match given {
                Some(value) => (*value).to_owned(),
                None => RawValue::from_string(default.to_owned()).ok()?,
            };
            Some((key, value))
        });
        Self(settings.collect())
    }

    /// Returns the size of the settings in bytes.
    pub(super) fn size(&self) -> usize {
        self.0.values().map(|value| value.get().len()).sum()
    }
}
