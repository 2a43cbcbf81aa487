//! Converts a value to the text that daprd passes to a component.

use serde_json::Value as Json;

use super::{
    node::{Entry, Node, Value},
    scalar::{Scalar, resolve},
};
use crate::base::diagnostics::Diagnostic;

impl Node {
    /// Returns the value as text: text unchanged, null as an empty string, and anything else as
    /// compact JSON.
    pub fn to_text(&self) -> Result<String, Diagnostic> {
        match &self.value {
            Value::Text(text) => Ok(text.clone()),
            Value::Plain(plain) => match resolve(plain) {
                Scalar::Text(text) => Ok(text.to_owned()),
                Scalar::Null => Ok(String::new()),
                _ => json(self),
            },
            Value::List(_) | Value::Map(_) => json(self),
        }
    }
}

fn json(node: &Node) -> Result<String, Diagnostic> {
    match &node.value {
        Value::Text(text) => Ok(quoted(text)),
        Value::Plain(plain) => plain_json(plain).ok_or_else(|| {
            let message = format!("{plain} is not a number in JSON; quote it");
            Diagnostic::error(message).at(node.place)
        }),
        Value::List(nodes) => {
            let items: Vec<_> = nodes.iter().map(json).collect::<Result<_, _>>()?;
            Ok(format!("[{}]", items.join(",")))
        }
        Value::Map(entries) => {
            let field = |(key, entry): (&String, &Entry)| {
                Ok(format!("{}:{}", quoted(key), json(&entry.node)?))
            };
            let fields: Vec<_> = entries.iter().map(field).collect::<Result<_, _>>()?;
            Ok(format!("{{{}}}", fields.join(",")))
        }
    }
}

/// Formats an unquoted scalar as JSON. Returns `None` for infinity and NaN.
fn plain_json(plain: &str) -> Option<String> {
    Some(match resolve(plain) {
        Scalar::Null => "null".to_owned(),
        Scalar::Bool(value) => value.to_string(),
        Scalar::Integer(value) => value.to_string(),
        Scalar::Float(value) if value.is_finite() => float_json(value),
        Scalar::Float(_) => return None,
        Scalar::Text(text) => quoted(text),
    })
}

/// Formats a number like Go: without a fraction if the number is whole, and with an exponent only
/// if the number is very small or very large.
fn float_json(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        return value.to_string();
    }
    let text = format!("{value:e}");
    if text.contains("e-") { text } else { text.replace('e', "e+") }
}

fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    fn read(yaml: &str) -> Result<String, String> {
        let document = format!("value: {yaml}");
        let tree = parse(&document, 1).unwrap().unwrap();
        let value = tree.root.field("value");
        value.map_or(Ok(String::new()), |node| node.to_text().map_err(|error| error.message))
    }

    #[test]
    fn formats_scalars_like_daprd() {
        let cases = [
            ("off", "false"),
            ("on", "true"),
            ("yes", "true"),
            ("0777", "511"),
            ("0o777", "511"),
            ("0x1F", "31"),
            ("1_000", "1000"),
            ("1e3", "1000"),
            ("1.10", "1.1"),
            ("-0.0", "-0"),
            ("1e-7", "1e-7"),
            ("1e21", "1e+21"),
            ("~", ""),
            ("2024-01-01", "2024-01-01"),
            ("12:30:45", "12:30:45"),
            ("12345678901234567890", "12345678901234567890"),
            ("plain words", "plain words"),
        ];
        for (yaml, text) in cases {
            assert_eq!(read(yaml).as_deref(), Ok(text), "{yaml}");
        }
    }

    #[test]
    fn keeps_quoted_and_block_text() {
        for yaml in ["\"off\"", "'off'", "!!str off", "|-\n  off", ">-\n  off"] {
            assert_eq!(read(yaml).as_deref(), Ok("off"), "{yaml}");
        }
        assert_eq!(read("|\n  a\n  b\n").as_deref(), Ok("a\nb\n"));
    }

    #[test]
    fn formats_collections_as_compact_json() {
        assert_eq!(read("{a: 1, b: [x]}").as_deref(), Ok(r#"{"a":1,"b":["x"]}"#));
        assert_eq!(
            read("{b: off, a: ~, on: '1'}").as_deref(),
            Ok(r#"{"a":null,"b":false,"true":"1"}"#)
        );
        assert_eq!(read("[1.10, \"a\\\"b\"]").as_deref(), Ok(r#"[1.1,"a\"b"]"#));
    }

    #[test]
    fn rejects_infinity() {
        let message = ".inf is not a number in JSON; quote it";
        assert_eq!(read(".inf"), Err(message.to_owned()));
        assert_eq!(read("[.inf]"), Err(message.to_owned()));
    }
}
