//! Reads `google.protobuf.Struct` with serde.

use std::{collections::BTreeMap, fmt};

use prost_types::{ListValue, Struct, Value, value::Kind};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};

/// The nesting limit for objects and lists. JSON Schemas rarely come close, and protobuf's own
/// limit is higher.
const MAX_DEPTH: usize = 24;

/// A struct with at most [`MAX_DEPTH`] levels, including its own.
pub(super) struct ShallowStruct(pub(super) Struct);

impl<'de> Deserialize<'de> for ShallowStruct {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_map(StructVisitor { depth: MAX_DEPTH }).map(Self)
    }
}

struct StructVisitor {
    /// The number of levels allowed, including this one.
    depth: usize,
}

impl<'de> Visitor<'de> for StructVisitor {
    type Value = Struct;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Struct, A::Error> {
        let depth = descend(self.depth)?;
        let mut fields = BTreeMap::new();
        while let Some(name) = object.next_key::<String>()? {
            fields.insert(name, object.next_value_seed(ValueVisitor { depth })?);
        }
        Ok(Struct { fields })
    }
}

/// Returns the number of levels allowed one level further down. Fails if none are left.
fn descend<E: Error>(depth: usize) -> Result<usize, E> {
    depth.checked_sub(1).ok_or_else(|| E::custom("too deep"))
}

#[derive(Clone, Copy)]
struct ValueVisitor {
    /// The number of levels allowed, including this one.
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for ValueVisitor {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Value, D::Error> {
        let kind = value.deserialize_any(self)?;
        Ok(Value { kind: Some(kind) })
    }
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Kind, E> {
        Ok(Kind::NullValue(0))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Kind, E> {
        Ok(Kind::BoolValue(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Kind, E> {
        Ok(Kind::NumberValue(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Kind, E> {
        Ok(Kind::NumberValue(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Kind, E> {
        Ok(Kind::NumberValue(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Kind, E> {
        Ok(Kind::StringValue(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Kind, A::Error> {
        let depth = descend(self.depth)?;
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Self { depth })? {
            values.push(value);
        }
        Ok(Kind::ListValue(ListValue { values }))
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Kind, A::Error> {
        StructVisitor { depth: self.depth }.visit_map(object).map(Kind::StructValue)
    }
}
