//! Puts long texts of recorded requests in the place of the files that have them.

use std::{
    collections::{BTreeMap, btree_map},
    path::Path,
};

use mynah_core::{
    base::{
        diagnostics::{Diagnostic, Place},
        yaml::{Entry, Node, Value},
    },
    provider::call::RuleLabel,
};

use super::matching::request::TextFile;

/// Maximum size of the texts of a file of rules in MiB, each as often as it is used.
pub(crate) const MAX_TOTAL_MIB: usize = 64;

/// The texts of a file of rules.
struct TextFiles<'f> {
    /// The folder of the file. `None` if the rules are not in a file.
    folder: Option<&'f Path>,
    /// The texts of files that are not written yet.
    unwritten: &'f BTreeMap<String, String>,
    /// The texts by file.
    known: BTreeMap<String, String>,
    /// The size of all texts.
    size: usize,
    /// The element that is being read.
    within: String,
    errors: Vec<Diagnostic>,
}

/// Replaces the references to files in a tree of rules. Returns the errors.
pub(crate) fn resolve(
    root: &mut Node,
    folder: Option<&Path>,
    unwritten: &BTreeMap<String, String>,
) -> Vec<Diagnostic> {
    let mut files = TextFiles {
        folder,
        unwritten,
        known: BTreeMap::new(),
        size: 0,
        within: String::new(),
        errors: vec![],
    };
    for (list, entry) in entries(root).filter(|(key, _)| matches!(key.as_str(), "rules" | "expect"))
    {
        for (number, rule) in (1..).zip(items(&mut entry.node)) {
            files.within = label(list, number, rule);
            let conditions = entries(rule).filter(|(key, _)| *key == "match");
            conditions.for_each(|(_, entry)| files.conditions(&mut entry.node));
        }
    }
    files.errors
}

fn label(list: &str, number: usize, rule: &Node) -> String {
    let name = rule.field("name").and_then(Node::as_written);
    match name.filter(|_| list == "rules") {
        Some(name) => RuleLabel::name(name).to_string(),
        None if list == "rules" => RuleLabel::number(number).to_string(),
        None => format!("{list} {number}"),
    }
}

impl TextFiles<'_> {
    fn conditions(&mut self, conditions: &mut Node) {
        for (key, Entry { node, .. }) in entries(conditions) {
            match key.as_str() {
                "request" => self.request(node),
                "not" => self.conditions(node),
                "any_of" | "all_of" => items(node).for_each(|it| self.conditions(it)),
                _ => {}
            }
        }
    }

    fn request(&mut self, request: &mut Node) {
        let messages = entries(request).filter(|(key, _)| *key == "messages");
        for message in messages.flat_map(|(_, entry)| items(&mut entry.node)) {
            for (key, Entry { node, .. }) in entries(message) {
                match key.as_str() {
                    "text" => self.text(node),
                    "parts" => items(node).for_each(|it| self.text(it)),
                    _ => {}
                }
            }
        }
    }

    fn text(&mut self, node: &mut Node) {
        let Value::Map(reference) = &node.value else { return };
        let text = self.read(reference, node.place).unwrap_or_else(|(place, message)| {
            let message = format!("{}: {message}", self.within);
            self.errors.push(Diagnostic::error(message).at(place));
            String::new()
        });
        node.value = Value::Text(text);
    }

    /// Returns the text of a reference, or the place and the message of an error.
    fn read(
        &mut self,
        reference: &BTreeMap<String, Entry>,
        place: Place,
    ) -> Result<String, (Place, String)> {
        let expected = TextFile::KEYS.join(", ");
        let unknown = reference.iter().find(|(key, _)| !TextFile::KEYS.contains(&key.as_str()));
        if let Some((key, entry)) = unknown {
            return Err((entry.place, format!("unknown key `{key}`; expected one of: {expected}")));
        }
        let file = reference.get("file").map(|entry| &entry.node);
        let Some((place, file)) = file.and_then(|node| Some((node.place, node.as_written()?)))
        else {
            return Err((place, "expected a text, or the key file with a path".to_owned()));
        };
        self.file(file).map_err(|message| (place, message))
    }

    fn file(&mut self, file: &str) -> Result<String, String> {
        if let Some(text) = self.unwritten.get(file) {
            return Ok(text.clone());
        }
        let Some(folder) = self.folder else {
            return Err("only rules in a file can have texts in files; write the text".to_owned());
        };
        let text = match self.known.entry(file.to_owned()) {
            btree_map::Entry::Occupied(known) => known.into_mut(),
            btree_map::Entry::Vacant(new) => new.insert(TextFile::read(folder, file)?),
        };
        self.size += text.len();
        if self.size > MAX_TOTAL_MIB << 20 {
            return Err(format!("the texts in files have more than {MAX_TOTAL_MIB} MiB"));
        }
        Ok(text.clone())
    }
}

fn entries(node: &mut Node) -> impl Iterator<Item = (&String, &mut Entry)> {
    match &mut node.value {
        Value::Map(entries) => Some(entries),
        _ => None,
    }
    .into_iter()
    .flatten()
}

fn items(node: &mut Node) -> impl Iterator<Item = &mut Node> {
    match &mut node.value {
        Value::List(items) => Some(items),
        _ => None,
    }
    .into_iter()
    .flatten()
}
