//! The history that a response continues, in the form in which the API sends it: as JSON of items,
//! separated by commas.

use bytes::Bytes;
use serde::Deserialize;
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

/// Returns the items of a body.
pub(super) fn items(body: &[u8]) -> Result<String, Error> {
    let body: Body<'_> = read(body)?;
    Ok(items_of(body.input))
}

/// Returns a body whose input begins with the items of a history.
pub(super) fn continued(body: &[u8], history: &str) -> Result<Bytes, Error> {
    let input = read::<Body<'_>>(body)?.input;
    let position = position(input, body);
    let items = joined(history, &items_of(input));
    let [before, after] =
        [body.get(..position.start), body.get(position.end..)].map(Option::unwrap_or_default);
    Ok([before, b"[", items.as_bytes(), b"]", after].concat().into())
}

/// Joins two lists of items, of which either may be empty.
pub(super) fn joined(first: &str, second: &str) -> String {
    let separator = if first.is_empty() || second.is_empty() { "" } else { "," };
    [first, separator, second].concat()
}

fn items_of(input: &RawValue) -> String {
    let list = input.get().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match list {
        Some(items) => items.trim().to_owned(),
        None => format!(r#"{{"role":"user","content":{}}}"#, input.get()),
    }
}
