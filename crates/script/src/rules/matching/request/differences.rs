//! What differs between two requests.

use std::collections::BTreeMap;

use serde_json::Value;

use super::RequestForm;

/// A part of a request that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where it is, such as `messages.1.text`. Messages and calls have numbers, from 1.
    pub path: String,
    /// What is expected: a text, or JSON. `None` if nothing is.
    pub expected: Option<String>,
    /// What the request has.
    pub seen: Option<String>,
}

/// Returns what differs.
pub(super) fn between(expected: &RequestForm, seen: &RequestForm) -> Vec<Difference> {
    let json = |form: &RequestForm| {
        let mut json = serde_json::to_value(form).unwrap_or_default();
        json.as_object_mut().map(|members| members.remove("tools"));
        json
    };
    let mut found = Vec::new();
    compare(&mut Vec::new(), Some(&json(expected)), Some(&json(seen)), &mut found);
    found.extend(tools(&expected.tools, &seen.tools));
    found
}

/// Returns the tools that differ. People cannot compare their hashes.
fn tools<'f>(
    expected: &'f BTreeMap<String, String>,
    seen: &'f BTreeMap<String, String>,
) -> impl Iterator<Item = Difference> + 'f {
    let added = seen.keys().filter(|name| !expected.contains_key(*name));
    let differing = expected.keys().chain(added);
    let differing = differing.filter(|name| expected.get(*name) != seen.get(*name));
    differing.map(|name| {
        let of = |tools: &BTreeMap<_, _>| tools.contains_key(name).then(|| name.clone());
        match [of(expected), of(seen)] {
            [Some(_), Some(_)] => Difference {
                path: format!("tools.{name}"),
                expected: Some("the recorded description or schema".to_owned()),
                seen: Some("another description or schema".to_owned()),
            },
            [expected, seen] => Difference { path: "tools".to_owned(), expected, seen },
        }
    })
}

fn compare(
    path: &mut Vec<String>,
    expected: Option<&Value>,
    seen: Option<&Value>,
    found: &mut Vec<Difference>,
) {
    match (expected, seen) {
        (Some(expected), Some(seen)) if expected == seen => {}
        (Some(Value::Object(expected)), Some(Value::Object(seen))) => {
            let added = seen.keys().filter(|key| !expected.contains_key(*key));
            for key in expected.keys().chain(added) {
                path.push(key.clone());
                compare(path, expected.get(key), seen.get(key), found);
                path.pop();
            }
        }
        (Some(Value::Array(expected)), Some(Value::Array(seen))) => {
            for at in 0..expected.len().max(seen.len()) {
                path.push((at + 1).to_string());
                compare(path, expected.get(at), seen.get(at), found);
                path.pop();
            }
        }
        (expected, seen) => {
            let [expected, seen] = [expected, seen].map(|value| value.map(text));
            found.push(Difference { path: path.join("."), expected, seen });
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
