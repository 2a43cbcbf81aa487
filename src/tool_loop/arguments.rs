//! The arguments of a call.

use serde_json::{Map, Value};

use super::error::Why;

/// The object that a model wrote, with whole numbers as integers: many a model writes `2.0`. Where
/// it wrote nothing, as some do for tools that take nothing, it is empty.
pub(super) fn parse(text: &str) -> Result<Map<String, Value>, Why> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let members = serde_json::from_str(text).map_err(|error| Why::NotJson(error.to_string()))?;
    Ok(with_integers(members))
}

fn with_integers(members: Map<String, Value>) -> Map<String, Value> {
    members.into_iter().map(|(name, member)| (name, with_integer(member))).collect()
}

fn with_integer(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole = number.as_f64().and_then(whole);
            Value::Number(whole.map_or(number, Into::into))
        }
        Value::Array(items) => Value::Array(items.into_iter().map(with_integer).collect()),
        Value::Object(members) => Value::Object(with_integers(members)),
        other => other,
    }
}

fn whole(double: f64) -> Option<i64> {
    const EXACT: f64 = (1_u64 << 53) as f64;
    (double.fract() == 0.0 && double.abs() <= EXACT).then_some(double as i64)
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
