//! Writes messages with serde, without reflection.

use std::collections::BTreeMap;

use prost_types::Any;
use serde::{
    Serialize, Serializer,
    ser::{Error, SerializeMap},
};

use super::to_vec;

/// A message that can be written without reflection.
pub trait FastWrite {
    /// Writes the fields whose values are not the default, sorted by name.
    fn write_fields<O: SerializeMap>(&self, object: &mut O) -> Result<(), O::Error>;
}

/// Writes a message as JSON.
pub(super) fn write<M: FastWrite>(message: &M) -> serde_json::Result<String> {
    String::from_utf8(to_vec(&Object(message))?).map_err(Error::custom)
}

/// A field type that can be written without reflection.
pub(super) trait WriteField {
    /// Writes the field, unless it has the default value.
    fn write_to<O: SerializeMap>(&self, name: &str, object: &mut O) -> Result<(), O::Error>;
}

impl WriteField for String {
    fn write_to<O: SerializeMap>(&self, name: &str, object: &mut O) -> Result<(), O::Error> {
        if self.is_empty() { Ok(()) } else { object.serialize_entry(name, self) }
    }
}

impl WriteField for Option<String> {
    fn write_to<O: SerializeMap>(&self, name: &str, object: &mut O) -> Result<(), O::Error> {
        self.as_ref().map_or(Ok(()), |text| object.serialize_entry(name, text))
    }
}

impl WriteField for i64 {
    fn write_to<O: SerializeMap>(&self, name: &str, object: &mut O) -> Result<(), O::Error> {
        if *self == 0 { Ok(()) } else { object.serialize_entry(name, &Quoted(*self)) }
    }
}

impl WriteField for u64 {
    fn write_to<O: SerializeMap>(&self, name: &str, object: &mut O) -> Result<(), O::Error> {
        if *self == 0 { Ok(()) } else { object.serialize_entry(name, &Quoted(*self)) }
    }
}

impl<M: FastWrite> WriteField for Option<M> {
    fn write_to<O: SerializeMap>(&self, name: &str, object: &mut O) -> Result<(), O::Error> {
        self.as_ref().map_or(Ok(()), |message| write_message(name, message, object))
    }
}

impl<M: FastWrite> WriteField for Vec<M> {
    fn write_to<O: SerializeMap>(&self, name: &str, object: &mut O) -> Result<(), O::Error> {
        if self.is_empty() { Ok(()) } else { object.serialize_entry(name, &List(self)) }
    }
}

/// Writing fails unless the map is empty, because an `Any` needs reflection.
impl WriteField for BTreeMap<String, Any> {
    fn write_to<O: SerializeMap>(&self, name: &str, _: &mut O) -> Result<(), O::Error> {
        if self.is_empty() { Ok(()) } else { Err(O::Error::custom(name)) }
    }
}

/// Writes a field that contains a message.
pub(super) fn write_message<M: FastWrite, O: SerializeMap>(
    name: &str,
    message: &M,
    object: &mut O,
) -> Result<(), O::Error> {
    object.serialize_entry(name, &Object(message))
}

struct Object<'a, M>(&'a M);

impl<M: FastWrite> Serialize for Object<'_, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        self.0.write_fields(&mut object)?;
        object.end()
    }
}

struct List<'a, M>(&'a [M]);

impl<M: FastWrite> Serialize for List<'_, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Object))
    }
}

/// An integer that is written as a string.
struct Quoted<N>(N);

impl<N: itoa::Integer> Serialize for Quoted<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // `collect_str` would increase the number of instructions for a short call by 2%.
        serializer.serialize_str(itoa::Buffer::new().format(self.0))
    }
}
