//! Reads the parameters of requests, which may be any of protobuf's well-known types.

use prost::Message;
use prost_types::Any;
use serde_json::Value;

use super::structs;
use crate::chat::{LazyJson, Parameter};

/// What the names of well-known types start with.
const PACKAGE: &str = "google.protobuf.";

/// Decodes a parameter. Its value is `null` if its type is unknown.
pub(super) fn decode(any: Any) -> Parameter {
    let Any { type_url, value } = any;
    let read = reader(&type_url);
    Parameter { type_url, value: LazyJson::encoded(value.into(), read) }
}

/// Encodes a parameter.
pub(super) fn encode(parameter: &Parameter) -> Any {
    let value = parameter.value.encoding().to_vec();
    Any { type_url: parameter.type_url.clone(), value }
}

fn reader(type_url: &str) -> fn(&[u8]) -> Value {
    let name = type_url.rsplit('/').next().unwrap_or_default();
    match name.strip_prefix(PACKAGE).unwrap_or_default() {
        "StringValue" => scalar::<String>,
        "BoolValue" => scalar::<bool>,
        "Int32Value" => scalar::<i32>,
        "Int64Value" => scalar::<i64>,
        "UInt32Value" => scalar::<u32>,
        "UInt64Value" => scalar::<u64>,
        "DoubleValue" => |encoding| f64::decode(encoding).map_or(Value::Null, structs::double),
        "FloatValue" => |encoding| f32::decode(encoding).map_or(Value::Null, short),
        "Value" => |encoding| structs::read_value(encoding).unwrap_or_default(),
        "Struct" => |encoding| structs::read_object(encoding).unwrap_or_default(),
        "ListValue" => |encoding| structs::read_list(encoding).unwrap_or_default(),
        _ => |_| Value::Null,
    }
}

fn scalar<T: Message + Default + Into<Value>>(encoding: &[u8]) -> Value {
    T::decode(encoding).map_or(Value::Null, Into::into)
}

/// Converts a float to the double with the same shortest decimal, as proto JSON shows it.
fn short(number: f32) -> Value {
    structs::double(number.to_string().parse().unwrap_or(f64::from(number)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::wire::structs::from_json;

    fn read(name: &str, encoding: Vec<u8>) -> Value {
        let type_url = format!("type.googleapis.com/google.protobuf.{name}");
        let any = Any { type_url, value: encoding };
        let parameter = decode(any.clone());
        assert_eq!(encode(&parameter), any);
        parameter.value.read()
    }

    #[test]
    fn reads_well_known_types() {
        assert_eq!(read("StringValue", "é".to_owned().encode_to_vec()), "é");
        assert_eq!(read("BoolValue", true.encode_to_vec()), true);
        assert_eq!(read("Int32Value", (-3_i32).encode_to_vec()), -3);
        assert_eq!(read("Int64Value", (-3_i64).encode_to_vec()), -3);
        assert_eq!(read("UInt32Value", 3_u32.encode_to_vec()), 3);
        assert_eq!(read("UInt64Value", u64::MAX.encode_to_vec()), u64::MAX);
        assert_eq!(read("DoubleValue", 0.7_f64.encode_to_vec()), 0.7);
        assert_eq!(read("DoubleValue", 2.0_f64.encode_to_vec()), 2);
        assert_eq!(read("FloatValue", 0.7_f32.encode_to_vec()), 0.7);
        let object = json!({"a": [1, "b", null]});
        assert_eq!(read("Struct", from_json(&object).encode_to_vec()), object);
    }

    #[test]
    fn other_types_and_malformed_messages_are_null() {
        assert_eq!(read("Duration", vec![8, 1]), Value::Null);
        for name in ["StringValue", "Int64Value", "FloatValue", "Value", "Struct", "ListValue"] {
            assert_eq!(read(name, vec![10, 200]), Value::Null, "{name}");
        }
    }
}
