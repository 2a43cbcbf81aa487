//! Structs that are read from mappings only.

use std::{fmt, marker::PhantomData};

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};

/// A struct that is read from a mapping. Without this type, serde also accepts a list of the values
/// of its fields.
#[derive(Debug, JsonSchema)]
#[schemars(inline, transparent)]
pub struct Mapping<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Mapping<T> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(MappingVisitor(PhantomData))
    }
}

struct MappingVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for MappingVisitor<T> {
    type Value = Mapping<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Like serde's own message, which `reader_message` rewords.
        f.write_str("struct Mapping")
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Mapping<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(entries)).map(Mapping)
    }
}
