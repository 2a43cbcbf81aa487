//! Generates strings from the format, the property name or the pattern.

use serde_json::Value;

use super::{
    budget::{Generation, NoValue},
    containers::json_len,
    formats,
    generator::Generator,
    pattern::{Pattern, pad},
    schema::FlatSchema,
    string_constraints::StringConstraints,
};
use crate::{
    facts::{Kind, meaning_of},
    text::{canonical_words, lower_case_words},
};

/// Maximum number of strings to try for a pattern.
const MAX_TRIES: usize = 32;
/// The fallback pattern of variants.
const ANY_WORD: &str = "[A-Za-z0-9]+";

impl<'a> Generator<'a> {
    pub(super) fn string(&mut self, flat: &FlatSchema<'a>) -> Generation {
        let constraints = StringConstraints::new(flat, &mut self.budget);
        if let Some(reason) = &constraints.unchecked {
            self.note_violation(reason);
        }
        let candidates = self.candidates(flat, constraints.min_len);
        let max_bytes = self.budget.bytes;
        let is_valid = |text: &&String| json_len(text) < max_bytes && constraints.allow(text);
        if let Some(text) = candidates.iter().find(is_valid) {
            return Ok(Value::from(text.as_str()));
        }
        let any_word = (self.frame.variant > 0).then_some(ANY_WORD);
        let pattern = flat.strings("pattern").next().or(any_word);
        if let Some(text) = pattern.and_then(|pattern| self.match_pattern(pattern, &constraints)) {
            return Ok(Value::from(text));
        }
        self.fit_length(candidates.last().map_or("", String::as_str), &constraints)
    }

    /// Returns candidate strings, best first.
    fn candidates(&self, flat: &FlatSchema, min_len: usize) -> Vec<String> {
        let by_format = |format| formats::candidates(format, self.frame.variant, min_len);
        if let Some(candidates) = flat.strings("format").find_map(by_format) {
            return candidates;
        }
        let name = self.path.last().map_or("", String::as_str);
        let meaning =
            meaning_of(&canonical_words(name), None, &self.described.subject.canonical, false);
        let sample = meaning.map(|meaning| meaning.row.sample).filter(|sample| !sample.is_empty());
        let is_person = meaning.is_some_and(|it| it.kind() == Kind::Person);
        let is_named = is_person && lower_case_words(name).last().is_some_and(|it| it == "name");
        let sample = sample.or(is_named.then_some("Test User"));
        let words = self.described.subject.words.iter().cloned().chain(lower_case_words(name));
        let words = words.fold("Test".to_owned(), |text, word| text + " " + &word);
        let samples = sample.map(str::to_owned).into_iter().chain([words]);
        samples.map(|text| self.number_variant(text)).collect()
    }

    fn number_variant(&self, text: String) -> String {
        match self.frame.variant + 1 {
            1 => text,
            number if text.contains('@') => text.replace('@', &format!("{number}@")),
            number => format!("{text} {number}"),
        }
    }

    /// Returns a string that matches the pattern and satisfies the other constraints.
    fn match_pattern(&mut self, pattern: &str, constraints: &StringConstraints) -> Option<String> {
        let pattern = Pattern::parse(pattern)?;
        let max_bytes = self.budget.bytes.min(constraints.max_len.saturating_mul(4));
        for minimal in [false, true] {
            for variant in self.frame.variant..self.frame.variant + MAX_TRIES {
                let generated = pattern.generate(variant, minimal, constraints.min_len, max_bytes);
                let Some(text) = generated else { break };
                self.budget.spend_steps(text.len()).ok()?;
                if constraints.allow(&text) {
                    return Some(text);
                }
            }
        }
        None
    }

    /// Truncates or pads a text. If only the length was wrong, the result is valid.
    fn fit_length(&mut self, text: &str, constraints: &StringConstraints) -> Generation {
        if self.frame.variant > 0 {
            return Err(NoValue::Unsatisfiable);
        }
        // Leave half of the bytes for the rest of the value.
        let max_bytes = self.budget.bytes / 2;
        if constraints.min_len > max_bytes && !self.frame.best_effort {
            return Err(NoValue::Limit("byte"));
        }
        let short: String = text.chars().take(constraints.max_len.min(max_bytes / 6)).collect();
        let text = pad(short, constraints.min_len.min(constraints.max_len), max_bytes);
        if !constraints.allow(&text) {
            self.note_violation("no string found that satisfies pattern, format and length");
        }
        Ok(Value::from(text))
    }
}
