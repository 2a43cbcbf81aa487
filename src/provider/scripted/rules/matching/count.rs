//! Conditions on numbers.

use std::fmt;

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::base::schema_keys::{having, lacking};

/// A condition on a number. A number is short for `exactly`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(with = "Source")]
pub struct Count {
    min: u64,
    max: Option<u64>,
}

/// The schema of a condition.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the format only")]
enum Source {
    Exactly(u64),
    Parts(Parts),
}

/// A condition on a number: `exactly`, or one or both of `at_least` and `at_most`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    rename = "CountParts",
    extend("anyOf" = having(&["exactly", "at_least", "at_most"])),
    extend("oneOf" = [lacking(&["exactly"]), lacking(&["at_least", "at_most"])])
)]
struct Parts {
    /// The number.
    exactly: Option<u64>,
    /// The smallest number.
    at_least: Option<u64>,
    /// The largest number.
    at_most: Option<u64>,
}

impl Count {
    /// The condition that a number is this one.
    pub fn exactly(number: u64) -> Self {
        Self { min: number, max: Some(number) }
    }

    /// The condition that a number is this one or larger.
    pub fn at_least(number: u64) -> Self {
        Self { min: number, max: None }
    }

    /// Returns `true` if the condition needs a larger number.
    pub fn is_too_few(self, number: u64) -> bool {
        number < self.min
    }

    /// Returns `true` if the condition holds.
    pub fn holds(self, number: u64) -> bool {
        self.min <= number && self.max.is_none_or(|max| number <= max)
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            (min, Some(max)) if min == max => write!(f, "exactly {min}"),
            (0, Some(max)) => write!(f, "at most {max}"),
            (min, Some(max)) => write!(f, "at least {min} and at most {max}"),
            (min, None) => write!(f, "at least {min}"),
        }
    }
}

impl TryFrom<Parts> for Count {
    type Error = String;

    fn try_from(parts: Parts) -> Result<Self, String> {
        match (parts.exactly, parts.at_least, parts.at_most) {
            (Some(number), None, None) => Ok(Self::exactly(number)),
            (None, None, None) => {
                Err("the condition is empty; expected exactly, at_least or at_most".to_owned())
            }
            (None, Some(min), Some(max)) if min > max => {
                Err(format!("at_least is {min}, which is more than the {max} of at_most"))
            }
            (None, min, max) => Ok(Self { min: min.unwrap_or_default(), max }),
            (Some(_), ..) => Err("exactly excludes at_least and at_most".to_owned()),
        }
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(CountVisitor)
    }
}

struct CountVisitor;

impl<'de> Visitor<'de> for CountVisitor {
    type Value = Count;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number that is not negative, or a condition such as {at_least: 1}")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Count, E> {
        Ok(Count::exactly(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Count, E> {
        let number = u64::try_from(number);
        number
            .map(Count::exactly)
            .map_err(|_| E::custom("a negative number; expected a number that is not negative"))
    }

    fn visit_map<A: MapAccess<'de>>(self, parts: A) -> Result<Count, A::Error> {
        let parts = Parts::deserialize(MapAccessDeserializer::new(parts))?;
        parts.try_into().map_err(A::Error::custom)
    }
}
