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

/// What is the same for all calls that mean the same: the order of keys does not count, and
/// numbers do by their value. Arguments that are no JSON stand for themselves.
pub(super) fn key(tool: &str, arguments: &str) -> String {
    let arguments = match parse(arguments) {
        // Its keys are sorted.
        Ok(arguments) => Value::Object(arguments).to_string(),
        Err(_) => arguments.to_owned(),
    };
    // No name holds a line break.
    format!("{tool}\n{arguments}")
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
    fn the_same_arguments_have_the_same_key() {
        let same = [r#"{"a":1,"b":[-0.0,2]}"#, r#" {"b": [0, 2.0], "a": 1.0} "#];
        assert_eq!(key("f", same[0]), key("f", same[1]));
        assert_eq!(key("f", ""), key("f", "{}"));
        for other in [r#"{"a":"1","b":[0,2]}"#, r#"{"a":1,"b":[2,0]}"#, r#"{"a":1}"#, "a,b"] {
            assert_ne!(key("f", same[0]), key("f", other), "{other}");
        }
        assert_ne!(key("f", "{}"), key("g", "{}"));
        assert_eq!(key("f", "a,b"), "f\na,b");
    }

    #[test]
    fn only_an_object_is_arguments() {
        for text in ["a,b", "[]", "null", "1", r#"{"a":1"#, r#"{"a":1} {}"#] {
            assert!(matches!(parse(text), Err(Why::NotJson(_))), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
