//! Writes numbers as JSON. Integers have no fraction.

use serde_json::{Number, Value};

/// Converts a number to JSON. Integers have no fraction.
pub(super) fn from_f64(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e18 {
        return from_i128(value as i128);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

pub(super) fn from_i128(value: i128) -> Value {
    Number::from_i128(value).map_or_else(
        || Number::from_f64(value as f64).map_or(Value::Null, Value::Number),
        Value::Number,
    )
}

/// Copies a value, writing all integers without a fraction.
pub(super) fn normalize_integers(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => number.as_f64().map_or(Value::Null, from_f64),
        Value::Array(items) => items.iter().map(normalize_integers).collect(),
        Value::Object(members) => {
            let normalize =
                |(name, value): (&String, &Value)| (name.clone(), normalize_integers(value));
            members.iter().map(normalize).collect()
        }
        other => other.clone(),
    }
}
