//! Takes the long texts out of a recorded request.

use std::{collections::BTreeMap, slice};

use serde_json::{Value, json};

use crate::rules::matching::request::TextFile;

/// Puts references to files in the place of the long texts of a request. Returns the texts by file.
pub(super) fn take_long_texts(request: &mut Value) -> BTreeMap<String, String> {
    let messages = request.get_mut("messages").and_then(Value::as_array_mut);
    let texts = messages.into_iter().flatten().flat_map(texts);
    let take = |value: &mut Value| {
        let file = TextFile::of(value.as_str()?)?;
        let text = value.as_str()?.to_owned();
        *value = json!(file);
        Some((file.file, text))
    };
    texts.filter_map(take).collect()
}

fn texts(message: &mut Value) -> impl Iterator<Item = &mut Value> {
    let members = message.as_object_mut().into_iter().flatten();
    members.flat_map(|(key, value)| match (key.as_str(), value) {
        ("text", text) => slice::from_mut(text),
        ("parts", Value::Array(parts)) => parts.as_mut_slice(),
        _ => &mut [],
    })
}
