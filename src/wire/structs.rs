//! Converts between `google.protobuf.Struct` and JSON.

use prost_types::{ListValue, Struct, Value as ProtoValue, value::Kind};
use serde_json::{Map, Number, Value};

use crate::{base::number::as_integer, chat::ReadJson};

/// A struct from a request, converted to JSON on first use.
pub(super) struct LazyStruct(pub(super) Struct);

impl ReadJson for LazyStruct {
    fn read_json(&self) -> Value {
        object(&self.0)
    }

    fn size(&self) -> usize {
        size(&self.0)
    }
}

/// Returns the approximate encoded length, which is faster to compute than the exact length.
fn size(source: &Struct) -> usize {
    source.fields.iter().map(|(name, member)| name.len() + value_size(member)).sum()
}

fn value_size(source: &ProtoValue) -> usize {
    /// The encoded length of a number with its tags. Other values have about the same overhead.
    const VALUE: usize = 12;
    VALUE
        + match &source.kind {
            Some(Kind::StringValue(text)) => text.len(),
            Some(Kind::StructValue(members)) => size(members),
            Some(Kind::ListValue(list)) => list.values.iter().map(value_size).sum(),
            None | Some(Kind::NullValue(_) | Kind::NumberValue(_) | Kind::BoolValue(_)) => 0,
        }
}

fn object(source: &Struct) -> Value {
    let members = source.fields.iter().map(|(name, member)| (name.clone(), value(member)));
    Value::Object(members.collect::<Map<_, _>>())
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

/// Converts a value to JSON. The recursion is safe, because the decoder limits the depth.
fn value(source: &ProtoValue) -> Value {
    match &source.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::NumberValue(number)) => number_value(*number),
        Some(Kind::StringValue(text)) => Value::String(text.clone()),
        Some(Kind::BoolValue(flag)) => Value::Bool(*flag),
        Some(Kind::StructValue(members)) => object(members),
        Some(Kind::ListValue(list)) => Value::Array(list.values.iter().map(value).collect()),
    }
}

/// Converts a number to JSON. All numbers in structs are doubles; whole numbers become integers.
fn number_value(number: f64) -> Value {
    match as_integer(number) {
        Some(whole) => whole.into(),
        None => Number::from_f64(number).map_or(Value::Null, Value::Number),
    }
}
