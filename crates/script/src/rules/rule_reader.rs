//! Reads a rule.

use std::str::FromStr;

use mynah_core::{
    base::yaml::{Node, PlacedJson, Value},
    provider::call::RuleLabel,
};

use super::{
    matching::Match,
    reader::{Fields, Reader, kind},
    rule::{Answers, Rule, Sequence},
    step_reader::place,
    texts::has_templates,
};
use crate::{OnExhausted, chains::Chain, faults::Faults};

const KEYS: [&str; 10] = [
    "name",
    "match",
    "respond",
    "chain",
    "sequence",
    "on_exhausted",
    "times",
    "priority",
    "allow_unoffered",
    "faults",
];
const ANSWERS: [&str; 3] = ["respond", "chain", "sequence"];

impl Reader {
    /// Reads the rule with this number. Returns `None` after an error.
    pub(super) fn rule(&mut self, number: usize, node: &Node) -> Option<Rule> {
        let errors = self.errors.len();
        let label = self.label(number, node);
        self.within = label.to_string();
        let fields = self.fields(node, &KEYS)?;
        let conditions = self.conditions(&fields);
        let names = |conditions: &Match| conditions.capture_names().map(str::to_owned).collect();
        self.captures = conditions.as_ref().map(names);
        let whole = "a whole number of at least 1";
        let times = self.scalar(&fields, "times", whole, parse_number);
        let priority = self.scalar(&fields, "priority", "a whole number", parse_number);
        let allow_unoffered = self.scalar(&fields, "allow_unoffered", "true or false", parse_bool);
        let faults = self.faults(&fields);
        let answers = self.answers(&fields)?;
        let mut conditions = conditions?;
        if answers.calls_tools_each_time() {
            conditions.exclude_results();
        }
        Some(Rule {
            label: label.in_file(self.is_one_of_several.then(|| self.source.clone())),
            source: self.source.clone(),
            place: Some(node.place),
            has_templates: answers.steps().into_iter().any(has_templates),
            conditions,
            answers,
            times,
            priority: priority.unwrap_or_default(),
            allow_unoffered,
            faults: faults?,
        })
        .filter(|_| self.errors.len() == errors)
    }

    /// Returns the label of a rule. Names are unique, because counters and reports refer to rules by
    /// name.
    fn label(&mut self, number: usize, node: &Node) -> RuleLabel {
        self.within = RuleLabel::number(number).to_string();
        let Value::Map(entries) = &node.value else { return RuleLabel::number(number) };
        let name = entries.get("name").map(|entry| &entry.node).filter(|node| !node.is_null());
        let Some(node) = name else { return RuleLabel::number(number) };
        let Some(name) = node.as_written() else {
            self.error(node.place, format!("name must be a text, not {}", kind(node)));
            return RuleLabel::number(number);
        };
        if let Some(line) = self.names.insert(name.to_owned(), node.place.line) {
            let message = format!("duplicate name {name:?}; first used in line {line}");
            self.error(node.place, message);
        }
        RuleLabel::name(name)
    }

    fn conditions(&mut self, fields: &Fields<'_>) -> Option<Match> {
        let Some(node) = fields.get("match") else { return Some(Match::default()) };
        PlacedJson::new(node).deserialize().map_err(|error| self.add(error, node.place)).ok()
    }

    fn faults(&mut self, fields: &Fields<'_>) -> Option<Faults> {
        let Some(node) = fields.get("faults") else { return Some(Faults::default()) };
        let faults = Faults::parse(PlacedJson::new(node).text());
        faults.map_err(|error| self.error(place(node, &error), format!("faults: {error}"))).ok()
    }

    fn answers(&mut self, fields: &Fields<'_>) -> Option<Answers> {
        let kinds = ANSWERS.iter().filter_map(|kind| Some((*kind, fields.get(kind)?)));
        let kinds: Vec<_> = kinds.collect();
        let [(kind, node)] = kinds[..] else {
            // A misspelled key has an error already.
            if !fields.has_unknown || !kinds.is_empty() {
                self.error(fields.place, "needs exactly one of respond, chain and sequence");
            }
            return None;
        };
        let on_exhausted = self.on_exhausted(fields);
        if kind == "respond" {
            if let Some(node) = fields.get("on_exhausted") {
                self.error(node.place, "on_exhausted needs chain or sequence");
            }
            let step = self.step(node)?;
            if step.times.is_some() {
                let hint = "needs an entry after it; use chain or sequence";
                self.error(node.place, format!("respond: an error with times {hint}"));
            }
            return Some(Answers::Respond(step.into()));
        }
        let steps = self.steps(kind, node)?;
        if kind == "chain" {
            return Some(Answers::Chain { chain: Chain::from_steps(steps), on_exhausted });
        }
        let on_exhausted = on_exhausted.unwrap_or(OnExhausted::RepeatLast);
        Some(Answers::Sequence { steps: Sequence::new(steps)?, on_exhausted })
    }

    fn on_exhausted(&mut self, fields: &Fields<'_>) -> Option<OnExhausted> {
        let expected = "one of message, fallback, error, repeat_last and loop";
        self.scalar(fields, "on_exhausted", expected, |node| match node.as_written()? {
            "message" => Some(OnExhausted::Message),
            "fallback" => Some(OnExhausted::Fallback),
            "error" => Some(OnExhausted::Error),
            "repeat_last" => Some(OnExhausted::RepeatLast),
            "loop" => Some(OnExhausted::Loop),
            _ => None,
        })
    }
}

/// Parses a boolean of YAML 1.2.
fn parse_bool(node: &Node) -> Option<bool> {
    match node.unquoted()? {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

fn parse_number<T: FromStr>(node: &Node) -> Option<T> {
    node.unquoted()?.parse().ok()
}
