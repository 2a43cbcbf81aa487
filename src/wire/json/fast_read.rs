//! Reads messages with serde, without reflection.
//!
//! The fast path must not accept anything that `reflect` rejects or reads differently. It may
//! reject anything that is rare in requests.

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use bytes::Bytes;
use prost::Message;
use prost_types::{Any, Duration, ListValue, Struct, Value, value::Kind};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

/// A message that can be read without reflection.
pub trait FastRead: Default {
    /// Reads the next value of `object` into the field called `name`.
    fn read_field<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        object: &mut A,
    ) -> Result<(), A::Error>;
}

/// Reads a message from JSON.
pub(super) fn read<M: FastRead>(body: &[u8]) -> serde_json::Result<M> {
    serde_json::from_slice(body).map(|Object(message)| message)
}

/// A field type that can be read without reflection. `null` leaves the field unchanged.
pub(super) trait ReadField {
    /// Reads the next value of `object` into the field.
    fn read_from<'de, A: MapAccess<'de>>(&mut self, object: &mut A) -> Result<(), A::Error>;
}

/// Sets a field whose name may be repeated: the last value wins.
fn replace<T, E>(field: &mut T, value: Option<T>) -> Result<(), E> {
    if let Some(value) = value {
        *field = value;
    }
    Ok(())
}

impl ReadField for String {
    fn read_from<'de, A: MapAccess<'de>>(&mut self, object: &mut A) -> Result<(), A::Error> {
        replace(self, object.next_value()?)
    }
}

impl ReadField for BTreeMap<String, String> {
    fn read_from<'de, A: MapAccess<'de>>(&mut self, object: &mut A) -> Result<(), A::Error> {
        replace(self, object.next_value()?)
    }
}

impl<M: FastRead> ReadField for Vec<M> {
    fn read_from<'de, A: MapAccess<'de>>(&mut self, object: &mut A) -> Result<(), A::Error> {
        let list = object.next_value::<Option<Vec<_>>>()?;
        replace(self, list.map(|list| list.into_iter().map(|Object(message)| message).collect()))
    }
}

/// Sets an optional field or a oneof. Fails if it is already set.
fn set<T, E: Error>(field: &mut Option<T>, value: Option<T>) -> Result<(), E> {
    if value.is_none() {
        return Ok(());
    }
    if field.is_some() {
        return Err(E::custom("repeated field"));
    }
    *field = value;
    Ok(())
}

/// A type that serde reads just as proto JSON requires.
trait Scalar: DeserializeOwned {}

impl Scalar for String {}
impl Scalar for bool {}
impl Scalar for f64 {}
impl Scalar for i64 {}

impl<T: Scalar> ReadField for Option<T> {
    fn read_from<'de, A: MapAccess<'de>>(&mut self, object: &mut A) -> Result<(), A::Error> {
        set(self, object.next_value()?)
    }
}

/// A `google.protobuf.Struct`, which is kept in encoded form.
impl ReadField for Option<Bytes> {
    fn read_from<'de, A: MapAccess<'de>>(&mut self, object: &mut A) -> Result<(), A::Error> {
        let value = object.next_value::<Option<ShallowStruct>>()?;
        set(self, value.map(|ShallowStruct(members)| members.encode_to_vec().into()))
    }
}

/// Reads a variant of a oneof that is a message.
pub(super) fn read_variant<'de, M: FastRead, T, A: MapAccess<'de>>(
    oneof: &mut Option<T>,
    variant: fn(M) -> T,
    object: &mut A,
) -> Result<(), A::Error> {
    set(oneof, object.next_value::<Option<_>>()?.map(|Object(message)| variant(message)))
}

/// Accepts `null` only.
impl ReadField for BTreeMap<String, Any> {
    fn read_from<'de, A: MapAccess<'de>>(&mut self, object: &mut A) -> Result<(), A::Error> {
        object.next_value()
    }
}

/// Accepts `null` only.
impl ReadField for Option<Duration> {
    fn read_from<'de, A: MapAccess<'de>>(&mut self, object: &mut A) -> Result<(), A::Error> {
        object.next_value()
    }
}

/// Skips the value of an unknown field.
pub(super) fn skip<'de, A: MapAccess<'de>>(object: &mut A) -> Result<(), A::Error> {
    object.next_value::<IgnoredAny>().map(|_| ())
}

struct Object<M>(M);

impl<'de, M: FastRead> Deserialize<'de> for Object<M> {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<M>(PhantomData<M>);

impl<'de, M: FastRead> Visitor<'de> for ObjectVisitor<M> {
    type Value = Object<M>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Object<M>, A::Error> {
        let mut message = M::default();
        // Fails for a name with escapes, because such a name cannot be borrowed from the body.
        while let Some(name) = object.next_key::<&str>()? {
            message.read_field(name, &mut object)?;
        }
        Ok(Object(message))
    }
}

/// The nesting limit for objects and lists. JSON Schemas rarely come close, and protobuf's own
/// limit is higher.
const MAX_DEPTH: usize = 24;

/// A struct with at most [`MAX_DEPTH`] levels, including its own.
struct ShallowStruct(pub(super) Struct);

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
