//! Reads the steps of a rule with the reader of instruction chains.

use std::collections::BTreeMap;

use mynah_core::base::{
    diagnostics::Place,
    yaml::{Entry, Node, PlacedJson, Value},
};
use serde_json::{json, value::RawValue};

use super::{
    reader::{RESPOND, Reader, kind},
    texts::{StepText, for_each_text},
    variables::known,
};
use crate::steps::{PathSegment, Step, StepError, step};

/// The key of a step's items, which rules also call [`RESPOND`].
const MESSAGES: &str = "messages";

impl Reader {
    /// Reads the steps of a chain or a sequence.
    pub(super) fn steps(&mut self, key: &str, node: &Node) -> Option<Vec<Step>> {
        let nodes = self.list(key, node)?;
        let within = self.within.clone();
        let mut steps = Vec::new();
        for (node, number) in nodes.iter().zip(1..) {
            self.within = format!("{within}, step {number}");
            steps.push(self.step(node));
        }
        self.within = within;
        steps.into_iter().collect()
    }

    /// Reads a step: a text, a list of items, or a mapping, in which the items may also be called
    /// `respond`.
    pub(super) fn step(&mut self, node: &Node) -> Option<Step> {
        let json = step_json(node).map_err(|message| self.error(node.place, message)).ok()?;
        let value = serde_json::from_str::<&RawValue>(&json);
        let value = value.map_err(|error| self.error(node.place, error)).ok()?;
        let parsed = step(value).and_then(|step| self.add_templates(&step).map(|()| step));
        parsed.map_err(|error| self.error(place(node, &error), error)).ok()
    }

    /// Parses the templates in a step.
    fn add_templates(&mut self, step: &Step) -> Result<(), StepError> {
        let Some(captures) = &self.captures else { return Ok(()) };
        let variables = known(captures.iter().map(String::as_str));
        for_each_text(step, |text| match text {
            StepText::Text(text) => self.templates.add(text, &variables),
            StepText::Json(json) => self.templates.add_json(json, &variables),
        })
    }
}

/// Returns the place of the invalid part of a step or a fault.
pub(super) fn place(node: &Node, error: &StepError) -> Place {
    let mut path: Vec<_> = error.path().collect();
    let key = if error.is_about_key() { path.pop() } else { None };
    let mut node = node;
    for segment in path {
        node = match (&node.value, segment) {
            (Value::Map(_), PathSegment::Key(key)) => entry(node, key).map(|entry| &entry.node),
            (Value::List(nodes), PathSegment::Index(index)) => nodes.get(*index),
            // A text or a list in place of a step.
            _ => None,
        }
        .unwrap_or(node);
    }
    match key {
        Some(PathSegment::Key(key)) => entry(node, key).map_or(node.place, |entry| entry.place),
        _ => node.place,
    }
}

/// Returns the entry of a mapping. The items of a step have two names.
fn entry<'a>(node: &'a Node, key: &str) -> Option<&'a Entry> {
    let Value::Map(entries) = &node.value else { return None };
    let items = || entries.get(RESPOND).filter(|_| key == MESSAGES);
    entries.get(key).or_else(items)
}

/// Converts a step to the JSON of a step in an instruction chain.
fn step_json(node: &Node) -> Result<String, String> {
    if let Some(items) = items_json(node) {
        return Ok(format!(r#"{{"{MESSAGES}":{items}}}"#));
    }
    let Value::Map(entries) = &node.value else {
        return Err(format!("must be a text, a list of items or a step, not {}", kind(node)));
    };
    match entries.get(RESPOND) {
        None => Ok(PlacedJson::new(node).into_text()),
        Some(Entry { node, .. }) => match items_json(node) {
            Some(_) if entries.contains_key(MESSAGES) => {
                Err("has both respond and messages; remove one of them".to_owned())
            }
            Some(items) => Ok(with_items(entries, &items)),
            None => {
                let kind = kind(node);
                let hint = "put keys such as delay beside respond";
                Err(format!("respond must be a text or a list of items here, not {kind}; {hint}"))
            }
        },
    }
}

/// Returns the items that a text or a list stands for.
fn items_json(node: &Node) -> Option<String> {
    match &node.value {
        Value::List(_) => Some(PlacedJson::new(node).into_text()),
        Value::Text(text) => Some(json!([{ "text": text }]).to_string()),
        Value::Plain(text) if !node.is_null() => Some(json!([{ "text": text }]).to_string()),
        Value::Plain(_) | Value::Map(_) => None,
    }
}

/// Returns the JSON of a step with other keys than its items.
fn with_items(entries: &BTreeMap<String, Entry>, items: &str) -> String {
    let others = entries.iter().filter(|(key, _)| *key != RESPOND);
    let others = others
        .map(|(key, entry)| format!(",{}:{}", json!(key), PlacedJson::new(&entry.node).text()));
    format!(r#"{{"{MESSAGES}":{items}{}}}"#, others.collect::<String>())
}
