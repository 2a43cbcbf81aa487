//! Conditions on numbers.

use std::{fmt, marker::PhantomData};

use mynah_core::base::schema_keys::{having, lacking};
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

/// A condition on a whole number that is not negative.
pub type Count = Bounds<u64>;

/// A condition on a number. A number is short for `exactly`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(with = "Source<N>")]
pub struct Bounds<N: Bound> {
    min: Option<N>,
    max: Option<N>,
}

/// A type of numbers that conditions compare.
pub trait Bound: Copy + PartialOrd + fmt::Display + DeserializeOwned + JsonSchema {
    /// What a condition may be.
    const EXPECTED: &'static str;

    /// Converts a whole number.
    fn of_unsigned(number: u64) -> Self;

    /// Converts a negative number.
    fn of_negative(number: i64) -> Option<Self>;

    /// Converts a number with a fraction.
    fn of_float(number: f64) -> Option<Self>;
}

impl Bound for u64 {
    const EXPECTED: &'static str =
        "a number that is not negative, or a condition such as {at_least: 1}";

    fn of_unsigned(number: u64) -> Self {
        number
    }

    fn of_negative(_: i64) -> Option<Self> {
        None
    }

    fn of_float(_: f64) -> Option<Self> {
        None
    }
}

impl Bound for f64 {
    const EXPECTED: &'static str = "a number, or a condition such as {at_most: 0.5}";

    fn of_unsigned(number: u64) -> Self {
        number as Self
    }

    fn of_negative(number: i64) -> Option<Self> {
        Some(number as Self)
    }

    fn of_float(number: f64) -> Option<Self> {
        Some(number)
    }
}

/// The schema of a condition.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the format only")]
enum Source<N> {
    Exactly(N),
    Parts(Parts<N>),
}

/// A condition on a number: `exactly`, or one or both of `at_least` and `at_most`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    extend("anyOf" = having(&["exactly", "at_least", "at_most"])),
    extend("oneOf" = [lacking(&["exactly"]), lacking(&["at_least", "at_most"])])
)]
struct Parts<N> {
    /// The number.
    exactly: Option<N>,
    /// The smallest number.
    at_least: Option<N>,
    /// The largest number.
    at_most: Option<N>,
}

impl<N: Bound> Bounds<N> {
    /// The condition that a number is this one.
    pub fn exactly(number: N) -> Self {
        Self { min: Some(number), max: Some(number) }
    }

    /// The condition that a number is this one or larger.
    pub fn at_least(number: N) -> Self {
        Self { min: Some(number), max: None }
    }

    /// Returns `true` if the condition needs a larger number.
    pub fn is_too_few(self, number: N) -> bool {
        self.min.is_some_and(|min| number < min)
    }

    /// Returns `true` if the condition holds.
    pub fn holds(self, number: N) -> bool {
        self.min.is_none_or(|min| min <= number) && self.max.is_none_or(|max| number <= max)
    }
}

impl<N: Bound> fmt::Display for Bounds<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            (Some(min), Some(max)) if min == max => write!(f, "exactly {min}"),
            (Some(min), Some(max)) => write!(f, "at least {min} and at most {max}"),
            (None, Some(max)) => write!(f, "at most {max}"),
            (Some(min), None) => write!(f, "at least {min}"),
            (None, None) => f.write_str("any number"),
        }
    }
}

impl<N: Bound> TryFrom<Parts<N>> for Bounds<N> {
    type Error = String;

    fn try_from(parts: Parts<N>) -> Result<Self, String> {
        match (parts.exactly, parts.at_least, parts.at_most) {
            (Some(number), None, None) => Ok(Self::exactly(number)),
            (None, None, None) => {
                Err("the condition is empty; expected exactly, at_least or at_most".to_owned())
            }
            (None, Some(min), Some(max)) if min > max => {
                Err(format!("at_least is {min}, which is more than the {max} of at_most"))
            }
            (None, min, max) => Ok(Self { min, max }),
            (Some(_), ..) => Err("exactly excludes at_least and at_most".to_owned()),
        }
    }
}

impl<'de, N: Bound> Deserialize<'de> for Bounds<N> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(BoundsVisitor(PhantomData))
    }
}

struct BoundsVisitor<N>(PhantomData<N>);

impl<'de, N: Bound> Visitor<'de> for BoundsVisitor<N> {
    type Value = Bounds<N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(N::EXPECTED)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Bounds<N>, E> {
        Ok(Bounds::exactly(N::of_unsigned(number)))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Bounds<N>, E> {
        if let Ok(number) = u64::try_from(number) {
            return self.visit_u64(number);
        }
        let negative = || E::custom("a negative number; expected a number that is not negative");
        N::of_negative(number).map(Bounds::exactly).ok_or_else(negative)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Bounds<N>, E> {
        let fraction = || E::invalid_type(serde::de::Unexpected::Float(number), &self);
        N::of_float(number).map(Bounds::exactly).ok_or_else(fraction)
    }

    fn visit_map<A: MapAccess<'de>>(self, parts: A) -> Result<Bounds<N>, A::Error> {
        let parts = Parts::deserialize(MapAccessDeserializer::new(parts))?;
        parts.try_into().map_err(A::Error::custom)
    }
}
