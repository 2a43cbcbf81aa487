//! The strings in a JSON text.

use std::borrow::Cow;

/// Returns a JSON text in which `map` has replaced some of the string values, but no keys. Everything
/// else stays as written. A text that is not JSON may be returned unchanged from some point on.
pub(super) fn map_values<'j, E>(
    json: &'j str,
    mut map: impl FnMut(&str) -> Result<Option<String>, E>,
) -> Result<Cow<'j, str>, E> {
    map_strings(json, |text, is_key| if is_key { Ok(None) } else { map(text) })
}

/// Like [`map_values`], but also passes the keys to `map`, with `true`.
pub(in super::super) fn map_strings<'j, E>(
    json: &'j str,
    mut map: impl FnMut(&str, bool) -> Result<Option<String>, E>,
) -> Result<Cow<'j, str>, E> {
    let (mut mapped, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(start) = json[at..].find('"').map(|quote| at + quote) {
        let Some(end) = string_end(json, start) else { break };
        at = end;
        let is_key = json[end..].trim_start().starts_with(':');
        let Ok(text) = serde_json::from_str::<Cow<'_, str>>(&json[start..end]) else { continue };
        if let Some(text) = map(&text, is_key)? {
            mapped.push_str(&json[copied..start]);
            mapped.push_str(&serde_json::Value::from(text).to_string());
            copied = end;
        }
    }
    if copied == 0 {
        return Ok(Cow::Borrowed(json));
    }
    mapped.push_str(&json[copied..]);
    Ok(Cow::Owned(mapped))
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
        let shout = |text: &str| Ok::<_, ()>(text.ends_with('!').then(|| text.to_uppercase()));
        map_values(json, shout).unwrap().into_owned()
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
}
