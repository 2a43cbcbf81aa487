//! When two calls are the same.

use std::{io, sync::Arc};

use serde::Serialize;
use serde_json::{
    Serializer, Value,
    ser::{CompactFormatter, Formatter},
};

use super::Arguments;
use crate::chat::ToolCall;

/// What makes a call: its name and its arguments, by value. Calls that are the same have the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallKey(Arc<str>);

impl CallKey {
    pub(in crate::tool_loop) fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of a call whose arguments are known.
    pub(super) fn new(name: &str, arguments: &Arguments) -> Self {
        Self(by_value(&(name, arguments.by_name())).into())
    }

    /// The key of a call as a model made it; arguments that are not JSON are compared as text.
    pub(super) fn of(call: &ToolCall) -> Self {
        let ToolCall { name, arguments, .. } = call;
        if arguments.trim().is_empty() {
            return Self::new(name, &Arguments::default());
        }
        let arguments: Value =
            serde_json::from_str(arguments).unwrap_or_else(|_| arguments.as_str().into());
        Self(by_value(&(name, arguments)).into())
    }
}

/// Compact JSON in which a number has one form, whether it was written as 1 or as 1.0.
pub(super) fn by_value(value: &impl Serialize) -> String {
    let mut json = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut json, OneForm));
    // Values have only texts for names, and a vector takes everything: neither can go wrong.
    written.ok().and_then(|()| String::from_utf8(json).ok()).unwrap_or_default()
}

struct OneForm;

impl Formatter for OneForm {
    fn write_f64<W: io::Write + ?Sized>(&mut self, out: &mut W, number: f64) -> io::Result<()> {
        // Beyond, whole numbers are read as floats anyway.
        const END_OF_INTEGERS: f64 = u64::MAX as f64;
        if number.fract() == 0.0 && number.abs() < END_OF_INTEGERS {
            write!(out, "{}", number as i128)
        } else {
            CompactFormatter.write_f64(out, number)
        }
    }
}
