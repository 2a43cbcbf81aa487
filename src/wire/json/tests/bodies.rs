//! Generates JSON bodies from the descriptor of a message, so that every field is covered.

use std::slice::Iter;

use prost::Name;
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::wire::json::descriptor;

/// The maximum nesting depth of a generated struct.
const MAX_DEPTH: usize = 4;
const TEXTS: [&str; 7] = [
    "\"\"",
    "\"Hi!\"",
    r#""a\nb""#,
    r#""\u00e9\ud83e\udd9c""#,
    "\"é🦜\"",
    "\"7\"",
    r#""<\"\u2028""#,
];
const NUMBERS: [&str; 8] = ["0", "-0", "7", "-1", "0.25", "1e3", "9007199254740993", "1e-7"];
const UNUSUAL: [&str; 14] = [
    "[]",
    "{}",
    "null",
    "[null]",
    "[[\"x\"]]",
    "[{}, {}]",
    "1.5",
    "\"NaN\"",
    "true",
    "99999999999999999999",
    "1e999",
    "\"\\ud800\"",
    "\"\u{1}\"",
    r#"{"a":{"a":1,"a":2},"\u0061":[{}]}"#,
];
const ANY: [&str; 3] = [
    r#"{"@type":"type.googleapis.com/google.protobuf.StringValue","value":"v"}"#,
    r#"{"value":[1,null],"@type":"type.googleapis.com/google.protobuf.ListValue"}"#,
    r#"{"@type":"type.googleapis.com/foo.Bar"}"#,
];

/// Returns a valid body that the fast path must read. Each byte in `choices` decides one choice.
pub(super) fn common<M: Name>(choices: &[u8]) -> String {
    body::<M>(choices, false)
}

/// Returns a body that may be invalid, or valid but unsupported by the fast path.
pub(super) fn unusual<M: Name>(choices: &[u8]) -> String {
    body::<M>(choices, true)
}

fn body<M: Name>(choices: &[u8], is_unusual: bool) -> String {
    let mut writer = Writer { choices: choices.iter(), is_unusual, out: String::new() };
    writer.message(&descriptor::<M>());
    writer.out
}

struct Writer<'a> {
    choices: Iter<'a, u8>,
    is_unusual: bool,
    out: String,
}

impl Writer<'_> {
    /// Makes the next choice: returns a number less than `bound`.
    fn choose(&mut self, bound: usize) -> usize {
        self.choices.next().map_or(0, |choice| usize::from(*choice) % bound)
    }

    /// Decides whether to write something unusual at this point.
    fn deviates(&mut self) -> bool {
        self.is_unusual && self.choose(16) == 1
    }

    fn one_of(&mut self, texts: &[&str]) {
        let text = texts[self.choose(texts.len())];
        self.out += text;
    }

    fn list(&mut self, brackets: [char; 2], mut item: impl FnMut(&mut Self)) {
        self.out.push(brackets[0]);
        for at in 0..self.choose(5) {
            if at > 0 {
                self.one_of(&[",", " ,\n"]);
            }
            item(self);
        }
        self.out.push(brackets[1]);
    }

    fn message(&mut self, message: &MessageDescriptor) {
        let fields: Vec<_> = message.fields().collect();
        let mut seen = Vec::new();
        self.list(['{', '}'], |this| {
            let field = &fields[this.choose(fields.len())];
            let oneof = field.containing_oneof();
            let place = oneof.map_or(field.full_name().to_owned(), |o| o.full_name().to_owned());
            if (seen.contains(&place) || this.choose(8) == 1) && !this.deviates() {
                this.out += r#""nonsense":{"a":[1,{}],"a":"\"}"}"#;
                return;
            }
            seen.push(place);
            this.name(field);
            this.field(field);
        });
    }

    fn name(&mut self, field: &FieldDescriptor) {
        let name = if self.choose(2) == 0 { field.json_name() } else { field.name() };
        let (first, rest) = name.split_at(1);
        let escaped = self.deviates().then(|| format!("\\u00{:02x}{rest}", first.as_bytes()[0]));
        self.out += &format!("\"{}\" :", escaped.as_deref().unwrap_or(name));
    }

    fn field(&mut self, field: &FieldDescriptor) {
        if self.deviates() {
            return self.one_of(&UNUSUAL);
        }
        match field.kind() {
            Kind::Message(entry) if field.is_map() => {
                let value = entry.map_entry_value_field().kind();
                // Only reflection reads an `Any`.
                if !self.is_unusual && value != Kind::String {
                    return self.out += "null";
                }
                self.list(['{', '}'], |this| {
                    this.one_of(&TEXTS);
                    this.out.push(':');
                    this.value(&value);
                });
            }
            kind if field.is_list() => self.list(['[', ']'], |this| this.value(&kind)),
            kind => self.value(&kind),
        }
    }

    fn value(&mut self, kind: &Kind) {
        if self.deviates() {
            return self.one_of(&UNUSUAL);
        }
        match kind {
            Kind::String => self.one_of(&TEXTS),
            Kind::Bool => self.one_of(&["false", "true"]),
            Kind::Double => self.one_of(&NUMBERS),
            Kind::Int64 | Kind::Uint64 if !self.is_unusual => {
                self.one_of(&["0", "7", "12345678901"])
            }
            Kind::Int64 | Kind::Uint64 => self.one_of(&["0", "\"7\"", "1e3", "-5", "1.5"]),
            Kind::Message(message) => match message.full_name() {
                "google.protobuf.Struct" => self.structure(0),
                "google.protobuf.Duration" if !self.is_unusual => self.out += "null",
                "google.protobuf.Duration" => self.one_of(&["\"86400s\"", "\"1.5s\"", "\"1h\""]),
                "google.protobuf.Any" => self.one_of(&ANY),
                _ => self.message(message),
            },
            kind => unreachable!("no message has a field of type {kind:?}"),
        }
    }

    fn structure(&mut self, depth: usize) {
        self.list(['{', '}'], |this| {
            this.one_of(&TEXTS);
            this.out.push(':');
            this.anything(depth + 1);
        });
    }

    fn anything(&mut self, depth: usize) {
        match self.choose(6) {
            0 | 1 if depth < MAX_DEPTH => self.structure(depth),
            2 if depth < MAX_DEPTH => self.list(['[', ']'], |this| this.anything(depth + 1)),
            3 => self.one_of(&NUMBERS),
            4 => self.one_of(&["null", "false", "true"]),
            _ => self.one_of(&TEXTS),
        }
    }
}
