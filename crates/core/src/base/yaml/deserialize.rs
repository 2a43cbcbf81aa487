//! Deserializes a tree. Errors have the place of the value.

use std::{collections::BTreeMap, fmt, slice, vec};

use serde::de::{
    self, DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
    value::{MapAccessDeserializer, StrDeserializer},
};

use super::{
    node::{Entry, Node, Value},
    scalar::{CoreScalar, resolve_core},
};
use crate::base::diagnostics::Place;

/// Why a value cannot be deserialized, and the innermost place that is known.
#[derive(Debug)]
pub(super) struct Error(Box<Reason>);

#[derive(Debug)]
struct Reason {
    message: String,
    place: Option<Place>,
}

impl Error {
    /// Returns the message and the place.
    pub(super) fn into_parts(self) -> (String, Option<Place>) {
        (self.0.message, self.0.place)
    }

    #[cold]
    fn new(message: String) -> Self {
        Self(Box::new(Reason { message, place: None }))
    }

    /// Adds a place, unless the error has one.
    #[cold]
    fn at(mut self, place: Place) -> Self {
        self.0.place.get_or_insert(place);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

/// Deserializes a value.
#[derive(Clone, Copy)]
pub(super) struct Reader<'n>(pub(super) &'n Node);

impl<'n> Reader<'n> {
    /// Returns `true` if the value is null as in YAML 1.2.
    fn is_core_null(self) -> bool {
        self.0.unquoted().is_some_and(|text| resolve_core(text) == CoreScalar::Null)
    }

    /// Returns the boolean or the number that a scalar is, which may have quotes.
    fn core_scalar(self) -> Option<CoreScalar> {
        self.0.as_written().map(resolve_core)
    }

    /// Returns the text of a scalar, unless it is null.
    fn text(self) -> Option<&'n str> {
        self.0.as_written().filter(|_| !self.is_core_null())
    }

    /// Returns the error for a value that has another type.
    #[cold]
    fn mismatch(self, expected: &dyn de::Expected) -> Error {
        let unexpected = match &self.0.value {
            Value::List(_) => Unexpected::Seq,
            Value::Map(_) => Unexpected::Map,
            Value::Text(text) => Unexpected::Str(text),
            Value::Plain(text) => match resolve_core(text) {
                CoreScalar::Null => Unexpected::Unit,
                CoreScalar::Bool(value) => Unexpected::Bool(value),
                CoreScalar::Unsigned(value) => Unexpected::Unsigned(value),
                CoreScalar::Signed(value) => Unexpected::Signed(value),
                CoreScalar::Float(value) => Unexpected::Float(value),
                CoreScalar::Text => Unexpected::Str(text),
            },
        };
        de::Error::invalid_type(unexpected, expected)
    }

    fn visit_number<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.core_scalar() {
            Some(CoreScalar::Unsigned(value)) => visitor.visit_u64(value),
            Some(CoreScalar::Signed(value)) => visitor.visit_i64(value),
            Some(CoreScalar::Float(value)) => visitor.visit_f64(value),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn visit_text<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.text() {
            Some(text) => visitor.visit_str(text),
            None => Err(self.mismatch(&visitor)),
        }
    }
}

macro_rules! forward {
    ($($method:ident => $to:ident),* $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.$to(visitor)
        })*
    };
}

