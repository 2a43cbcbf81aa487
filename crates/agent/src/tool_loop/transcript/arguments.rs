//! The arguments of a call, and the key that identifies the call.

use std::{collections::BTreeMap, fmt, io, str::FromStr, sync::Arc};

use indexmap::IndexMap;
use mynah_core::chat::ToolCall;
use serde::{Deserialize, Serialize};
use serde_json::{
    Map, Serializer, Value,
    ser::{CompactFormatter, Formatter},
};
use thiserror::Error;

/// The arguments of a call, in the order in which they were written.
///
/// Two sets of arguments are equal if they have the same names and values. Order does not matter,
/// and numbers are compared by value.
///
/// ```
/// use mynah_agent::tool_loop::transcript::Arguments;
/// let given: Arguments = r#"{"city": "Oslo", "days": 1.0}"#.parse()?;
/// assert_eq!(given.to_string(), r#"{"city":"Oslo","days":1.0}"#);
/// assert_eq!(given, r#"{"days": 1, "city": "Oslo"}"#.parse()?);
/// assert_eq!(given.get("city"), Some(&"Oslo".into()));
/// # Ok::<(), mynah_agent::tool_loop::transcript::InvalidArguments>(())
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Arguments(IndexMap<String, Value>);

/// The error returned if the arguments of a call are not a JSON object.
#[derive(Debug, Error)]
#[error("invalid tool call arguments: {0}")]
pub struct InvalidArguments(#[from] serde_json::Error);

impl Arguments {
    /// Iterates over names and values in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the value of an argument.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Returns `true` if there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn by_name(&self) -> BTreeMap<&str, &Value> {
        self.iter().collect()
    }
}

/// If a name occurs more than once, the last value wins and takes the position of the first value.
impl<N: Into<String>> FromIterator<(N, Value)> for Arguments {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

impl<N: Into<String>, const COUNT: usize> From<[(N, Value); COUNT]> for Arguments {
    fn from(pairs: [(N, Value); COUNT]) -> Self {
        pairs.into_iter().collect()
    }
}

impl From<Map<String, Value>> for Arguments {
    fn from(object: Map<String, Value>) -> Self {
        object.into_iter().collect()
    }
}

/// Parses the arguments of a [`ToolCall`](mynah_core::chat::ToolCall). Blank text means no arguments.
impl FromStr for Arguments {
    type Err = InvalidArguments;

    fn from_str(text: &str) -> Result<Self, InvalidArguments> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        Ok(serde_json::from_str(text)?)
    }
}

/// Formats the arguments as compact JSON.
impl fmt::Display for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl PartialEq for Arguments {
    fn eq(&self, other: &Self) -> bool {
        canonical_json(&self.by_name()) == canonical_json(&other.by_name())
    }
}

/// Identifies a call by the tool's name and the arguments. Two calls are the same if their keys are
/// equal.
///
/// The order of arguments does not matter, and numbers are compared by value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallKey(Arc<str>);

impl CallKey {
    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the key of a call with parsed arguments.
    pub(super) fn new(name: &str, arguments: &Arguments) -> Self {
        Self(canonical_json(&(name, arguments.by_name())).into())
    }

    /// Returns the key of a call as the model made it. Arguments that are not JSON are compared as
    /// text.
    pub(super) fn of(call: &ToolCall) -> Self {
        let ToolCall { name, arguments, .. } = call;
        if arguments.trim().is_empty() {
            return Self::new(name, &Arguments::default());
        }
        let arguments: Value =
            serde_json::from_str(arguments).unwrap_or_else(|_| arguments.as_str().into());
        Self(canonical_json(&(name, arguments)).into())
    }
}

/// Returns compact JSON in which equal numbers have the same text, even if one was written as 1 and
/// the other as 1.0.
pub(super) fn canonical_json(value: &impl Serialize) -> String {
    let mut json = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut json, CanonicalNumbers));
    // This never fails: all keys are strings, and writing to a vector has no errors.
    written.ok().and_then(|()| String::from_utf8(json).ok()).unwrap_or_default()
}

struct CanonicalNumbers;

impl Formatter for CanonicalNumbers {
    fn write_f64<W: io::Write + ?Sized>(&mut self, out: &mut W, number: f64) -> io::Result<()> {
        // serde_json parses larger whole numbers as floats, however they are written.
        const MAX_INTEGER: f64 = u64::MAX as f64;
        if number.fract() == 0.0 && number.abs() < MAX_INTEGER {
            write!(out, "{}", number as i128)
        } else {
            CompactFormatter.write_f64(out, number)
        }
    }
}
