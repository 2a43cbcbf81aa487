//! The constraints that a schema places on a string: length, patterns and formats.

use serde_json::{Value, json};

use super::{formats, limits::spend_or_exhaust, schema::FlatSchema};
use crate::base::json_schema::Schema;

/// Steps charged for compiling a pattern.
const PATTERN_STEPS: usize = 500;
/// Steps charged for compiling a format.
const FORMAT_STEPS: usize = 100;

/// The constraints that a schema places on a string.
pub(super) struct StringConstraints {
    pub(super) min_len: usize,
    pub(super) max_len: usize,
    validators: Vec<Schema>,
    /// The reason why a pattern is not checked. If there are several such patterns, the reason for
    /// the first.
    pub(super) unchecked: Option<String>,
}

impl StringConstraints {
    /// Compiles the constraints until the steps are used up.
    pub(super) fn new(flat: &FlatSchema<'_>, steps: &mut usize) -> Self {
        let (min_len, max_len) = (flat.lower_limit("minLength"), flat.upper_limit("maxLength"));
        let mut constraints = Self { min_len, max_len, validators: Vec::new(), unchecked: None };
        for pattern in flat.strings("pattern") {
            if !spend_or_exhaust(steps, PATTERN_STEPS + pattern.len()) {
                constraints
                    .unchecked
                    .get_or_insert_with(|| "too many patterns to check".to_owned());
            } else if !constraints.add(&json!({"pattern": pattern})) {
                let reason = || format!("pattern {pattern:?} is not supported");
                constraints.unchecked.get_or_insert_with(reason);
            }
        }
        for format in flat.strings("format").filter(|format| formats::is_known(format)) {
            if spend_or_exhaust(steps, FORMAT_STEPS) {
                constraints.add(&json!({"format": format}));
            }
        }
        constraints
    }

    /// Adds a constraint. Returns `true` if it compiles.
    fn add(&mut self, schema: &Value) -> bool {
        let compiled = Schema::compile(schema).ok();
        let is_supported = compiled.is_some();
        self.validators.extend(compiled);
        is_supported
    }

    /// Returns `true` if a string satisfies all constraints.
    pub(super) fn allow(&self, text: &str) -> bool {
        let value = || Value::from(text);
        (self.min_len..=self.max_len).contains(&text.chars().count())
            && (self.validators.is_empty()
                || self.validators.iter().all(|validator| validator.is_valid(&value())))
    }
}
