//! Values that a file cannot have wrong.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{duration, quantity};

/// A command may write no more than this, whatever a result may have.
pub(super) const MAX_OUTPUT: usize = 16 << 20;

/// A time above zero, as Go writes it: 500ms, 10s, 1m30s.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(
    with = "String",
    extend("pattern" = r"^[+]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$")
)]
pub(super) struct Time(pub(super) Duration);

impl TryFrom<String> for Time {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match duration::parse(&text) {
            Ok(time) if time.is_zero() => Err(format!("{text:?} is no time; use one above 0s")),
            Ok(time) => Ok(Self(time)),
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
            format!("{text:?} is no size; write 1 to 16Mi bytes, such as 65536, 64Ki or 1Mi")
        })
    }
}

/// How often something is tried again, 0 to 10.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "u32", extend("maximum" = MAX_RETRIES))]
pub(super) struct Retries(pub(super) u32);

const MAX_RETRIES: u32 = 10;

impl TryFrom<String> for Retries {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let retries = text.parse().ok().filter(|retries| *retries <= MAX_RETRIES);
        retries.map(Self).ok_or_else(|| format!("{text:?} is not a number from 0 to 10"))
    }
}

/// A program and its arguments. No shell reads them; to have one, write [sh, -c, ...].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<String>")]
#[schemars(with = "Vec<String>", extend("minItems" = 1))]
pub(super) struct Argv {
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
}

impl TryFrom<Vec<String>> for Argv {
    type Error = String;

    fn try_from(mut words: Vec<String>) -> Result<Self, String> {
        if words.first().is_none_or(String::is_empty) {
            return Err("there is no program; write one, such as [python3, tool.py]".to_owned());
        }
        let arguments = words.split_off(1);
        Ok(Self { program: words.concat(), arguments })
    }
}
