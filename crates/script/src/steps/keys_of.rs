//! Lists the keys of a struct.

use std::{error::Error, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{self, Visitor},
    forward_to_deserialize_any,
};

/// Returns the keys of an object, sorted.
pub(crate) fn keys_of<'de, T: Deserialize<'de>>() -> Vec<&'static str> {
    let mut keys = T::deserialize(Lister).err().map_or_else(Vec::new, |Keys(keys)| keys.to_vec());
    keys.sort_unstable();
    keys
}

/// Reads nothing: its error has the keys of the struct to read.
struct Lister;

#[derive(Debug)]
struct Keys(&'static [&'static str]);

impl<'de> Deserializer<'de> for Lister {
    type Error = Keys;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Keys> {
        Err(Keys(&[]))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        keys: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Keys> {
        Err(Keys(keys))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl de::Error for Keys {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

impl Error for Keys {}
