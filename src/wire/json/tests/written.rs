//! JSON as clients may write it, by the descriptor of a message, so that no field is forgotten.

use std::slice::Iter;

use prost::Name;
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::wire::json::descriptor;

/// Levels of a struct.
const DEPTH: usize = 4;
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
const ODD: [&str; 14] = [
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

/// A body in which each byte is a choice. In a regular one there is nothing that the fast way leaves
/// to the exact way.
pub(super) fn body<M: Name>(choices: &[u8], regular: bool) -> String {
    let mut writer = Writer { choices: choices.iter(), regular, out: String::new() };
    writer.message(&descriptor::<M>());
    writer.out
}

struct Writer<'a> {
    choices: Iter<'a, u8>,
    regular: bool,
    out: String,
}

impl Writer<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.choices.next().map_or(0, |choice| usize::from(*choice) % bound)
    }

    /// Whether to write what is not regular.
    fn errs(&mut self) -> bool {
        !self.regular && self.below(16) == 1
    }

    fn one_of(&mut self, texts: &[&str]) {
        let text = texts[self.below(texts.len())];
        self.out += text;
    }

    fn list(&mut self, brackets: [char; 2], mut item: impl FnMut(&mut Self)) {
        self.out.push(brackets[0]);
        for at in 0..self.below(5) {
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
            let field = &fields[this.below(fields.len())];
            let oneof = field.containing_oneof();
            let place = oneof.map_or(field.full_name().to_owned(), |o| o.full_name().to_owned());
            if (seen.contains(&place) || this.below(8) == 1) && !this.errs() {
                this.out += r#""nonsense":{"a":[1,{}],"a":"\"}"}"#;
                return;
            }
            seen.push(place);
            this.name(field);
            this.field(field);
        });
    }

    fn name(&mut self, field: &FieldDescriptor) {
        let name = if self.below(2) == 0 { field.json_name() } else { field.name() };
        let (first, rest) = name.split_at(1);
        let escaped = self.errs().then(|| format!("\\u00{:02x}{rest}", first.as_bytes()[0]));
        self.out += &format!("\"{}\" :", escaped.as_deref().unwrap_or(name));
    }

    fn field(&mut self, field: &FieldDescriptor) {
        if self.errs() {
            return self.one_of(&ODD);
        }
        match field.kind() {
            Kind::Message(entry) if field.is_map() => {
                let value = entry.map_entry_value_field().kind();
                // Only the exact way reads an Any.
                if self.regular && value != Kind::String {
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
        if self.errs() {
            return self.one_of(&ODD);
        }
        match kind {
            Kind::String => self.one_of(&TEXTS),
            Kind::Bool => self.one_of(&["false", "true"]),
            Kind::Double => self.one_of(&NUMBERS),
            Kind::Int64 | Kind::Uint64 if self.regular => self.one_of(&["0", "7", "12345678901"]),
            Kind::Int64 | Kind::Uint64 => self.one_of(&["0", "\"7\"", "1e3", "-5", "1.5"]),
            Kind::Message(message) => match message.full_name() {
                "google.protobuf.Struct" => self.structure(0),
                "google.protobuf.Duration" if self.regular => self.out += "null",
                "google.protobuf.Duration" => self.one_of(&["\"86400s\"", "\"1.5s\"", "\"1h\""]),
                "google.protobuf.Any" => self.one_of(&ANY),
                _ => self.message(message),
            },
            kind => unreachable!("no message has a {kind:?}"),
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
        match self.below(6) {
            0 | 1 if depth < DEPTH => self.structure(depth),
            2 if depth < DEPTH => self.list(['[', ']'], |this| this.anything(depth + 1)),
            3 => self.one_of(&NUMBERS),
            4 => self.one_of(&["null", "false", "true"]),
            _ => self.one_of(&TEXTS),
        }
    }
}
