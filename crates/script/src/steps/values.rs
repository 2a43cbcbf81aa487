//! Values that are checked when they are read.

use std::{borrow::Cow, fmt, marker::PhantomData, num::NonZeroUsize, time::Duration};

use mynah_core::base;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{Error, IntoDeserializer, Unexpected, Visitor},
};
use serde_json::value::RawValue;

use super::quoted::quoted;

/// The largest integer that every JSON parser represents exactly.
pub(crate) const MAX_EXACT: u64 = (1 << 53) - 1;

/// A whole number in a range, which may be written as 5.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Whole<const MIN: u64, const MAX: u64>(u64);

/// Number of words or characters in a chunk.
pub(super) type ChunkLength = Whole<1, 100_000>;

/// A text of at most this number of characters.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("maxLength" = MAX))]
pub(crate) struct Text<const MAX: usize>(pub(crate) String);

/// A duration in Go's format: 50ms, 1.5s, 1h2m.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(rename = "Duration", with = "String", extend(
    "pattern" = r"^[+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$"
))]
pub(crate) struct GoDuration(pub(crate) Duration);

/// The value `true`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "bool")]
#[schemars(inline, with = "bool", extend("const" = true))]
pub(crate) struct True;

/// One of several texts. Unlike for an enum, the errors say that a text is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(inline, transparent)]
pub(crate) struct Word<T>(pub(crate) T);

/// A text. A number or a boolean is a text as written.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(inline, with = "String", extend("type" = ["string", "number", "boolean"]))]
pub(crate) struct Scalar(pub(crate) String);

/// A JSON value as compact text.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(inline, with = "serde_json::Value")]
pub(crate) struct Json(pub(crate) String);

/// A JSON object as compact text.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(inline, with = "serde_json::Map<String, serde_json::Value>")]
pub(crate) struct JsonObject(pub(crate) String);

impl<const MIN: u64, const MAX: u64> Whole<MIN, MAX> {
    pub(crate) fn get(self) -> u64 {
        self.0
    }

    pub(crate) fn to_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<const MAX: u64> From<Whole<1, MAX>> for NonZeroUsize {
    fn from(number: Whole<1, MAX>) -> Self {
        // It is at least 1.
        Self::new(number.to_usize()).unwrap_or(Self::MIN)
    }
}

impl<const MIN: u64, const MAX: u64> JsonSchema for Whole<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("whole_from_{MIN}_to_{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_f64(WholeVisitor)
    }
}

struct WholeVisitor<const MIN: u64, const MAX: u64>;

impl<const MIN: u64, const MAX: u64> Visitor<'_> for WholeVisitor<MIN, MAX> {
    type Value = Whole<MIN, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match MAX {
            u64::MAX => write!(f, "a whole number of at least {MIN}"),
            max => write!(f, "a whole number from {MIN} to {max}"),
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        if (MIN..=MAX).contains(&number) {
            return Ok(Whole(number));
        }
        Err(E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        if number.fract() == 0.0 && number >= MIN as f64 && number <= MAX as f64 {
            return Ok(Whole(number as u64));
        }
        Err(E::invalid_value(Unexpected::Float(number), &self))
    }
}

impl<const MAX: usize> TryFrom<String> for Text<MAX> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.chars().nth(MAX) {
            None => Ok(Self(text)),
            Some(_) => Err(format!("must have at most {MAX} characters")),
        }
    }
}

impl<'de> Deserialize<'de> for GoDuration {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_str(DurationVisitor)
    }
}

struct DurationVisitor;

impl Visitor<'_> for DurationVisitor {
    type Value = GoDuration;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration such as \"500ms\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<GoDuration, E> {
        base::duration::parse(text).map(GoDuration).map_err(|error| {
            // The message quotes the text, which may be long.
            E::custom(error.to_string().replacen(&format!("{text:?}"), &quoted(text), 1))
        })
    }
}

impl TryFrom<bool> for True {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, Self::Error> {
        if value { Ok(Self) } else { Err("must be true or absent") }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_str(WordVisitor(PhantomData))
    }
}

struct WordVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for WordVisitor<T> {
    type Value = Word<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Word<T>, E> {
        T::deserialize(text.into_deserializer()).map(Word)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(source).map(|value| Self(compact(&value)))
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let value = Box::<RawValue>::deserialize(source)?;
        match value.get().starts_with('{') {
            true => Ok(Self(compact(&value))),
            false => Err(D::Error::custom("must be an object")),
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let value = <&RawValue>::deserialize(source)?.get();
        match value.as_bytes() {
            [b'"', ..] => serde_json::from_str(value).map(Self).map_err(D::Error::custom),
            [b'[' | b'{', ..] => Err(D::Error::custom("must be a text")),
            _ => Ok(Self(value.to_owned())),
        }
    }
}

/// Removes whitespace between tokens. Numbers and strings keep their text.
pub(crate) fn compact(value: &RawValue) -> String {
    let (mut compact, mut in_string, mut escaped) = (String::new(), false, false);
    for char in value.get().chars() {
        if in_string || !char.is_ascii_whitespace() {
            compact.push(char);
        }
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
    }
    compact
}
