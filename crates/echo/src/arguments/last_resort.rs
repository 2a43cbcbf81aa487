//! Values that are not single facts: the whole message, whether words stand in a message, or a token that
//! matches a pattern.

use mynah_core::base::json_schema::Schema;
use serde_json::{Value, json};

use super::{
    Source,
    booleans::stated_boolean,
    clauses::{labeled, told},
    generator::Generator,
    offers::stated_article,
    property::Property,
    string_constraints::PATTERN_STEPS,
};
use crate::{facts::Kind, settings::Optional};

impl<'a> Generator<'a> {
    /// Gives a property a value that is not a single fact: the whole message, whether words stand in the
    /// message, or a token that matches a pattern.
    pub(super) fn last_resort(&mut self, property: &mut Property<'a>, sources: &[Source]) {
        let is_text = matches!(property.kind(), Some(Kind::Text | Kind::Question))
            && (property.is_wanted || self.context.optional == Optional::Fill);
        if is_text && property.type_name == "string" && !property.is_array {
            if property.kind() == Some(Kind::Text)
                && let Some(told) = self.labeled(property).or_else(|| told(self.context.question))
            {
                property.value = self.first_valid(property, Some(Value::from(told)));
                return self.trace_words(property, "in a clause", told);
            }
            let text = self.context.question;
            let fits = !text.is_empty() && text.len() < self.budget.bytes;
            property.value = self.first_valid(property, fits.then(|| Value::from(text)));
            return self.trace_words(property, "the whole message", text);
        }
        let tool = &self.described.subject.canonical;
        for (reading, _) in sources {
            let (value, rule) = match (property.type_name, property.pattern) {
                ("boolean", _) => match stated_boolean(property, reading) {
                    Some(true) => (Some(Value::Bool(true)), "its own words"),
                    is_true => (is_true.map(Value::Bool), "its own words, negated"),
                },
                ("string", Some(pattern)) => {
                    (self.matching_token(pattern, &reading.text), "in the form of its pattern")
                }
                ("integer", _) if property.is_wanted => {
                    (stated_article(property, tool, reading), "beside its own word")
                }
                _ => return,
            };
            property.value = self.first_valid(property, value);
            if let Some(value) = &property.value {
                let words =
                    value.as_str().map_or_else(|| property.own_words.join(" "), str::to_owned);
                return self.trace_words(property, rule, &words);
            }
        }
    }

    /// Returns what the message says behind a word of a property and a colon.
    fn labeled(&self, property: &Property) -> Option<&'a str> {
        let properties = &self.described.properties;
        let is_label = |word: &str| properties.iter().any(|it| it.owns(Some(word)));
        labeled(self.context.question, |word| property.owns(Some(word)), is_label)
    }

    /// Returns the first token with a digit or a hyphen that the whole pattern matches.
    fn matching_token(&mut self, pattern: &str, text: &str) -> Option<Value> {
        let trim = |token: &str| token.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let is_marked = |token: &String| token.contains(|c: char| c == '-' || c.is_ascii_digit());
        let marked = text.split_whitespace().map(trim).filter(is_marked);
        let mut marked = marked.map(Value::from).peekable();
        marked.peek()?;
        self.budget.spend_steps(PATTERN_STEPS + pattern.len() + text.len() / 16).ok()?;
        let whole = Schema::compile(&json!({"pattern": format!("^(?:{pattern})$")})).ok()?;
        marked.find(|token| whole.is_valid(token))
    }
}
