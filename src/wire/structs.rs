//! Converts between `google.protobuf.Struct`, or the parameters of requests, and JSON.

use std::collections::BTreeMap;

use bytes::Bytes;
use prost::Message;
use prost_types::{Any, ListValue, Struct, Value as ProtoValue, value::Kind};
use serde_json::{Map, Number, Value};

use super::protobuf::{Field, fields};
use crate::{
    base::number::as_integer,
    chat::{LazyJson, Parameter},
};

/// The nesting limit for objects and lists. It is that of serde_json, so that what is read from JSON
/// is never nested too deeply.
pub(super) const MAX_DEPTH: usize = 128;

/// Wraps an encoded struct from a request.
///
/// A struct that is malformed or nested too deeply is read as `{}`, since a schema that is invalid in
/// any other way does not fail the call either.
pub(super) fn lazy_json(encoding: Bytes) -> LazyJson {
    LazyJson::encoded(encoding, |encoding| match read_object(encoding) {
        Some(object) => object,
        None => {
            tracing::warn!("a JSON Schema is malformed or nested too deeply and is ignored");
            Value::Object(Map::new())
        }
    })
}

/// Reads an encoded struct. Returns `None` if it is malformed or nested too deeply.
fn read_object(encoding: &[u8]) -> Option<Value> {
    object(encoding, MAX_DEPTH)
}

/// Decodes a struct with at most `depth` levels.
fn object(encoding: &[u8], depth: usize) -> Option<Value> {
    const FIELDS: u64 = 1;
    let (mut object, depth) = (Map::new(), depth.checked_sub(1)?);
    for field in fields(encoding) {
        let (number, field) = field?;
        if let (FIELDS, Field::Bytes(entry)) = (number, field) {
            let (name, value) = member(entry, depth)?;
            object.insert(name, value);
        }
    }
    Some(Value::Object(object))
}

/// Decodes a member of a struct.
fn member(encoding: &[u8], depth: usize) -> Option<(String, Value)> {
    const NAME: u64 = 1;
    const VALUE: u64 = 2;
    let (mut name, mut value) = ("", Value::Null);
    for field in fields(encoding) {
        let (number, field) = field?;
        match (number, field) {
            (NAME, Field::Bytes(text)) => name = str::from_utf8(text).ok()?,
            (VALUE, Field::Bytes(inner)) => value = decode_value(inner, depth)?,
            _ => {}
        }
    }
    Some((name.to_owned(), value))
}

/// Decodes a value, which is `null` if it is empty.
fn decode_value(encoding: &[u8], depth: usize) -> Option<Value> {
    const NULL: u64 = 1;
    const NUMBER: u64 = 2;
    const STRING: u64 = 3;
    const BOOL: u64 = 4;
    const STRUCT: u64 = 5;
    const LIST: u64 = 6;
    let mut value = Value::Null;
    for field in fields(encoding) {
        let (number, field) = field?;
        value = match (number, field) {
            (NULL, Field::Varint(_)) => Value::Null,
            (NUMBER, Field::Fixed64(bits)) => double(f64::from_bits(bits)),
            (STRING, Field::Bytes(text)) => Value::String(str::from_utf8(text).ok()?.to_owned()),
            (BOOL, Field::Varint(flag)) => Value::Bool(flag != 0),
            (STRUCT, Field::Bytes(inner)) => object(inner, depth)?,
            (LIST, Field::Bytes(inner)) => list(inner, depth)?,
            (NULL..=LIST, _) => return None,
            _ => value,
        };
    }
    Some(value)
}

fn list(encoding: &[u8], depth: usize) -> Option<Value> {
    const VALUES: u64 = 1;
    let (mut items, depth) = (Vec::new(), depth.checked_sub(1)?);
    for field in fields(encoding) {
        let (number, field) = field?;
        if let (VALUES, Field::Bytes(item)) = (number, field) {
            items.push(decode_value(item, depth)?);
        }
    }
    Some(Value::Array(items))
}

/// Converts a double to JSON. Whole numbers become integers.
fn double(number: f64) -> Value {
    match as_integer(number) {
        Some(whole) => whole.into(),
        None => Number::from_f64(number).map_or(Value::Null, Value::Number),
    }
}

/// Converts an object. Any other value becomes an empty struct.
pub(super) fn from_json(source: &Value) -> Struct {
    let members = source.as_object().into_iter().flatten();
    Struct { fields: members.map(|(name, member)| (name.clone(), proto_value(member))).collect() }
}

