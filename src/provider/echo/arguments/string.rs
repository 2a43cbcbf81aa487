//! Generates strings from the message, the format, the property name or the pattern.

use serde_json::Value;

use super::{
    extract, formats,
    generator::Generator,
    limits::{json_len, spend_or_exhaust},
    pattern::{Pattern, pad},
    property_kind::{self, PropertyKind},
    schema::{FlatSchema, NoValue},
    string_constraints::StringConstraints,
};

/// Maximum number of bytes of a message to search.
const MAX_SEARCHED: usize = 64 * 1024;
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
        let candidates = self.candidates(flat, &constraints, name, nth)?;
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
        &mut self,
        flat: &FlatSchema,
        constraints: &StringConstraints,
        name: &str,
        nth: usize,
    ) -> Result<Vec<String>, NoValue> {
        let property = property_kind::split_words(name);
        let kind = property_kind::kind_of(&property, &self.subject);
        // Charge for searching the message.
        self.spend_steps(kind.map_or(0, |_| searched(self.context.mention).len() / 64))?;
        let stated = kind.filter(|_| nth == 0).and_then(|kind| self.stated(kind));
        for format in flat.strings("format") {
            let (min_len, max_len) = (constraints.min_len, constraints.max_len);
            if let Some(examples) = formats::candidates(format, nth, min_len, max_len) {
                let is_email = kind == Some(PropertyKind::Email) && format.ends_with("email");
                return Ok(stated.filter(|_| is_email).into_iter().chain(examples).collect());
            }
        }
        let words = ["Test".to_owned()].into_iter().chain(self.subject.clone()).chain(property);
        let text = words.collect::<Vec<_>>().join(" ");
        let example = kind.and_then(PropertyKind::example).map(str::to_owned);
        let samples = example.into_iter().chain([text]);
        Ok(stated.into_iter().chain(samples.map(|text| number_variant(text, kind, nth))).collect())
    }

    /// Returns the value for a property of this kind from the messages, if they contain one.
    fn stated(&self, kind: PropertyKind) -> Option<String> {
        let allowed_len = 1..self.budget.bytes;
        let question = Some(self.context.question).filter(|text| allowed_len.contains(&text.len()));
        let message = searched(self.context.mention);
        match kind {
            PropertyKind::Email => extract::email(message).map(str::to_owned),
            PropertyKind::Place => extract::place(message),
            PropertyKind::Expression => {
                extract::expression(message).or(question).map(str::to_owned)
            }
            PropertyKind::Question => question.map(str::to_owned),
            PropertyKind::Example(_) => None,
        }
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

/// Returns the part of a message that is searched.
fn searched(message: &str) -> &str {
    &message[..message.floor_char_boundary(MAX_SEARCHED)]
}

/// Returns the `nth` variant of a text.
fn number_variant(text: String, kind: Option<PropertyKind>, nth: usize) -> String {
    match nth {
        0 => text,
        _ if kind == Some(PropertyKind::Email) => format!("test{}@example.com", nth + 1),
        _ => format!("{text} {}", nth + 1),
    }
}
