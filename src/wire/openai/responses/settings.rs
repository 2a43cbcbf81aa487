//! The settings of a request, which its response repeats.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Serialize;
use serde_json::value::RawValue;

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
