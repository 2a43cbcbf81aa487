//! Values that are read from a text or from a mapping.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

/// A value that is read from a text or from a mapping.
pub trait TextOrMapping: TryFrom<Self::Parts, Error = String> {
    /// The entries of the mapping.
    type Parts: for<'de> Deserialize<'de>;

    /// What is expected, for errors.
    const EXPECTED: &'static str;

    /// Returns the value that a text stands for.
    fn from_text(text: &str) -> Result<Self, String>;
}

/// Reads a text or a mapping.
pub fn text_or_mapping<'de, T: TextOrMapping, D: Deserializer<'de>>(
    source: D,
) -> Result<T, D::Error> {
    source.deserialize_any(TextOrMappingVisitor(PhantomData))
}

struct TextOrMappingVisitor<T>(PhantomData<T>);

impl<'de, T: TextOrMapping> Visitor<'de> for TextOrMappingVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::from_text(text).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, parts: A) -> Result<T, A::Error> {
        let parts = T::Parts::deserialize(MapAccessDeserializer::new(parts))?;
        T::try_from(parts).map_err(A::Error::custom)
    }
}
