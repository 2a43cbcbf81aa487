//! Values that are validated when the file is parsed.

use std::{fmt, time::Duration};

use mynah_core::base::{
    duration::{self, DurationError},
    quantity,
};
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};

/// Maximum size of a command's standard output in bytes, and therefore of a result.
pub(super) const MAX_OUTPUT: usize = 16 << 20;

/// A duration above zero in Go's format: 500ms, 10s, 1m30s.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(
    with = "String",
    extend("pattern" = r"^[+]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$")
)]
pub struct Time(pub Duration);

impl TryFrom<String> for Time {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match duration::parse(&text) {
            Ok(time) if !time.is_zero() => Ok(Self(time)),
            Ok(_) | Err(DurationError::Negative(_)) => {
                Err(format!("{text:?} is too short; use a duration above 0s, such as 500ms or 10s"))
            }
            Err(DurationError::Malformed(_)) if text.parse::<u64>().is_ok() => {
                Err(format!("{text:?} has no unit; add one, such as {text}s"))
            }
            Err(error) => Err(error.to_string()),
        }
    }
}

/// A size in bytes, 1 to 16Mi: 65536, 64Ki, 1Mi.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(
    with = "String",
    extend("type" = ["string", "integer"], "minimum" = 1, "maximum" = MAX_OUTPUT,
        "pattern" = "^[0-9]+([kMG]|[KMG]i)?$")
)]
pub(super) struct Size(pub(super) usize);

impl TryFrom<String> for Size {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let size = quantity::parse(&text).filter(|size| *size <= MAX_OUTPUT);
        size.map(Self).ok_or_else(|| {
            format!("{text:?} is not a size; expected 1 to 16Mi bytes, such as 65536, 64Ki or 1Mi")
        })
    }
}

/// A number of retries, 0 to 10.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "u32", extend("maximum" = MAX_RETRIES))]
pub struct Retries(pub u32);

const MAX_RETRIES: u32 = 10;

impl TryFrom<String> for Retries {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let retries = text.parse().ok().filter(|retries| *retries <= MAX_RETRIES);
        retries.map(Self).ok_or_else(|| format!("{text:?} is not a number from 0 to 10"))
    }
}

/// A program and its arguments. They are not passed to a shell; to use one, write [sh, -c, ...].
#[derive(Debug, Clone, JsonSchema)]
#[schemars(with = "Vec<String>", extend("minItems" = 1))]
pub struct Argv {
    /// The program, with or without its path.
    pub program: String,
    /// The arguments after the name of the program.
    pub arguments: Vec<String>,
}

impl<'de> Deserialize<'de> for Argv {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(ArgvVisitor)
    }
}

const NO_PROGRAM: &str = "the program is missing; expected a list such as [python3, tool.py]";

struct ArgvVisitor;

impl<'de> Visitor<'de> for ArgvVisitor {
    type Value = Argv;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list, such as [python3, tool.py]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Argv, A::Error> {
        let program: Option<String> = items.next_element()?;
        let mut arguments = Vec::new();
        while let Some(argument) = items.next_element()? {
            arguments.push(argument);
        }
        let program = program.filter(|program| !program.is_empty());
        let program = program.ok_or_else(|| A::Error::custom(NO_PROGRAM))?;
        Ok(Argv { program, arguments })
    }

    fn visit_unit<E: Error>(self) -> Result<Argv, E> {
        Err(E::custom(NO_PROGRAM))
    }

    fn visit_str<E: Error>(self, command: &str) -> Result<Argv, E> {
        let program = command.split_whitespace().next().unwrap_or("date");
        Err(E::custom(format_args!("must be a list, such as [{program}] or [sh, -c, ...]")))
    }
}
