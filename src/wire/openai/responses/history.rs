//! The history that a response continues, in the form in which the API sends it: as JSON of items,
//! separated by commas.

use std::borrow::Cow;

use bytes::Bytes;
use serde::{Deserialize, de::IgnoredAny};
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
