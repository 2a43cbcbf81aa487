//! The constraints that a schema places on a string: length, patterns and formats.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use mynah_core::base::json_schema::Schema;
use serde_json::{Value, json};

use super::{budget::Budget, formats, schema::FlatSchema};

/// Steps charged for compiling a pattern.
pub(super) const PATTERN_STEPS: usize = 500;
/// Steps charged for compiling a format.
const FORMAT_STEPS: usize = 100;

thread_local! {
    /// The validators of known formats, by name. Checking a value is much faster than compiling one.
    static FORMATS: RefCell<BTreeMap<String, Rc<Schema>>> = const { RefCell::new(BTreeMap::new()) };
}

/// The constraints that a schema places on a string.
pub(super) struct StringConstraints {
    pub(super) min_len: usize,
    pub(super) max_len: usize,
    validators: Vec<Rc<Schema>>,
    /// The reason why the first pattern that is not checked is not.
    pub(super) unchecked: Option<String>,
}

impl StringConstraints {
    /// Compiles the constraints until the steps are used up.
    pub(super) fn new(flat: &FlatSchema<'_>, budget: &mut Budget) -> Self {
        let (mut validators, mut unchecked) = (Vec::new(), None);
        for pattern in flat.strings("pattern") {
            if budget.spend_steps(PATTERN_STEPS + pattern.len()).is_err() {
                unchecked.get_or_insert("too many patterns to check".to_owned());
            } else if let Ok(schema) = Schema::compile(&json!({"pattern": pattern})) {
                validators.push(Rc::new(schema));
            } else {
                unchecked.get_or_insert_with(|| format!("pattern {pattern:?} is not supported"));
            }
        }
        for format in flat.strings("format").filter(|format| formats::is_known(format)) {
            if budget.spend_steps(FORMAT_STEPS).is_ok() {
                validators.extend(format_validator(format));
            }
        }
        let (min_len, max_len) = (flat.lower_limit("minLength"), flat.upper_limit("maxLength"));
        Self { min_len, max_len, validators, unchecked }
    }

    /// Returns `true` if a string satisfies all constraints.
    pub(super) fn allow(&self, text: &str) -> bool {
        let value = || Value::from(text);
        (self.min_len..=self.max_len).contains(&text.chars().count())
            && (self.validators.is_empty()
                || self.validators.iter().all(|validator| validator.is_valid(&value())))
    }
}

/// Returns the validator of a known format, from the cache of this thread.
fn format_validator(format: &str) -> Option<Rc<Schema>> {
    FORMATS.with_borrow_mut(|formats| {
        if let Some(validator) = formats.get(format) {
            return Some(Rc::clone(validator));
        }
        let validator = Rc::new(Schema::compile(&json!({"format": format})).ok()?);
        formats.insert(format.to_owned(), Rc::clone(&validator));
        Some(validator)
    })
}
