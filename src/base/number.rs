//! Numbers in JSON: a whole one is an integer, whether it is written as 2 or as 2.0.

use serde_json::Value;

/// A double as the integer that it is, as far as doubles know every integer.
pub(crate) fn whole(double: f64) -> Option<i64> {
    const EXACT: f64 = (1_u64 << 53) as f64;
    (double.fract() == 0.0 && double.abs() <= EXACT).then_some(double as i64)
}

/// Writes whole doubles as integers, all through the value.
pub(crate) fn drop_fractions(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let double = number.as_f64().filter(|_| number.is_f64());
            if let Some(whole) = double.and_then(whole) {
                *number = whole.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(drop_fractions),
        Value::Object(members) => members.values_mut().for_each(drop_fractions),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_doubles_become_integers_and_no_other() {
        let text = r#"{"a":[2.0,-0.0,2.5,1e300],"b":{"c":9007199254740992.0,"d":1e16},"e":"2.0"}"#;
        let mut value: Value = serde_json::from_str(text).unwrap();
        drop_fractions(&mut value);
        let expected = r#"{"a":[2,0,2.5,1e+300],"b":{"c":9007199254740992,"d":1e+16},"e":"2.0"}"#;
        assert_eq!(value.to_string(), expected);
    }
}
