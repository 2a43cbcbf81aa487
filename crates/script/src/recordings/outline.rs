//! The parts of a recording's text, so that what does not change stays as it is written.

use std::ops::Range;

use mynah_core::base::yaml::{Node, Value, to_json};

use super::room::Used;
use crate::rules::matching::request::{NormalizationSource, Normalizer, RequestForm};

/// The text of a recording in parts.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// What precedes the rules.
    pub(super) head: String,
    pub(super) rules: Vec<WrittenRule>,
    /// What precedes the dash of each rule.
    pub(super) indentation: String,
    /// What follows the rules.
    pub(super) tail: String,
    pub(super) normalizer: Normalizer,
}

/// A rule as it is written.
#[derive(Debug)]
pub(super) struct WrittenRule {
    /// Its lines.
    pub(super) text: String,
    pub(super) name: Option<String>,
    /// The line of the file in which it begins. `None` if it is new.
    pub(super) line: Option<usize>,
    /// The request that it is for, if it has one.
    pub(super) request: Option<RequestForm>,
    /// Whether it is for all such requests, because it has no other conditions.
    pub(super) is_exchange: bool,
    /// Its answers.
    pub(super) steps: Vec<serde_json::Value>,
    pub(super) used: Used,
}

impl Outline {
    /// Finds the parts of a text, which is a valid file of rules with this tree.
    pub(super) fn new(text: &str, tree: Option<&Node>) -> Result<Self, String> {
        let not_a_list = || "the rules are not a list with a dash before each rule".to_owned();
        let root = tree.ok_or_else(not_a_list)?;
        let Value::Map(entries) = &root.value else { return Err(not_a_list()) };
        let Some(rules) = entries.get("rules") else { return Err(not_a_list()) };
        let Value::List(nodes) = &rules.node.value else { return Err(not_a_list()) };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        // The lines of places start at 1.
        let mut starts: Vec<_> = nodes.iter().map(|node| node.place.line - 1).collect();
        let is_block = |start: &usize| {
            lines.get(*start).is_some_and(|line| line.trim_start().starts_with("- "))
        };
        if !starts.iter().all(is_block) || starts.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(not_a_list());
        }
        starts
            .iter_mut()
            .skip(1)
            .for_each(|start| *start -= comments(&lines[..*start], lines[*start]));
        let indentation = lines.get(nodes.first().map_or(0, |node| node.place.line - 1));
        let indentation = indentation.map_or("", |line| &line[..indentation_of(line)]);
        let keys = entries.values().map(|entry| entry.place.line - 1);
        let last = starts.last().copied().unwrap_or_default();
        let end = keys.filter(|line| *line > last).min().unwrap_or(lines.len());
        let ends = starts.iter().skip(1).copied().chain([end]);
        let part = |range: Range<usize>| lines.get(range).unwrap_or_default().concat();
        let written = nodes.iter().zip(starts.iter().zip(ends));
        Ok(Self {
            head: part(0..starts.first().copied().unwrap_or(end)),
            rules: written.map(|(node, (from, to))| rule(node, part(*from..to))).collect(),
            indentation: indentation.to_owned(),
            tail: part(end..lines.len()),
            normalizer: normalizer(root)?,
        })
    }
}

/// Returns the number of lines with comments directly before a rule, which belong to it.
fn comments(before: &[&str], dash: &str) -> usize {
    // A text is indented more than the dash.
    let is_comment = |line: &&&str| {
        line.trim_start().starts_with('#') && indentation_of(line) <= indentation_of(dash)
    };
    before.iter().rev().take_while(is_comment).count()
}

fn indentation_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn normalizer(root: &Node) -> Result<Normalizer, String> {
    let Some(node) = root.field("normalize") else {
        return Ok(Normalizer::usual().as_ref().clone());
    };
    let sources: Vec<NormalizationSource> =
        serde_json::from_str(&to_json(node)).map_err(|error| error.to_string())?;
    Normalizer::new(sources)
}

fn rule(node: &Node, text: String) -> WrittenRule {
    let conditions = node.field("match").and_then(|conditions| match &conditions.value {
        Value::Map(entries) => Some(entries),
        _ => None,
    });
    let request = conditions.and_then(|entries| {
        serde_json::from_str::<RequestForm>(&to_json(&entries.get("request")?.node)).ok()
    });
    let json = |node: &Node| serde_json::from_str(&to_json(node)).unwrap_or_default();
    let respond = node.field("respond").map(|it| vec![json(it)]);
    let sequence = node.field("sequence").and_then(|it| match &it.value {
        Value::List(steps) => Some(steps.iter().map(json).collect()),
        _ => None,
    });
    let long_texts = request.as_ref().map_or(0, RequestForm::long_size);
    WrittenRule {
        used: Used { bytes: text.len(), values: node.size().values, long_texts },
        text,
        name: node.field("name").and_then(Node::as_written).map(str::to_owned),
        line: Some(node.place.line),
        is_exchange: conditions.is_some_and(|entries| entries.len() == 1) && request.is_some(),
        request: request.map(RequestForm::canonical),
        steps: respond.or(sequence).unwrap_or_default(),
    }
}
