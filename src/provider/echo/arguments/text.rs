//! Strings: from the message, by format, by name, by pattern.

use serde_json::{Value, json};

use super::{
    formats, from_message,
    generator::Generator,
    limits::{json_len, step},
    names::{self, Topic},
    pattern::{Pattern, padded},
    schema::{Cut, Node},
};
use crate::base::json_schema::Schema;

/// What compiling costs in steps.
const PATTERN_STEPS: usize = 500;
const FORMAT_STEPS: usize = 100;
/// How many bytes of a message are searched.
const MAX_READ: usize = 64 * 1024;
/// How many strings of a pattern are tried.
const MAX_TRIES: usize = 32;

/// What a schema demands of a string.
pub(super) struct Rules {
    least: usize,
    most: usize,
    checks: Vec<Schema>,
    /// Why the first pattern that is not checked is not.
    unchecked: Option<String>,
}

impl Rules {
    pub(super) fn of(node: &Node<'_>, steps: &mut usize) -> Self {
        let (least, most) = (node.at_least("minLength"), node.at_most("maxLength"));
        let mut rules = Self { least, most, checks: Vec::new(), unchecked: None };
        for pattern in node.texts("pattern") {
            if !step(steps, PATTERN_STEPS + pattern.len()) {
                rules.unchecked.get_or_insert_with(|| "over the limit of patterns".to_owned());
            } else if !rules.add(&json!({"pattern": pattern})) {
                let reason = || format!("pattern {pattern:?} is not understood");
                rules.unchecked.get_or_insert_with(reason);
            }
        }
        for format in node.texts("format").filter(|format| formats::is_known(format)) {
            if step(steps, FORMAT_STEPS) {
                rules.add(&json!({"format": format}));
            }
        }
        rules
    }

    /// Whether the check could be added.
    fn add(&mut self, schema: &Value) -> bool {
        let compiled = Schema::compile(schema).ok();
        let understood = compiled.is_some();
        self.checks.extend(compiled);
        understood
    }

    /// Whether the length is right, patterns match and formats are met.
    pub(super) fn allow(&self, text: &str) -> bool {
        let value = || Value::from(text);
        (self.least..=self.most).contains(&text.chars().count())
            && (self.checks.is_empty() || self.checks.iter().all(|check| check.is_valid(&value())))
    }
}

impl<'a> Generator<'a> {
    pub(super) fn string(&mut self, node: &Node<'a>, name: &str, nth: usize) -> Result<Value, Cut> {
        let rules = Rules::of(node, &mut self.limits.steps);
        if let Some(reason) = &rules.unchecked {
            self.note(reason);
        }
        let candidates = self.candidates(node, &rules, name, nth)?;
        let room = self.limits.bytes;
        let valid = candidates.iter().find(|text| json_len(text) < room && rules.allow(text));
        if let Some(text) = valid {
            return Ok(Value::from(text.as_str()));
        }
        let pattern = node.texts("pattern").next().or((nth > 0).then_some("[A-Za-z0-9]+"));
        if let Some(text) = pattern.and_then(|pattern| self.of_pattern(pattern, &rules, nth)) {
            return Ok(Value::from(text));
        }
        self.shaped(candidates.last().map_or("", String::as_str), &rules, nth)
    }

    /// What the string could be, best first.
    fn candidates(
        &mut self,
        node: &Node,
        rules: &Rules,
        name: &str,
        nth: usize,
    ) -> Result<Vec<String>, Cut> {
        let property = names::words(name);
        let topic = names::topic(&property, &self.subject);
        // To read the message takes time.
        self.step(if topic.is_some() { head(self.context.mention).len() / 64 } else { 0 })?;
        let said = topic.filter(|_| nth == 0).and_then(|topic| self.said(topic));
        for format in node.texts("format") {
            if let Some(made) = formats::candidates(format, nth, rules.least, rules.most) {
                let same_kind = topic == Some(Topic::Email) && format.ends_with("email");
                return Ok(said.filter(|_| same_kind).into_iter().chain(made).collect());
            }
        }
        let words = ["Test".to_owned()].into_iter().chain(self.subject.clone()).chain(property);
        let text = words.collect::<Vec<_>>().join(" ");
        let example = topic.and_then(Topic::example).map(str::to_owned);
        let general = example.into_iter().chain([text]);
        Ok(said.into_iter().chain(general.map(|text| numbered(text, topic, nth))).collect())
    }

    /// What the messages say about a topic.
    fn said(&self, topic: Topic) -> Option<String> {
        let room = 1..self.limits.bytes;
        let question = Some(self.context.question).filter(|text| room.contains(&text.len()));
        let message = head(self.context.mention);
        match topic {
            Topic::Email => from_message::email(message).map(str::to_owned),
            Topic::Place => from_message::place(message),
            Topic::Expression => from_message::expression(message).or(question).map(str::to_owned),
            Topic::Question => question.map(str::to_owned),
            Topic::Example(_) => None,
        }
    }

    /// A string of the pattern that meets the other rules too.
    fn of_pattern(&mut self, pattern: &str, rules: &Rules, nth: usize) -> Option<String> {
        let pattern = Pattern::parse(pattern)?;
        let limit = self.limits.bytes.min(rules.most.saturating_mul(4));
        for lean in [false, true] {
            for nth in nth..nth + MAX_TRIES {
                let Some(text) = pattern.string(nth, lean, rules.least, limit) else { break };
                if !step(&mut self.limits.steps, text.len()) {
                    return None;
                }
                if rules.allow(&text) {
                    return Some(text);
                }
            }
        }
        None
    }

    /// The text, longer or shorter: valid if only its length was wrong.
    fn shaped(&mut self, text: &str, rules: &Rules, nth: usize) -> Result<Value, Cut> {
        if nth > 0 {
            return Err(Cut::Impossible);
        }
        // Half of what is left: the rest of the value has to be written too.
        let room = self.limits.bytes / 2;
        if rules.least > room && !self.fill_gaps {
            return Err(self.limit("bytes"));
        }
        let short: String = text.chars().take(rules.most.min(room / 6)).collect();
        let text = padded(short, rules.least.min(rules.most), room);
        if !rules.allow(&text) {
            self.note("no string found for its pattern, format and lengths");
        }
        Ok(Value::from(text))
    }
}

/// As much of a message as is read.
fn head(message: &str) -> &str {
    &message[..message.floor_char_boundary(MAX_READ)]
}

/// A variant of a text.
fn numbered(text: String, topic: Option<Topic>, nth: usize) -> String {
    match nth {
        0 => text,
        _ if topic == Some(Topic::Email) => format!("test{}@example.com", nth + 1),
        _ => format!("{text} {}", nth + 1),
    }
}
