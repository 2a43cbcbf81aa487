//! Parses the arguments of a call.

use serde_json::{Map, Value};

use super::error::CallFailure;
use crate::base::number::normalize_integers;

/// Parses a JSON object. Blank text, which some models send for tools without parameters, counts as
/// an empty object. Whole numbers become integers because many models write integers as `2.0`.
pub(super) fn parse(text: &str) -> Result<Map<String, Value>, CallFailure> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let mut members: Map<_, _> =
        serde_json::from_str(text).map_err(|error| CallFailure::InvalidJson(error.to_string()))?;
    members.values_mut().for_each(normalize_integers);
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_anything_but_one_object() {
        for text in ["a,b", "[]", "null", "1", r#"{"a":1"#, r#"{"a":1} {}"#] {
            assert!(matches!(parse(text), Err(CallFailure::InvalidJson(_))), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