impl<'de> de::Deserializer<'de> for Reader<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.0.value {
            Value::List(_) => self.deserialize_seq(visitor),
            Value::Map(_) => self.deserialize_map(visitor),
            Value::Text(text) => visitor.visit_str(text),
            Value::Plain(text) => match resolve_core(text) {
                CoreScalar::Null => visitor.visit_unit(),
                CoreScalar::Bool(value) => visitor.visit_bool(value),
                CoreScalar::Text => visitor.visit_str(text),
                _ => self.visit_number(visitor),
            },
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.core_scalar() {
            Some(CoreScalar::Bool(value)) => visitor.visit_bool(value),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    forward! {
        deserialize_i8 => visit_number,
        deserialize_i16 => visit_number,
        deserialize_i32 => visit_number,
        deserialize_i64 => visit_number,
        deserialize_u8 => visit_number,
        deserialize_u16 => visit_number,
        deserialize_u32 => visit_number,
        deserialize_u64 => visit_number,
        deserialize_f32 => visit_number,
        deserialize_f64 => visit_number,
        deserialize_char => visit_text,
        deserialize_str => visit_text,
        deserialize_string => visit_text,
        deserialize_identifier => visit_text,
        deserialize_bytes => deserialize_any,
        deserialize_byte_buf => deserialize_any,
        deserialize_unit => deserialize_any,
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_core_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.0.value {
            Value::List(nodes) => visitor.visit_seq(Items(nodes.iter())),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.0.value {
            Value::Map(entries) => visitor.visit_map(Entries::new(entries)),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match (&self.0.value, self.text()) {
            (_, Some(name)) => {
                let name: StrDeserializer<'_, Error> = name.into_deserializer();
                visitor.visit_enum(name)
            }
            (Value::Map(entries), _) if entries.len() == 1 => {
                visitor.visit_enum(MapAccessDeserializer::new(Entries::new(entries)))
            }
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}

/// The values of a list.
struct Items<'n>(slice::Iter<'n, Node>);

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let Some(node) = self.0.next() else { return Ok(None) };
        seed.deserialize(Reader(node)).map(Some).map_err(|error| error.at(node.place))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// The entries of a mapping, in the order of the file.
struct Entries<'n> {
    entries: vec::IntoIter<(&'n String, &'n Entry)>,
    /// The value of the last key.
    value: Option<&'n Node>,
}

impl<'n> Entries<'n> {
    fn new(entries: &'n BTreeMap<String, Entry>) -> Self {
        let mut entries: Vec<_> = entries.iter().collect();
        entries.sort_by_key(|(_, entry)| entry.place);
        Self { entries: entries.into_iter(), value: None }
    }
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((key, entry)) = self.entries.next() else { return Ok(None) };
        self.value = Some(&entry.node);
        let key: StrDeserializer<'_, Error> = key.as_str().into_deserializer();
        seed.deserialize(key).map(Some).map_err(|error| error.at(entry.place))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let node = self.value.take();
        let node = node.ok_or_else(|| Error::new("the value has no key".to_owned()))?;
        seed.deserialize(Reader(node)).map_err(|error| error.at(node.place))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::{Value as Json, json};

    use super::super::from_str;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum Kind {
        Unit,
        Parts { size: u8 },
    }

    #[test]
    fn reads_scalars_as_the_type_that_is_asked_for() {
        let texts: Vec<String> = from_str("[1, true, 1.50, yes, '']").unwrap();
        assert_eq!(texts, ["1", "true", "1.50", "yes", ""]);
        assert_eq!(from_str::<Vec<Option<u8>>>("[1, ~, '2']").unwrap(), [Some(1), None, Some(2)]);
        assert_eq!(from_str::<Vec<bool>>("[true, 'false']").unwrap(), [true, false]);
        let values: Json = from_str("{b: &x [1, -2, 0.5, null, 007, '8'], a: *x}").unwrap();
        let list = json!([1, -2, 0.5, null, "007", "8"]);
        assert_eq!(values, json!({"a": list, "b": list}));
        assert_eq!(
            from_str::<Vec<Kind>>("[unit, {parts: {size: 1}}]").unwrap(),
            [Kind::Unit, Kind::Parts { size: 1 }]
        );
    }

    #[test]
    fn errors_have_the_place_of_the_invalid_part() {
        let error =
            |yaml: &str| from_str::<BTreeMap<String, Kind>>(yaml).unwrap_err()[0].to_string();
        insta::assert_snapshot!(error("a: unit\nb: two"), @":2:4: unknown value `two`; expected `unit` or `parts`");
        insta::assert_snapshot!(error("a: {parts: {size: 300}}"), @":1:19: must be a whole number that is not negative, not 300");
        insta::assert_snapshot!(error("a:\n  parts:\n    width: 1"), @":3:5: unknown key `width`; expected `size`");
        insta::assert_snapshot!(error("a: {parts: {}}"), @":1:12: the key `size` is missing");
        insta::assert_snapshot!(error("a: unit\na: unit"), @r#":2:1: duplicate key "a"; first used in line 1"#);
        insta::assert_snapshot!(error("[]"), @":1:1: must be a mapping, not a list");
    }
}
