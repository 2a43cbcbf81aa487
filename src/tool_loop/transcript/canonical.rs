//! Canonical JSON, so that values can be compared as text.

use std::io;

use serde::Serialize;
use serde_json::{
    Serializer,
    ser::{CompactFormatter, Formatter},
};

/// Returns compact JSON in which equal numbers have equal text, whether written as 1 or as 1.0.
pub(super) fn canonical_json(value: &impl Serialize) -> String {
    let mut json = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut json, CanonicalNumbers));
    // Cannot fail: all keys are strings, and writing to a vector has no errors.
    written.ok().and_then(|()| String::from_utf8(json).ok()).unwrap_or_default()
}

struct CanonicalNumbers;

impl Formatter for CanonicalNumbers {
    fn write_f64<W: io::Write + ?Sized>(&mut self, out: &mut W, number: f64) -> io::Result<()> {
        // serde_json parses larger whole numbers as floats in any case.
        const MAX_INTEGER: f64 = u64::MAX as f64;
        if number.fract() == 0.0 && number.abs() < MAX_INTEGER {
            write!(out, "{}", number as i128)
        } else {
            CompactFormatter.write_f64(out, number)
        }
    }
}
