//! YAML text to a tree that knows where everything stands. The one file that names the YAML crate.
//!
//! Of components, only the crate's parser reads: whether `off` is a word or a boolean is decided
//! by [`scalar`](super::scalar), as daprd decides it. The files beside them are typed.

use std::collections::{BTreeMap, btree_map};

use serde::de::DeserializeOwned;
use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag, options};

use super::{
    Place,
    node::{Entry, Node, Tree, Value},
    report::Remark,
    value,
};

/// The most values in a document, aliases followed.
const MAX_VALUES: usize = 500_000;
/// The most bytes of text in a document, aliases followed.
const MAX_TEXT: usize = 16 << 20;
/// The deepest nesting, aliases followed.
const MAX_DEPTH: usize = 64;

/// Reads one document, whose text begins in line `first_line` of its file.
///
/// `None` means that it has no content.
pub(super) fn parse(text: &str, first_line: usize) -> Result<Option<Tree>, Remark> {
    let steps = steps(text, first_line)?;
    if steps.is_empty() {
        return Ok(None);
    }
    let mut builder = Builder::new(steps);
    let root = builder.node(0)?;
    // A repeated key below an anchor is met again at each of its aliases.
    builder.repeated.sort();
    builder.repeated.dedup();
    Ok(Some(Tree { root, repeated: builder.repeated }).filter(|tree| !tree.root.is_null()))
}

/// Reads a file of one document, YAML or JSON, that is no component.
pub(super) fn typed<T: DeserializeOwned>(text: &str) -> Result<T, Remark> {
    let options = serde_saphyr::options! { with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        // The crate ends its words with the place, which has a field of its own here.
        let words = error.render_with_formatter(&serde_saphyr::UserMessageFormatter);
        let (what, _) = words.rsplit_once(" at line ").unwrap_or((&words, ""));
        let what = match what {
            "expected sequence start" => "must be a list",
            "expected mapping start" => "must be a mapping",
            "only single YAML document expected but multiple found" => "must be one document",
            other => other,
        };
        let at = error.location().map_or((1, 1), |at| (at.line(), at.column()));
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Remark::new(Place { line: size(at.0), column: size(at.1) }, what)
    })
}

/// The parser's events within the document.
type Steps<'a> = Vec<(Event<'a>, Place)>;

fn steps(text: &str, first_line: usize) -> Result<Steps<'_>, Remark> {
    let mut steps = Vec::new();
    for event in Parser::new_from_str_with_options(text, options! { emit_comments: false }) {
        let (event, span) = event.map_err(|error| syntax_error(&error, first_line))?;
        let place = place_of(span, first_line);
        match event {
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            Event::DocumentStart(..) if steps.is_empty() => {}
            Event::DocumentStart(..) => {
                return Err(Remark::new(place, "another document must begin with a line ---"));
            }
            _ if steps.len() >= 2 * MAX_VALUES => return Err(too_many_values(place)),
            event => steps.push((event, place)),
        }
    }
    Ok(steps)
}

fn place_of(span: Span, first_line: usize) -> Place {
    place(span.start.line(), span.start.col(), first_line)
}

fn syntax_error(error: &ScanError, first_line: usize) -> Remark {
    let marker = error.marker();
    let place = place(marker.line(), marker.col(), first_line);
    Remark::new(place, format!("not valid YAML: {}", error.info()))
}

/// The parser counts lines of the document from 1, and columns from 0.
fn place(line: usize, column: usize, first_line: usize) -> Place {
    Place { line: (first_line + line).saturating_sub(1), column: column + 1 }
}

fn too_many_values(place: Place) -> Remark {
    let message = format!("more than {MAX_VALUES} values in one document (aliases count in full)");
    Remark::new(place, message)
}

/// Builds the tree from the events; an alias builds the value of its anchor anew.
struct Builder<'a> {
    steps: Steps<'a>,
    next: usize,
    /// Values and bytes of text so far.
    values: usize,
    text: usize,
    /// By the number of an anchor, the event that it stands at.
    anchors: BTreeMap<usize, usize>,
    repeated: Vec<Remark>,
}

impl<'a> Builder<'a> {
    fn new(steps: Steps<'a>) -> Self {
        Self { steps, next: 0, values: 0, text: 0, anchors: BTreeMap::new(), repeated: Vec::new() }
    }

