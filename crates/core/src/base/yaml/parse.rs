//! Parses YAML. This is the only file that uses the YAML crate.
//!
//! [`parse()`] and [`parse_own`] use only the crate's tokenizer and parser, and leave it to
//! [`scalar`](super::scalar) to decide, for example, whether `off` is text or a boolean.
//! [`from_str`] deserializes the tree with a [deserializer](super::deserialize) of its own, which takes less
//! code for each type than that of the crate.

use std::collections::{BTreeMap, btree_map};

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag, options};
use serde::de::DeserializeOwned;

use super::{
    deserialize::Reader,
    from_json::from_json,
    node::{Entry, Node, Tree, Value},
};
use crate::base::{
    diagnostics::{Diagnostic, Place},
    reader_message::reworded,
};

/// Maximum number of values in a document, with aliases expanded.
const MAX_VALUES: usize = 500_000;
/// Maximum size in bytes of the text in a document, with aliases expanded.
const MAX_TEXT: usize = 16 << 20;
/// Maximum number of entries of a document whose errors are reported.
const MAX_ERRORS: usize = 20;
/// Maximum nesting depth, with aliases expanded.
const MAX_DEPTH: usize = 64;

/// How unquoted keys are read.
#[derive(Debug, Clone, Copy)]
enum Keys {
    /// Like daprd: `on` is `true`, and `0777` is `511`.
    Daprd,
    AsWritten,
}

/// Parses one document as daprd does. Its text begins at line `first_line` of the file.
///
/// Returns `None` if the document has no content. Diagnostics have a place but no file.
pub fn parse(text: &str, first_line: usize) -> Result<Option<Tree>, Diagnostic> {
    parse_with(Keys::Daprd, text, first_line)
}

/// Parses a document in one of mynah's own formats, whose keys are as written.
///
/// Returns `None` if the document has no content. Diagnostics have a place but no file.
pub fn parse_own(text: &str) -> Result<Option<Tree>, Diagnostic> {
    parse_with(Keys::AsWritten, &from_json(text), 1)
}

/// Adds a hint to an error if its line, or the one before, has a template without quotes, which is a
/// mapping in YAML.
fn with_hint(error: Diagnostic, text: &str, first_line: usize) -> Diagnostic {
    let has_template = |line: &str| {
        let line = line.trim_start();
        line.starts_with("- {{") || line.contains(": {{")
    };
    let before = |place: Place| place.line.saturating_sub(first_line + 1);
    let lines = |place: Place| text.lines().skip(before(place)).take(2);
    if !error.place.is_some_and(|place| lines(place).any(has_template)) {
        return error;
    }
    let message = format!("{}; a value that begins with {{{{ needs quotes", error.message);
    Diagnostic { message, ..error }
}

fn parse_with(keys: Keys, text: &str, first_line: usize) -> Result<Option<Tree>, Diagnostic> {
    let tree = parse_tree(keys, text, first_line);
    tree.map_err(|error| with_hint(error, text, first_line))
}

fn parse_tree(keys: Keys, text: &str, first_line: usize) -> Result<Option<Tree>, Diagnostic> {
    let events = events(text, first_line, keys)?;
    if events.is_empty() {
        return Ok(None);
    }
    let mut builder = Builder::new(events, keys);
    let root = builder.node(0)?;
    let mut repeated_keys = builder.repeated_keys;
    // A repeated key below an anchor is reported again at each alias.
    repeated_keys.sort();
    repeated_keys.dedup();
    Ok(Some(Tree { root, repeated_keys }).filter(|tree| !tree.root.is_null()))
}

/// Deserializes a YAML or JSON text that consists of a single document.
///
/// # Errors
///
/// Fails with at least one error, without a file, and with one for each entry of the lists at the top level
/// that is invalid, up to a limit.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Vec<Diagnostic>> {
    let mut root = own_root(text).map_err(|error| vec![error])?;
    let mut errors = Vec::new();
    loop {
        let error = match T::deserialize(Reader(&root)) {
            Ok(value) if errors.is_empty() => return Ok(value),
            Ok(_) => return Err(errors),
            Err(error) => error,
        };
        let (message, place) = error.into_parts();
        let place = place.unwrap_or(root.place);
        let is_removed = remove_entry(&mut root, place);
        // Without its invalid entries, a document may have errors that only the removal causes.
        if is_removed || errors.is_empty() {
            let error = Diagnostic::error(reworded(&message, "a mapping"));
            errors.push(with_hint(error.at(place), text, 1));
        }
        if !is_removed || errors.len() == MAX_ERRORS {
            return Err(errors);
        }
    }
}

