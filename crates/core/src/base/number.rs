//! Numbers in JSON, where 2 and 2.0 are the same integer.

use serde_json::{Number, Value};

/// Returns a double as an integer if it is whole and in the range that doubles represent exactly.
pub fn as_integer(double: f64) -> Option<i64> {
    const MAX_EXACT: f64 = (1_u64 << 53) as f64;
    (double.fract() == 0.0 && double.abs() <= MAX_EXACT).then_some(double as i64)
}

/// Replaces all whole doubles in a value, such as 2.0, with integers.
pub fn normalize_integers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let double = number.as_f64().filter(|_| number.is_f64());
            if let Some(integer) = double.and_then(as_integer) {
                *number = integer.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normalize_integers),
        Value::Object(members) => members.values_mut().for_each(normalize_integers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Returns a copy of a value with all whole doubles replaced by integers.
pub fn normalized(value: &Value) -> Value {
    let mut copy = value.clone();
    normalize_integers(&mut copy);
    copy
}

/// Compares JSON values. Numbers are equal if their values are, even if one of them has a fraction.
pub fn are_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || whole(left).is_some_and(|it| whole(right) == Some(it))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| are_equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let equal = |(key, value)| right.get(key).is_some_and(|it| are_equal(value, it));
            left.len() == right.len() && left.iter().all(equal)
        }
        _ => left == right,
    }
}

/// Returns the exact value of a whole number, whether it is written as a double or not.
fn whole(number: &Number) -> Option<i128> {
    // Every whole double below this has an exact value of 128 bits.
    const LIMIT: f64 = (1_u128 << 126) as f64;
    let double = || number.as_f64().filter(|it| it.fract() == 0.0 && it.abs() < LIMIT);
    number.as_i128().or_else(|| double().map(|it| it as i128))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_equal_if_their_values_are() {
        let is_equal = |left: &str, right: &str| {
            let [left, right] = [left, right].map(|text| serde_json::from_str(text).unwrap());
            are_equal(&left, &right)
        };
        for (left, right) in [
            ("2", "2.0"),
            ("20000000000000000", "2e16"),
            ("18446744073709549568", "18446744073709549568.0"),
            (r#"[{"a":-1}]"#, r#"[{"a":-1.0}]"#),
            ("1e300", "1e300"),
        ] {
            assert!(is_equal(left, right), "{left} {right}");
        }
        for (left, right) in
            [("2", "2.5"), ("9007199254740993", "9007199254740992.0"), ("2", r#""2""#)]
        {
            assert!(!is_equal(left, right), "{left} {right}");
        }
    }

    #[test]
    fn replaces_only_doubles_that_are_exact_integers() {
        let text = r#"{"a":[2.0,-0.0,2.5,1e300],"b":{"c":9007199254740992.0,"d":1e16},"e":"2.0"}"#;
        let mut value: Value = serde_json::from_str(text).unwrap();
        normalize_integers(&mut value);
        let expected = r#"{"a":[2,0,2.5,1e+300],"b":{"c":9007199254740992,"d":1e+16},"e":"2.0"}"#;
        assert_eq!(value.to_string(), expected);
    }
}
