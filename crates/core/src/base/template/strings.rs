//! The strings in a JSON text.

use std::borrow::Cow;

/// A step from a value to one inside it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PathStep {
    /// To the member of an object with this key.
    Key(String),
    /// To an item of a list.
    Item,
}

/// Returns a JSON text in which `map` has replaced some of the string values by other JSON, but no
/// keys. `map` also gets the path to the value. Everything else stays as written. A text that is not
/// JSON may be returned unchanged from some point on.
pub(super) fn map_values<'j, E>(
    json: &'j str,
    mut map: impl FnMut(&str, &[PathStep]) -> Result<Option<String>, E>,
) -> Result<Cow<'j, str>, E> {
    replace(json, |text, path| path.map_or(Ok(None), |path| map(text, path)))
}

/// Returns a JSON text in which `map` has replaced some of the strings. It also gets the keys, with
/// `true`.
pub fn map_strings<'j, E>(
    json: &'j str,
    mut map: impl FnMut(&str, bool) -> Result<Option<String>, E>,
) -> Result<Cow<'j, str>, E> {
    replace(json, |text, path| {
        let text = map(text, path.is_none())?;
        Ok(text.map(|text| serde_json::Value::from(text).to_string()))
    })
}

/// Replaces strings by JSON. `map` gets the path to a value, or `None` for a key.
fn replace<'j, E>(
    json: &'j str,
    mut map: impl FnMut(&str, Option<&[PathStep]>) -> Result<Option<String>, E>,
) -> Result<Cow<'j, str>, E> {
    let (mut mapped, mut copied, mut at, mut path) = (String::new(), 0, 0, Vec::new());
    while let Some(start) = json[at..].find('"').map(|quote| at + quote) {
        follow(&mut path, &json[at..start]);
        let Some(end) = string_end(json, start) else { break };
        at = end;
        let is_key = json[end..].trim_start().starts_with(':');
        let Ok(text) = serde_json::from_str::<Cow<'_, str>>(&json[start..end]) else { continue };
        if let (true, Some(PathStep::Key(key))) = (is_key, path.last_mut()) {
            text.as_ref().clone_into(key);
        }
        if let Some(new) = map(&text, (!is_key).then_some(&path))? {
            mapped.push_str(&json[copied..start]);
            mapped.push_str(&new);
            copied = end;
        }
    }
    if copied == 0 {
        return Ok(Cow::Borrowed(json));
    }
    mapped.push_str(&json[copied..]);
    Ok(Cow::Owned(mapped))
}

/// Follows the brackets between two strings.
fn follow(path: &mut Vec<PathStep>, between: &str) {
    for byte in between.bytes() {
        match byte {
            b'{' => path.push(PathStep::Key(String::new())),
            b'[' => path.push(PathStep::Item),
            b'}' | b']' => drop(path.pop()),
            _ => {}
        }
    }
}

/// Returns the end of the string whose opening quote is at `start`.
fn string_end(json: &str, start: usize) -> Option<usize> {
    let bytes = json.as_bytes();
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shout(json: &str) -> String {
        let shout = |text: &str, is_key: bool| {
            Ok::<_, ()>((!is_key && text.ends_with('!')).then(|| text.to_uppercase()))
        };
        map_strings(json, shout).unwrap().into_owned()
    }

    #[test]
    fn replaces_string_values_only() {
        let cases = [
            (r#"{"a!": "b!", "c": ["d!", 1.50, "e"]}"#, r#"{"a!": "B!", "c": ["D!", 1.50, "e"]}"#),
            (r#"{"a\"!":"\"b\\!"}"#, r#"{"a\"!":"\"B\\!"}"#),
            (r#""a!""#, r#""A!""#),
            (r#"{"a" : "b"}"#, r#"{"a" : "b"}"#),
            (r#"{"a!" : "b\u00e9!"}"#, r#"{"a!" : "BÉ!"}"#),
            ("12", "12"),
            ("", ""),
            (r#"{"a": "b!"#, r#"{"a": "b!"#),
            (r#"{"a": "b\"#, r#"{"a": "b\"#),
        ];
        for (json, expected) in cases {
            assert_eq!(shout(json), expected, "{json}");
        }
    }

    #[test]
    fn values_have_a_path() {
        let json = r#"{"a": ["x", {"b": "y"}], "c": {}, "d": "z"}"#;
        let mut paths = Vec::new();
        let mapped = map_values(json, |text, path| {
            let step = |step: &PathStep| match step {
                PathStep::Key(key) => key.clone(),
                PathStep::Item => "-".to_owned(),
            };
            let path: Vec<_> = path.iter().map(step).collect();
            paths.push(format!("{}={text}", path.join("/")));
            Ok::<_, ()>(Some("1".to_owned()))
        });
        assert_eq!(mapped.unwrap(), r#"{"a": [1, {"b": 1}], "c": {}, "d": 1}"#);
        assert_eq!(paths, ["a/-=x", "a/-/b=y", "d=z"]);
    }
}
