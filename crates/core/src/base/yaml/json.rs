//! Converts values to JSON.

use serde_json::Value as Json;

use super::node::{Entry, Node, Value};

/// Returns a value as JSON on one line.
///
/// Keys have the order of the file, and numbers are as written. An unquoted scalar is null, a boolean
/// or a number only if it is one in YAML 1.2 and can be written in JSON; otherwise it is text.
pub fn to_json(node: &Node) -> String {
    let mut json = String::new();
    write(&mut json, node);
    json
}

fn write(json: &mut String, node: &Node) {
    match &node.value {
        Value::Text(text) => push_text(json, text),
        Value::Plain(plain) => match plain_json(plain) {
            Some(plain) => *json += plain,
            None => push_text(json, plain),
        },
        Value::List(nodes) => push_list(json, nodes),
        Value::Map(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(_, entry)| entry.place);
            push_map(json, &entries);
        }
    }
}

fn push_list(json: &mut String, nodes: &[Node]) {
    json.push('[');
    for (index, node) in nodes.iter().enumerate() {
        push_comma(json, index);
        write(json, node);
    }
    json.push(']');
}

fn push_map(json: &mut String, entries: &[(&String, &Entry)]) {
    json.push('{');
    for (index, (key, entry)) in entries.iter().enumerate() {
        push_comma(json, index);
        push_text(json, key);
        json.push(':');
        write(json, &entry.node);
    }
    json.push('}');
}

fn push_comma(json: &mut String, index: usize) {
    if index > 0 {
        json.push(',');
    }
}

fn push_text(json: &mut String, text: &str) {
    *json += &Json::from(text).to_string();
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
    use super::{super::parse_own, *};

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
            assert_eq!(to_json(&parse_own(yaml).unwrap().unwrap().root), expected);
        }
    }
}