fn proto_value(source: &Value) -> ProtoValue {
    let kind = match source {
        Value::Null => Kind::NullValue(0),
        Value::Bool(flag) => Kind::BoolValue(*flag),
        // Always a double: serde_json is built without arbitrary precision.
        Value::Number(number) => Kind::NumberValue(number.as_f64().unwrap_or_default()),
        Value::String(text) => Kind::StringValue(text.clone()),
        Value::Array(items) => {
            Kind::ListValue(ListValue { values: items.iter().map(proto_value).collect() })
        }
        Value::Object(_) => Kind::StructValue(from_json(source)),
    };
    ProtoValue { kind: Some(kind) }
}

/// What the names of well-known types start with.
const PACKAGE: &str = "google.protobuf.";

/// Decodes the parameters of a request.
pub(super) fn decode_parameters(source: BTreeMap<String, Any>) -> BTreeMap<String, Parameter> {
    source.into_iter().map(|(name, any)| (name, decode_parameter(any))).collect()
}

/// Encodes the parameters of a request.
pub(super) fn encode_parameters(source: &BTreeMap<String, Parameter>) -> BTreeMap<String, Any> {
    source.iter().map(|(name, it)| (name.clone(), encode_parameter(it))).collect()
}

/// Decodes a parameter. Its value is `null` if its type is unknown.
fn decode_parameter(any: Any) -> Parameter {
    let Any { type_url, value } = any;
    let read = reader(&type_url);
    Parameter { type_url, value: LazyJson::encoded(value.into(), read) }
}

/// Encodes a parameter. JSON without a type becomes a value.
fn encode_parameter(parameter: &Parameter) -> Any {
    if let Some(json) = parameter.read_json() {
        let type_url = format!("type.googleapis.com/{PACKAGE}Value");
        return Any { type_url, value: proto_value(&json).encode_to_vec() };
    }
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
        "DoubleValue" => |encoding| f64::decode(encoding).map_or(Value::Null, double),
        "FloatValue" => |encoding| f32::decode(encoding).map_or(Value::Null, short),
        "Value" => |encoding| decode_value(encoding, MAX_DEPTH).unwrap_or_default(),
        "Struct" => |encoding| read_object(encoding).unwrap_or_default(),
        "ListValue" => |encoding| list(encoding, MAX_DEPTH).unwrap_or_default(),
        _ => |_| Value::Null,
    }
}

fn scalar<T: Message + Default + Into<Value>>(encoding: &[u8]) -> Value {
    T::decode(encoding).map_or(Value::Null, Into::into)
}

/// Converts a float to the double with the same shortest decimal, as proto JSON shows it.
fn short(number: f32) -> Value {
    double(number.to_string().parse().unwrap_or(f64::from(number)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::structs::from_json;
    use prost::Message;
    use serde_json::json;

    #[test]
    fn reads_back_what_it_encodes() {
        let value = json!({
            "": null, "a": [1, 2.5, -3, [], {}, [null]], "b": {"c": {"d": "é\u{0}"}, "e": true}, "f": false,
        });
        assert_eq!(lazy_json(from_json(&value).encode_to_vec().into()).read(), value);
    }

    #[test]
    fn reads_malformed_structs_as_empty() {
        let encoding = from_json(&json!({"name": {"type": ["string", "null"], "a": 0.5}}));
        let encoding = Bytes::from(encoding.encode_to_vec());
        for len in 1..encoding.len() {
            assert_eq!(lazy_json(encoding.slice(..len)).read(), json!({}), "{len}");
        }
        let not_utf8 = [10, 7, 10, 1, 0xff, 18, 2, 8, 0];
        assert_eq!(lazy_json(Bytes::copy_from_slice(&not_utf8)).read(), json!({}));
    }

    #[test]
    fn limits_the_depth() {
        let nested = |depth: usize| {
            let value = (1..depth).fold(json!({}), |inner, _| json!({ "a": inner }));
            lazy_json(from_json(&value).encode_to_vec().into()).read()["a"].is_object()
        };
        assert!(nested(MAX_DEPTH));
        assert!(!nested(MAX_DEPTH + 1));
    }

    #[test]
    fn equal_encodings_are_equal() {
        let schema =
            |text: &str| lazy_json(from_json(&json!({ "a": text })).encode_to_vec().into());
        assert_eq!(schema("b"), schema("b"));
        assert_ne!(schema("b"), schema("c"));
    }

    fn read(name: &str, encoding: Vec<u8>) -> Value {
        let type_url = format!("type.googleapis.com/google.protobuf.{name}");
        let any = Any { type_url, value: encoding };
        let parameter = decode_parameter(any.clone());
        assert_eq!(encode_parameter(&parameter), any);
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
