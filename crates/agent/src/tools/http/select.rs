//! Finds a value in JSON without decoding the others.

use std::{borrow::Cow, fmt};

use serde::{
    Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// Returns the value that a JSON Pointer selects, as written. Fails if the text is not JSON.
pub(super) fn select<'j>(text: &'j str, pointer: &str) -> serde_json::Result<Option<&'j RawValue>> {
    let mut value: &RawValue = serde_json::from_str(text)?;
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        if !value.get().starts_with(['[', '{']) {
            return Ok(None);
        }
        let mut level = serde_json::Deserializer::from_str(value.get());
        match level.deserialize_any(Member(&token))? {
            Some(member) => value = member,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}

/// Finds the member of an object with this name, or the item of a list with this number.
struct Member<'t>(&'t str);

impl Member<'_> {
    /// Returns the number of an item, which has neither a sign nor leading zeros.
    fn index(&self) -> Option<usize> {
        let is_canonical = self.0 == "0" || !self.0.starts_with(['0', '+']);
        self.0.parse().ok().filter(|_| is_canonical)
    }
}

impl<'j> Visitor<'j> for Member<'_> {
    type Value = Option<&'j RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'j>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        for number in 0.. {
            let is_left = if self.index() == Some(number) {
                found = items.next_element()?;
                found.is_some()
            } else {
                items.next_element::<IgnoredAny>()?.is_some()
            };
            if !is_left {
                break;
            }
        }
        Ok(found)
    }

    fn visit_map<A: MapAccess<'j>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(name) = members.next_key::<Cow<'_, str>>()? {
            // The last one counts, as everywhere.
            if name == self.0 {
                found = Some(members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    const JSON: &str =
        r#"{"a": [1, {"b/c": "\u00e9", "~": null}], "a\"": 2, "": [[]], "d": 1, "d": 3}"#;

    proptest! {
        #[test]
        fn selects_as_serde_json_does(pointer in "(/(a|a\"|b~1c|~0|~1|d|0|1|01|-|x)?){0,4}") {
            let value: Value = serde_json::from_str(JSON).unwrap();
            let selected = select(JSON, &pointer).unwrap();
            let selected = selected.map(|raw| serde_json::from_str::<Value>(raw.get()).unwrap());
            prop_assert_eq!(selected.as_ref(), value.pointer(&pointer));
        }
    }

    #[test]
    fn rejects_what_is_not_json() {
        assert!(select("[1, 2", "/0").is_err());
        assert!(select("", "/0").is_err());
    }
}
