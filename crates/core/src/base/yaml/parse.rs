//! Parses YAML. This is the only file that uses the YAML crate.
//!
//! [`parse()`] and [`parse_own`] use only the crate's tokenizer and parser, and leave it to
//! [`scalar`](super::scalar) to decide, for example, whether `off` is text or a boolean.

use std::collections::{BTreeMap, btree_map};

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, Tag, options};

use super::{
    from_json::from_json,
    node::{Entry, Node, Tree, Value},
    size::Size,
};
use crate::base::diagnostics::{Diagnostic, Place};

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
    parse_with(Keys::Daprd, text, first_line, Size::MAX)
}

/// Parses a document in one of mynah's own formats, whose keys are as written.
///
/// Returns `None` if the document has no content. Diagnostics have a place but no file.
pub fn parse_own(text: &str) -> Result<Option<Tree>, Diagnostic> {
    parse_own_up_to(Size::MAX, text)
}

/// Like [`parse_own`], but for documents up to another size.
pub fn parse_own_up_to(max: Size, text: &str) -> Result<Option<Tree>, Diagnostic> {
    parse_with(Keys::AsWritten, &from_json(text), 1, max)
}

/// Adds a hint to an error if its line, or the one before, has a template without quotes, which is a
/// mapping in YAML.
pub(super) fn with_hint(error: Diagnostic, text: &str, first_line: usize) -> Diagnostic {
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

fn parse_with(
    keys: Keys,
    text: &str,
    first_line: usize,
    max: Size,
) -> Result<Option<Tree>, Diagnostic> {
    let tree = parse_tree(Builder::new(Events::new(text, first_line, keys), keys, max));
    tree.map_err(|error| with_hint(error, text, first_line))
}

fn parse_tree(mut builder: Builder<'_>) -> Result<Option<Tree>, Diagnostic> {
    if builder.events.peek()?.is_none() {
        return Ok(None);
    }
    let root = builder.node(0)?;
    // What follows must be valid as well.
    while builder.events.next()?.is_some() {}
    let mut repeated_keys = builder.repeated_keys;
    // A repeated key below an anchor is reported again at each alias.
    repeated_keys.sort();
    repeated_keys.dedup();
    Ok(Some(Tree { root, repeated_keys }).filter(|tree| !tree.root.is_null()))
}

/// An event of the parser.
type PlacedEvent<'a> = (Event<'a>, Place);

/// The events of a document, one by one. Only those of anchored values are kept, for aliases.
struct Events<'a> {
    parser: Parser<'a, StrInput<'a>>,
    first_line: usize,
    keys: Keys,
    has_begun: bool,
    /// The parser's next event.
    peeked: Option<PlacedEvent<'a>>,
    kept: Vec<PlacedEvent<'a>>,
    /// Number of anchored values that have begun but not ended.
    open_anchors: usize,
    /// The index of the next kept event, if an alias repeats events.
    repeated: Option<usize>,
}

impl<'a> Events<'a> {
    fn new(text: &'a str, first_line: usize, keys: Keys) -> Self {
        let parser = Parser::new_from_str_with_options(text, options! { emit_comments: false });
        Self {
            parser,
            first_line,
            keys,
            has_begun: false,
            peeked: None,
            kept: Vec::new(),
            open_anchors: 0,
            repeated: None,
        }
    }

