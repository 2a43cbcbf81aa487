//! How the fast way reads `google.protobuf.Struct`.

use std::{collections::BTreeMap, fmt};

use prost_types::{ListValue, Struct, Value, value::Kind};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};

/// Levels of objects and lists. Schemas that people write have fewer, and a message may have more.
const MAX_DEPTH: usize = 24;

/// A struct that is in no other.
pub(super) struct Outermost(pub(super) Struct);

impl<'de> Deserialize<'de> for Outermost {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_map(Object(MAX_DEPTH)).map(Self)
    }
}

/// Reads an object that may nest so many levels deep, itself included.
struct Object(usize);

impl<'de> Visitor<'de> for Object {
    type Value = Struct;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Struct, A::Error> {
        let inner = inner(self.0)?;
        let mut fields = BTreeMap::new();
        while let Some(name) = members.next_key::<String>()? {
            fields.insert(name, members.next_value_seed(Member(inner))?);
        }
        Ok(Struct { fields })
    }
}

/// The levels that are left inside of one.
fn inner<E: Error>(levels: usize) -> Result<usize, E> {
    levels.checked_sub(1).ok_or_else(|| E::custom("too deep"))
}

/// Reads a value of any kind, likewise.
#[derive(Clone, Copy)]
struct Member(usize);

impl<'de> DeserializeSeed<'de> for Member {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Value, D::Error> {
        let kind = value.deserialize_any(self)?;
        Ok(Value { kind: Some(kind) })
    }
}

impl<'de> Visitor<'de> for Member {
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

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Kind, A::Error> {
        let inner = inner(self.0)?;
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(Self(inner))? {
            values.push(value);
        }
        Ok(Kind::ListValue(ListValue { values }))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Kind, A::Error> {
        Object(self.0).visit_map(members).map(Kind::StructValue)
    }
}
