//! JSON values in one form, whichever API they came through.

use serde_json::{Map, Number, Value};

/// The largest integer that a floating-point number represents exactly.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Writes whole numbers as integers, since Dapr's API knows floating-point numbers only.
pub(super) fn canonical(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(whole(number)),
        Value::Array(items) => items.into_iter().map(canonical).collect(),
        Value::Object(members) => {
            let members = members.into_iter().map(|(key, value)| (key, canonical(value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        other => other,
    }
}

fn whole(number: Number) -> Number {
    let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0);
    #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
    match float.filter(|float| float.abs() < MAX_EXACT) {
        Some(float) => Number::from(float as i64),
        None => number,
    }
}
