//! Generates strings from the format, the property name or the pattern.

use serde_json::Value;

use super::{
    formats,
    generator::Generator,
    limits::{json_len, spend_or_exhaust},
    pattern::{Pattern, pad},
    schema::{FlatSchema, NoValue},
    string_constraints::StringConstraints,
};
use crate::provider::echo::{
    facts::meaning_of,
    text::{canonical_words, lower_case_words},
};

/// Maximum number of strings to try for a pattern.
const MAX_TRIES: usize = 32;

impl<'a> Generator<'a> {
    /// Generates the `nth` string for the property `name`.
    pub(super) fn string(
        &mut self,
        flat: &FlatSchema<'a>,
        name: &str,
        nth: usize,
    ) -> Result<Value, NoValue> {
        let constraints = StringConstraints::new(flat, &mut self.budget.steps);
        if let Some(reason) = &constraints.unchecked {
            self.note_violation(reason);
        }
        let candidates = self.candidates(flat, &constraints, name, nth);
        let max_bytes = self.budget.bytes;
        let valid =
            candidates.iter().find(|text| json_len(text) < max_bytes && constraints.allow(text));
        if let Some(text) = valid {
            return Ok(Value::from(text.as_str()));
        }
        let pattern = flat.strings("pattern").next().or((nth > 0).then_some("[A-Za-z0-9]+"));
        let matching = pattern.and_then(|pattern| self.match_pattern(pattern, &constraints, nth));
        if let Some(text) = matching {
            return Ok(Value::from(text));
        }
        self.fit_length(candidates.last().map_or("", String::as_str), &constraints, nth)
    }

    /// Returns candidate strings, best first.
    fn candidates(
        &self,
        flat: &FlatSchema,
        constraints: &StringConstraints,
        name: &str,
        nth: usize,
    ) -> Vec<String> {
        for format in flat.strings("format") {
            let (min_len, max_len) = (constraints.min_len, constraints.max_len);
            if let Some(examples) = formats::candidates(format, nth, min_len, max_len) {
                return examples;
            }
        }
        let meaning = meaning_of(&canonical_words(name), None, &self.tool, false);
        let sample = meaning.map_or("", |meaning| meaning.row.sample);
        let sample = Some(sample).filter(|sample| !sample.is_empty()).map(str::to_owned);
        let property = lower_case_words(name);
        let words = ["Test".to_owned()].into_iter().chain(self.subject.clone()).chain(property);
        let text = words.collect::<Vec<_>>().join(" ");
        let samples = sample.into_iter().chain([text]);
        samples.map(|text| number_variant(text, nth)).collect()
    }

    /// Returns a string that matches the pattern and satisfies the other constraints.
    fn match_pattern(
        &mut self,
        pattern: &str,
        constraints: &StringConstraints,
        nth: usize,
    ) -> Option<String> {
        let pattern = Pattern::parse(pattern)?;
        let max_bytes = self.budget.bytes.min(constraints.max_len.saturating_mul(4));
        for minimal in [false, true] {
            for nth in nth..nth + MAX_TRIES {
                let generated = pattern.generate(nth, minimal, constraints.min_len, max_bytes);
                let Some(text) = generated else { break };
                if !spend_or_exhaust(&mut self.budget.steps, text.len()) {
                    return None;
                }
                if constraints.allow(&text) {
                    return Some(text);
                }
            }
        }
        None
    }

    /// Truncates or pads a text. If only the length was wrong, the result is valid.
    fn fit_length(
        &mut self,
        text: &str,
        constraints: &StringConstraints,
        nth: usize,
    ) -> Result<Value, NoValue> {
        if nth > 0 {
            return Err(NoValue::Unsatisfiable);
        }
        // Leave half of the bytes for the rest of the value.
        let max_bytes = self.budget.bytes / 2;
        if constraints.min_len > max_bytes && !self.best_effort {
            return Err(self.limit_reached("byte"));
        }
        let short: String = text.chars().take(constraints.max_len.min(max_bytes / 6)).collect();
        let text = pad(short, constraints.min_len.min(constraints.max_len), max_bytes);
        if !constraints.allow(&text) {
            self.note_violation("no string found that satisfies pattern, format and length");
        }
        Ok(Value::from(text))
    }
}

/// Returns the `nth` variant of a text.
fn number_variant(text: String, nth: usize) -> String {
    match nth {
        0 => text,
        _ if text == "test@example.com" => format!("test{}@example.com", nth + 1),
        _ => format!("{text} {}", nth + 1),
    }
}
