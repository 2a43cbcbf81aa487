//! Canonical JSON, which allows values to be compared as text.

use std::io;

use serde::Serialize;
use serde_json::{
    Serializer,
    ser::{CompactFormatter, Formatter},
};

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