/// Removes the entry with this place from a list at the top level, if it belongs to one.
fn remove_entry(root: &mut Node, place: Place) -> bool {
    let Value::Map(keys) = &mut root.value else { return false };
    let begun = keys.values_mut().filter(|key| key.place <= place);
    let Some(key) = begun.max_by_key(|key| key.place) else { return false };
    let Value::List(entries) = &mut key.node.value else { return false };
    // An alias has the place of its anchor.
    let begun = entries.iter().enumerate().filter(|(_, entry)| entry.place <= place);
    let at = begun.max_by_key(|(_, entry)| entry.place).map(|(at, _)| at);
    at.map(|at| entries.remove(at)).is_some()
}

/// Parses a document in one of mynah's own formats. A document without content is an empty mapping.
fn own_root(text: &str) -> Result<Node, Diagnostic> {
    let start = Place { line: 1, column: 1 };
    let Some(tree) = parse_own(text)? else {
        return Ok(Node { place: start, value: Value::Map(BTreeMap::new()) });
    };
    match tree.repeated_keys.into_iter().next() {
        Some(repeated) => Err(repeated),
        None => Ok(tree.root),
    }
}

/// The parser's events for a document.
type Events<'a> = Vec<(Event<'a>, Place)>;

fn events(text: &str, first_line: usize, keys: Keys) -> Result<Events<'_>, Diagnostic> {
    let mut events = Vec::new();
    for event in Parser::new_from_str_with_options(text, options! { emit_comments: false }) {
        let (event, span) = event.map_err(|error| syntax_error(&error, first_line))?;
        let place = place_of(span, first_line);
        match event {
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            Event::DocumentStart(..) if events.is_empty() => {}
            Event::DocumentStart(..) => {
                let message = match keys {
                    Keys::Daprd => "another document must begin with a line `---`",
                    Keys::AsWritten => "the file must be one document; remove the line `---`",
                };
                return Err(Diagnostic::error(message).at(place));
            }
            _ if events.len() >= 2 * MAX_VALUES => return Err(too_many_values(place)),
            event => events.push((event, place)),
        }
    }
    Ok(events)
}

fn place_of(span: Span, first_line: usize) -> Place {
    place(span.start.line(), span.start.col(), first_line)
}

fn syntax_error(error: &ScanError, first_line: usize) -> Diagnostic {
    let marker = error.marker();
    let place = place(marker.line(), marker.col(), first_line);
    Diagnostic::error(format!("not valid YAML: {}", error.info())).at(place)
}

/// Converts a place in the document to a place in the file. The parser counts lines from 1 and
/// columns from 0.
fn place(line: usize, column: usize, first_line: usize) -> Place {
    Place { line: (first_line + line).saturating_sub(1), column: column + 1 }
}

fn too_many_values(place: Place) -> Diagnostic {
    let message = format!("more than {MAX_VALUES} values in one document (aliases expanded)");
    Diagnostic::error(message).at(place)
}

/// Builds the tree from the events. At an alias, builds the anchor's value again.
struct Builder<'a> {
    events: Events<'a>,
    keys: Keys,
    /// The index of the next event.
    next: usize,
    /// The number of values so far.
    values: usize,
    /// The size of the text so far, in bytes.
    text: usize,
    /// The index of each anchor's event, by anchor id.
    anchors: BTreeMap<usize, usize>,
    repeated_keys: Vec<Diagnostic>,
}

impl<'a> Builder<'a> {
    fn new(events: Events<'a>, keys: Keys) -> Self {
        let (anchors, repeated_keys) = (BTreeMap::new(), Vec::new());
        Self { events, keys, next: 0, values: 0, text: 0, anchors, repeated_keys }
    }

    fn node(&mut self, depth: usize) -> Result<Node, Diagnostic> {
        let index = self.next;
        let (event, place) = self.take()?;
        self.check_limits(&event, place, depth)?;
        if let Some(anchor) = event.anchor_id() {
            self.anchors.insert(anchor, index);
        }
        let value = match event {
            Event::Alias(anchor) => return self.alias(anchor, place, depth),
            Event::Scalar(text, style, _, tag) => scalar(text.into_owned(), style, tag.as_deref()),
            Event::SequenceStart(..) => self.list(depth)?,
            Event::MappingStart(..) => self.map(depth)?,
            _ => {
                let message = "not valid YAML: a value is missing";
                return Err(Diagnostic::error(message).at(place));
            }
        };
        Ok(Node { place, value })
    }