    fn node(&mut self, depth: usize) -> Result<Node, Remark> {
        let at = self.next;
        let (event, place) = self.take()?;
        self.count(&event, place, depth)?;
        if let Some(anchor) = event.anchor_id() {
            self.anchors.insert(anchor, at);
        }
        let value = match event {
            Event::Alias(anchor) => return self.alias(anchor, place, depth),
            Event::Scalar(text, style, _, tag) => scalar(text.into_owned(), style, tag.as_deref()),
            Event::SequenceStart(..) => self.list(depth)?,
            Event::MappingStart(..) => self.map(depth)?,
            _ => return Err(Remark::new(place, "not valid YAML: a value is missing")),
        };
        Ok(Node { place, value })
    }

    /// Keeps the tree within its limits, whatever aliases make of it.
    fn count(&mut self, event: &Event<'_>, place: Place, depth: usize) -> Result<(), Remark> {
        self.values += 1;
        self.text += event.scalar().map_or(0, |(text, _)| text.len());
        if self.values > MAX_VALUES {
            return Err(too_many_values(place));
        }
        if self.text > MAX_TEXT {
            let message = "more than 16 MiB of text in one document (aliases count in full)";
            return Err(Remark::new(place, message));
        }
        // An alias within its own anchor ends here, too.
        if depth > MAX_DEPTH {
            return Err(Remark::new(place, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(())
    }

    /// The next event; the parser sees to it that there is one.
    fn take(&mut self) -> Result<(Event<'a>, Place), Remark> {
        let step = self.steps.get(self.next).cloned();
        self.next += 1;
        let end = Place { line: 1, column: 1 };
        step.ok_or_else(|| Remark::new(end, "not valid YAML: the document ends early"))
    }

    /// Whether the collection that is being built ends here.
    fn ends(&mut self) -> bool {
        let event = self.steps.get(self.next).map(|(event, _)| event);
        let ends = matches!(event, Some(Event::SequenceEnd | Event::MappingEnd));
        self.next += usize::from(ends);
        ends
    }

    /// The value of the anchor, with its places; what is wrong is laid to the alias.
    fn alias(&mut self, anchor: usize, place: Place, depth: usize) -> Result<Node, Remark> {
        let Some(&start) = self.anchors.get(&anchor) else {
            return Err(Remark::new(place, "not valid YAML: the alias has no anchor"));
        };
        let after = std::mem::replace(&mut self.next, start);
        let node = self.node(depth + 1).map_err(|fault| Remark { place, ..fault })?;
        self.next = after;
        Ok(node)
    }

    fn list(&mut self, depth: usize) -> Result<Value, Remark> {
        let mut nodes = Vec::new();
        while !self.ends() {
            nodes.push(self.node(depth + 1)?);
        }
        Ok(Value::List(nodes))
    }

    fn map(&mut self, depth: usize) -> Result<Value, Remark> {
        let mut entries = BTreeMap::new();
        let mut merged = Vec::new();
        while !self.ends() {
            let key = self.node(depth + 1)?;
            let node = self.node(depth + 1)?;
            if matches!(&key.value, Value::Plain(text) if text == "<<") {
                merged.push(node);
                continue;
            }
            self.insert(&mut entries, key_text(&key)?, Entry { place: key.place, node });
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
                let message =
                    format!("key {:?} stands here twice, first in line {line}", first.key());
                self.repeated.push(Remark::new(entry.place, message));
                first.insert(entry);
            }
        }
    }
}

fn scalar(text: String, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let is_text = style != ScalarStyle::Plain || tag.and_then(Tag::core_suffix) == Some("str");
    if is_text { Value::Text(text) } else { Value::Plain(text) }
}

fn key_text(key: &Node) -> Result<String, Remark> {
    match &key.value {
        Value::Plain(_) | Value::Text(_) => value::text(key),
        _ => Err(Remark::new(key.place, "a key must be a single word, not a list or a mapping")),
    }
}

/// Adds what `<<` refers to, below what the mapping says itself.
fn merge(entries: &mut BTreeMap<String, Entry>, node: Node) -> Result<(), Remark> {
    match node.value {
        Value::Map(more) => {
            for (key, entry) in more {
                entries.entry(key).or_insert(entry);
            }
            Ok(())
        }
        Value::List(nodes) => nodes.into_iter().try_for_each(|node| merge(entries, node)),
        _ => Err(Remark::new(node.place, "<< must refer to a mapping, or to a list of mappings")),
    }
}
