//! The arguments of a call.

use serde_json::{Map, Value};

use super::error::Why;
use crate::base::number::drop_fractions;

/// The object that a model wrote, with whole numbers as integers: many a model writes `2.0`. Where
/// it wrote nothing, as some do for tools that take nothing, it is empty.
pub(super) fn parse(text: &str) -> Result<Map<String, Value>, Why> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let mut members: Map<_, _> =
        serde_json::from_str(text).map_err(|error| Why::NotJson(error.to_string()))?;
    members.values_mut().for_each(drop_fractions);
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_object_is_arguments() {
        for text in ["a,b", "[]", "null", "1", r#"{"a":1"#, r#"{"a":1} {}"#] {
            assert!(matches!(parse(text), Err(Why::NotJson(_))), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