    fn check_limits(
        &mut self,
        event: &Event<'_>,
        place: Place,
        depth: usize,
    ) -> Result<(), Diagnostic> {
        self.values += 1;
        self.text += event.scalar().map_or(0, |(text, _)| text.len());
        if self.values > MAX_VALUES {
            return Err(too_many_values(place));
        }
        if self.text > MAX_TEXT {
            let message = "more than 16 MiB of text in one document (aliases expanded)";
            return Err(Diagnostic::error(message).at(place));
        }
        // This limit also stops an alias within its own anchor from recursing forever.
        if depth > MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(Diagnostic::error(message).at(place));
        }
        Ok(())
    }

    /// Returns the next event, which exists for every document that the parser accepts.
    fn take(&mut self) -> Result<(Event<'a>, Place), Diagnostic> {
        let event = self.events.get(self.next).cloned();
        self.next += 1;
        event.ok_or_else(|| {
            let message = "not valid YAML: the document ends early";
            Diagnostic::error(message).at(Place { line: 1, column: 1 })
        })
    }

    /// Returns `true` if the current collection ends here, and consumes the end event.
    fn at_end(&mut self) -> bool {
        let event = self.events.get(self.next).map(|(event, _)| event);
        let at_end = matches!(event, Some(Event::SequenceEnd | Event::MappingEnd));
        self.next += usize::from(at_end);
        at_end
    }

    /// Builds the value of an anchor for an alias. The value keeps the anchor's places, but errors
    /// are reported at the alias.
    fn alias(&mut self, anchor: usize, place: Place, depth: usize) -> Result<Node, Diagnostic> {
        let Some(&start) = self.anchors.get(&anchor) else {
            let message = "not valid YAML: the alias has no anchor";
            return Err(Diagnostic::error(message).at(place));
        };
        let after = std::mem::replace(&mut self.next, start);
        let node = self.node(depth + 1).map_err(|error| error.at(place))?;
        self.next = after;
        Ok(node)
    }

    fn list(&mut self, depth: usize) -> Result<Value, Diagnostic> {
        let mut nodes = Vec::new();
        while !self.at_end() {
            nodes.push(self.node(depth + 1)?);
        }
        Ok(Value::List(nodes))
    }

    fn map(&mut self, depth: usize) -> Result<Value, Diagnostic> {
        let mut entries = BTreeMap::new();
        let mut merged = Vec::new();
        while !self.at_end() {
            let key = self.node(depth + 1)?;
            let node = self.node(depth + 1)?;
            if matches!(&key.value, Value::Plain(text) if text == "<<") {
                merged.push(node);
                continue;
            }
            self.insert(&mut entries, self.keys.text(&key)?, Entry { place: key.place, node });
        }
        for node in merged {
            merge(&mut entries, node)?;
        }
        Ok(Value::Map(entries))
    }

    fn insert(&mut self, entries: &mut BTreeMap<String, Entry>, key: String, entry: Entry) {
        match entries.entry(key) {
            btree_map::Entry::Vacant(vacant) => {
                vacant.insert(entry);
            }
            btree_map::Entry::Occupied(mut first) => {
                let line = first.get().place.line;
                let message = format!("duplicate key {:?}; first used in line {line}", first.key());
                self.repeated_keys.push(Diagnostic::error(message).at(entry.place));
                first.insert(entry);
            }
        }
    }
}

fn scalar(text: String, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let is_text = style != ScalarStyle::Plain || tag.and_then(Tag::core_suffix) == Some("str");
    if is_text { Value::Text(text) } else { Value::Plain(text) }
}

impl Keys {
    fn text(self, key: &Node) -> Result<String, Diagnostic> {
        match (key.as_written(), self) {
            (Some(_), Self::Daprd) => key.to_text(),
            (Some(text), Self::AsWritten) => Ok(text.to_owned()),
            (None, _) => {
                let message = "a key must be a scalar, not a list or a mapping";
                Err(Diagnostic::error(message).at(key.place))
            }
        }
    }
}

/// Adds the entries of a `<<` key's value. The mapping's own entries take precedence.
fn merge(entries: &mut BTreeMap<String, Entry>, node: Node) -> Result<(), Diagnostic> {
    match node.value {
        Value::Map(more) => {
            for (key, entry) in more {
                entries.entry(key).or_insert(entry);
            }
            Ok(())
        }
        Value::List(nodes) => nodes.into_iter().try_for_each(|node| merge(entries, node)),
        _ => {
            let message = "the value of << must be a mapping or a list of mappings";
            Err(Diagnostic::error(message).at(node.place))
        }
    }
}
