//! Converts values to JSON, whose errors can be located in the file.

use std::{fmt::Write, ops::Range};

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::node::{Entry, Node, Value};
use crate::base::{
    diagnostics::{Diagnostic, Place},
    reader_message::reason,
};

/// A value as JSON on one line, with the places of its parts.
///
/// Keys have the order of the file, and numbers are as written. An unquoted scalar is null, a boolean
/// or a number only if it is one in YAML 1.2 and can be written in JSON; otherwise it is text.
#[derive(Debug)]
pub struct PlacedJson {
    text: String,
    /// The parts of the text, sorted by their ends.
    parts: Vec<(Range<usize>, Place)>,
}

impl PlacedJson {
    /// Converts a value.
    pub fn new(node: &Node) -> Self {
        let mut json = Self { text: String::new(), parts: Vec::new() };
        json.write(node);
        json
    }

    /// Returns the JSON.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the JSON.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Deserializes the value. The error has the place of the part that is invalid.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, Diagnostic> {
        serde_json::from_str(&self.text).map_err(|error| {
            // The place is that in the JSON.
            let diagnostic = Diagnostic::error(reason(&error.to_string(), "a mapping"));
            match self.place_before(error.column()) {
                Some(place) => diagnostic.at(place),
                None => diagnostic,
            }
        })
    }

    /// Returns the place of the innermost part with the byte before `end`.
    fn place_before(&self, end: usize) -> Option<Place> {
        // A part ends before the part that contains it.
        let mut parts = self.parts.iter().filter(|(range, _)| range.end >= end);
        parts.find(|(range, _)| range.start < end).or(self.parts.last()).map(|(_, place)| *place)
    }

    fn write(&mut self, node: &Node) {
        let start = self.text.len();
        match &node.value {
            Value::Text(text) => self.push_text(text),
            Value::Plain(plain) => match plain_json(plain) {
                Some(json) => self.text += json,
                None => self.push_text(plain),
            },
            Value::List(nodes) => self.push_list(nodes),
            Value::Map(entries) => {
                let mut entries: Vec<_> = entries.iter().collect();
                entries.sort_by_key(|(_, entry)| entry.place);
                self.push_map(&entries);
            }
        }
        self.parts.push((start..self.text.len(), node.place));
    }

    fn push_list(&mut self, nodes: &[Node]) {
        self.text.push('[');
        for (index, node) in nodes.iter().enumerate() {
            self.push_comma(index);
            self.write(node);
        }
        self.text.push(']');
    }

    fn push_map(&mut self, entries: &[(&String, &Entry)]) {
        self.text.push('{');
        for (index, (key, entry)) in entries.iter().enumerate() {
            self.push_comma(index);
            let start = self.text.len();
            self.push_text(key);
            self.parts.push((start..self.text.len(), entry.place));
            self.text.push(':');
            self.write(&entry.node);
        }
        self.text.push('}');
    }

    fn push_comma(&mut self, index: usize) {
        if index > 0 {
            self.text.push(',');
        }
    }

    fn push_text(&mut self, text: &str) {
        // Writing to a string does not fail.
        let _ = write!(self.text, "{}", Json::from(text));
    }
}

/// Returns an unquoted scalar as JSON, unless it is text.
fn plain_json(plain: &str) -> Option<&str> {
    match plain {
        "" | "~" | "null" | "Null" | "NULL" => Some("null"),
        "true" | "True" | "TRUE" => Some("true"),
        "false" | "False" | "FALSE" => Some("false"),
        _ => {
            let may_be_number = plain.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            (may_be_number && serde_json::from_str::<serde_json::Number>(plain).is_ok())
                .then_some(plain)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{super::parse_own, *};

    fn json(yaml: &str) -> PlacedJson {
        PlacedJson::new(&parse_own(yaml).unwrap().unwrap().root)
    }

    #[test]
    fn keeps_order_and_spelling() {
        let cases = [
            ("{z: 1.10, a: 1e3, m: -0}", r#"{"z":1.10,"a":1e3,"m":-0}"#),
            ("[yes, 0123, +1, .5, 1_000, .inf]", r#"["yes","0123","+1",".5","1_000",".inf"]"#),
            ("[true, False, ~, '1', !!str 2]", r#"[true,false,null,"1","2"]"#),
            (
                "{y: 1, no: 2, 0123: 3, 1_000: 4, ~: 5, 1.50: 6}",
                r#"{"y":1,"no":2,"0123":3,"1_000":4,"~":5,"1.50":6}"#,
            ),
            ("a: &x {b: \"\\n\"}\nc: *x", r#"{"a":{"b":"\n"},"c":{"b":"\n"}}"#),
        ];
        for (yaml, expected) in cases {
            assert_eq!(json(yaml).text(), expected);
        }
    }

    #[test]
    fn errors_have_the_place_of_the_invalid_part() {
        let error = |yaml: &str| {
            let lists = json(yaml).deserialize::<BTreeMap<String, Vec<u8>>>();
            lists.unwrap_err().to_string()
        };
        insta::assert_snapshot!(error("a: [1]\nb:\n  - 2\n  - c"), @r#":4:5: must be a whole number that is not negative, not "c""#);
        insta::assert_snapshot!(error("a: [1]\nb: 5"), @":2:4: must be a list, not 5");
        insta::assert_snapshot!(error("[]"), @":1:1: must be a mapping, not a list");
    }
}
