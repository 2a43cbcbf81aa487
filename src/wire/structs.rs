//! `google.protobuf.Struct` as JSON, converted when it is read.

use prost::Message;
use prost_types::{Struct, Value as ProtoValue, value::Kind};
use serde_json::{Map, Number, Value};

use crate::chat::ReadJson;

/// A struct that arrived in a request.
pub(super) struct LazyStruct(pub(super) Struct);

impl ReadJson for LazyStruct {
    fn read_json(&self) -> Value {
        object(&self.0)
    }

    fn size(&self) -> usize {
        self.0.encoded_len()
    }
}

fn object(source: &Struct) -> Value {
    let members = source.fields.iter().map(|(name, member)| (name.clone(), value(member)));
    Value::Object(members.collect::<Map<_, _>>())
}

/// The depth is the decoder's, which is bounded.
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

/// A struct knows doubles only; a whole one is an integer to everybody else.
pub(super) fn number_value(number: f64) -> Value {
    const EXACT: f64 = (1_u64 << 53) as f64;
    if number.fract() == 0.0 && number.abs() <= EXACT {
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}