    /// Returns the next event without consuming it. Returns `None` at the end.
    fn peek(&mut self) -> Result<Option<&Event<'a>>, Diagnostic> {
        if let Some(at) = self.repeated {
            return Ok(self.kept.get(at).map(|(event, _)| event));
        }
        if self.peeked.is_none() {
            self.peeked = self.parsed()?;
        }
        Ok(self.peeked.as_ref().map(|(event, _)| event))
    }

    fn next(&mut self) -> Result<Option<PlacedEvent<'a>>, Diagnostic> {
        if let Some(at) = &mut self.repeated {
            *at += 1;
            return Ok(self.kept.get(*at - 1).cloned());
        }
        let next = match self.peeked.take() {
            None => self.parsed()?,
            peeked => peeked,
        };
        let is_kept = |(event, _): &&_| self.open_anchors > 0 || Event::anchor_id(event).is_some();
        self.kept.extend(next.as_ref().filter(is_kept).cloned());
        Ok(next)
    }

    /// Returns the parser's next event that belongs to a value.
    fn parsed(&mut self) -> Result<Option<PlacedEvent<'a>>, Diagnostic> {
        for event in self.parser.by_ref() {
            let (event, span) = event.map_err(|error| syntax_error(&error, self.first_line))?;
            let place = place_of(span, self.first_line);
            match event {
                Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
                Event::DocumentStart(..) if !self.has_begun => {}
                Event::DocumentStart(..) => {
                    let message = match self.keys {
                        Keys::Daprd => "another document must begin with a line `---`",
                        Keys::AsWritten => "the file must be one document; remove the line `---`",
                    };
                    return Err(Diagnostic::error(message).at(place));
                }
                event => {
                    self.has_begun = true;
                    return Ok(Some((event, place)));
                }
            }
        }
        Ok(None)
    }

    /// Returns the index of the event that was consumed last, which begins an anchored value.
    fn last_kept(&self) -> usize {
        self.repeated.unwrap_or(self.kept.len()).saturating_sub(1)
    }
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

/// Builds the tree from the events. At an alias, builds the anchor's value again.
struct Builder<'a> {
    events: Events<'a>,
    keys: Keys,
    max: Size,
    /// What has been built so far.
    size: Size,
    /// The index of each anchor's event, by anchor id.
    anchors: BTreeMap<usize, usize>,
    repeated_keys: Vec<Diagnostic>,
}

impl<'a> Builder<'a> {
    fn new(events: Events<'a>, keys: Keys, max: Size) -> Self {
        let (anchors, repeated_keys) = (BTreeMap::new(), Vec::new());
        Self { events, keys, max, size: Size::default(), anchors, repeated_keys }
    }

    fn node(&mut self, depth: usize) -> Result<Node, Diagnostic> {
        let (event, place) = self.take()?;
        self.check_limits(&event, place, depth)?;
        let anchor = event.anchor_id();
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, self.events.last_kept());
            self.events.open_anchors += 1;
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
        self.events.open_anchors -= usize::from(anchor.is_some());
        Ok(Node { place, value })
    }

    fn check_limits(
        &mut self,
        event: &Event<'_>,
        place: Place,
        depth: usize,
    ) -> Result<(), Diagnostic> {
        self.size.values += 1;
        self.size.text += event.scalar().map_or(0, |(text, _)| text.len());
        let check = self.size.check(self.max);
        check.map_err(|message| Diagnostic::error(message).at(place))?;
        // This limit also stops an alias within its own anchor from recursing forever.
        if depth > MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(Diagnostic::error(message).at(place));
        }
        Ok(())
    }

    /// Returns the next event, which exists for every document that the parser accepts.
    fn take(&mut self) -> Result<PlacedEvent<'a>, Diagnostic> {
        self.events.next()?.ok_or_else(|| {
            let message = "not valid YAML: the document ends early";
            Diagnostic::error(message).at(Place { line: 1, column: 1 })
        })
    }

    /// Returns `true` if the current collection ends here, and consumes the end event.
    fn at_end(&mut self) -> Result<bool, Diagnostic> {
        let at_end = matches!(self.events.peek()?, Some(Event::SequenceEnd | Event::MappingEnd));
        if at_end {
            self.events.next()?;
        }
        Ok(at_end)
    }

    /// Builds the value of an anchor for an alias. The value keeps the anchor's places, but errors
    /// are reported at the alias.
    fn alias(&mut self, anchor: usize, place: Place, depth: usize) -> Result<Node, Diagnostic> {
        let Some(&start) = self.anchors.get(&anchor) else {
            let message = "not valid YAML: the alias has no anchor";
            return Err(Diagnostic::error(message).at(place));
        };
        let after = self.events.repeated.replace(start);
        let node = self.node(depth + 1).map_err(|error| error.at(place))?;
        self.events.repeated = after;
        Ok(node)
    }

    fn list(&mut self, depth: usize) -> Result<Value, Diagnostic> {
        let mut nodes = Vec::new();
        while !self.at_end()? {
            nodes.push(self.node(depth + 1)?);
        }
        Ok(Value::List(nodes))
    }

    fn map(&mut self, depth: usize) -> Result<Value, Diagnostic> {
        let mut entries = BTreeMap::new();
        let mut merged = Vec::new();
        while !self.at_end()? {
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
