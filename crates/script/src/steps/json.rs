//! Parses JSON value by value, so that errors include their location and uninspected values keep
//! their text. No function is recursive, so the nesting depth is unlimited.

use std::{fmt, time::Duration};

use mynah_core::base;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{StepError, quoted::quoted};

/// The members of an object whose keys are all known. Members that are null are omitted.
pub(crate) struct Object<'a>(Vec<(&'static str, &'a RawValue)>);

impl<'a> Object<'a> {
    pub(crate) fn parse(value: &'a RawValue, known: &[&'static str]) -> Result<Self, StepError> {
        expect(value, "an object")?;
        let Members(members) = deserialize(value)?;
        let mut fields: Vec<(&'static str, &RawValue)> = Vec::new();
        for (key, value) in members {
            let Some(known) = known.iter().find(|known| **known == key) else {
                return Err(unknown_key(&key, known));
            };
            if fields.iter().any(|(key, _)| key == known) {
                return Err(StepError::about_key(key, format!("duplicate key {known:?}")));
            }
            fields.push((known, value));
        }
        fields.retain(|(_, value)| !is_null(value));
        Ok(Self(fields))
    }

    /// Returns the only field. If there is not exactly one, returns the number of fields as the
    /// error.
    pub(crate) fn single(&self) -> Result<(&'static str, &'a RawValue), usize> {
        match self.0.as_slice() {
            [field] => Ok(*field),
            fields => Err(fields.len()),
        }
    }

    /// Returns `true` if a field is not null.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(name, _)| *name == key)
    }

    /// Parses an optional field.
    pub(crate) fn get<T>(
        &self,
        key: &str,
        parse: impl FnOnce(&'a RawValue) -> Result<T, StepError>,
    ) -> Result<Option<T>, StepError> {
        let field = self.0.iter().find(|(name, _)| *name == key);
        let parsed = field.map(|(_, value)| parse(value).map_err(|error| error.within_key(key)));
        parsed.transpose()
    }

    /// Parses a required field.
    pub(crate) fn require<T>(
        &self,
        key: &str,
        parse: impl FnOnce(&'a RawValue) -> Result<T, StepError>,
    ) -> Result<T, StepError> {
        self.get(key, parse)?.ok_or_else(|| StepError::new(format!("needs {key:?}")))
    }

    /// Parses an optional list field. In error locations, `item` and a number identify each item.
    pub(crate) fn list<T>(
        &self,
        key: &str,
        item: &str,
        parse: impl Fn(&'a RawValue) -> Result<T, StepError>,
    ) -> Result<Option<Vec<T>>, StepError> {
        let Some(values) = self.get(key, list)? else { return Ok(None) };
        values
            .into_iter()
            .enumerate()
            .map(|(index, value)| parse(value).map_err(|error| error.within_item(key, item, index)))
            .collect::<Result<_, _>>()
            .map(Some)
    }
}

fn unknown_key(key: &str, known: &[&str]) -> StepError {
    let hint = match known {
        [] => "expected {}".to_owned(),
        known => format!("known: {}", known.join(", ")),
    };
    StepError::about_key(key, format!("unknown key {}; {hint}", quoted(key)))
}

fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}

/// Returns `true` if an object has a member with this name, even if the member is null.
pub(crate) fn has_key(object: &RawValue, name: &str) -> Result<bool, StepError> {
    let Members(members) = deserialize(object)?;
    Ok(members.iter().any(|(key, _)| key == name))
}

/// Parses an object with arbitrary keys and string values.
pub(crate) fn string_map<'a, T: FromIterator<(String, String)>>(
    value: &'a RawValue,
    parse: impl Fn(&'a RawValue) -> Result<String, StepError>,
) -> Result<T, StepError> {
    expect(value, "an object")?;
    let Members(members) = deserialize(value)?;
    let member = |(key, value): (String, &'a RawValue)| match parse(value) {
        Ok(text) => Ok((key, text)),
        Err(error) => Err(error.within_member(&key)),
    };
    members.into_iter().map(member).collect()
}

/// Parses a string.
pub(crate) fn string(value: &RawValue) -> Result<String, StepError> {
    expect(value, "a string")?;
    deserialize(value)
}

/// Parses a string of at most `max` characters.
pub(crate) fn bounded_string(value: &RawValue, max: usize) -> Result<String, StepError> {
    let text = string(value)?;
    if text.chars().nth(max).is_some() {
        return Err(StepError::new(format!("must have at most {max} characters")));
    }
    Ok(text)
}

/// Checks that a value is an object and returns it unparsed.
pub(crate) fn object(value: &RawValue) -> Result<&RawValue, StepError> {
    expect(value, "an object").map(|()| value)
}

/// Parses a list, but not its items.
fn list(value: &RawValue) -> Result<Vec<&RawValue>, StepError> {
    expect(value, "a list")?;
    deserialize(value)
}

/// Parses a list. In error locations, `item` and a number identify each item.
pub(crate) fn items<'a, T>(
    value: &'a RawValue,
    item: &str,
    parse: impl Fn(&'a RawValue) -> Result<T, StepError>,
) -> Result<Vec<T>, StepError> {
    let numbered = (0..).zip(list(value)?);
    numbered
        .map(|(index, value)| parse(value).map_err(|error| error.within_index(item, index)))
        .collect()
}

/// Parses a boolean.
pub(crate) fn boolean(value: &RawValue) -> Result<bool, StepError> {
    expect(value, "a boolean")?;
    deserialize(value)
}

/// Parses a number.
pub(crate) fn number(value: &RawValue, min: f64, max: f64) -> Result<f64, StepError> {
    let error = || StepError::new(format!("must be a number from {min} to {max}"));
    expect(value, "a number").map_err(|_| error())?;
    let number = deserialize(value)?;
    if (min..=max).contains(&number) { Ok(number) } else { Err(error()) }
}

/// Parses a whole number, which may be written as 5.0 or 5e0.
pub(crate) fn integer(value: &RawValue, min: u32, max: u64) -> Result<u64, StepError> {
    let error = || StepError::new(format!("must be a whole number from {min} to {max}"));
    expect(value, "a number").map_err(|_| error())?;
    let number: f64 = deserialize(value)?;
    let is_valid = number.fract() == 0.0 && number >= f64::from(min) && number <= max as f64;
    if is_valid { Ok(number as u64) } else { Err(error()) }
}

/// Parses a duration in Go's format.
pub(crate) fn duration(value: &RawValue) -> Result<Duration, StepError> {
    if kind(value) != "a string" {
        let error = format!("must be a duration such as \"500ms\", not {}", kind(value));
        return Err(StepError::new(error));
    }
    let text = string(value)?;
    base::duration::parse(&text).map_err(|error| {
        // The message quotes the text, which may be long.
        StepError::new(error.to_string().replacen(&format!("{text:?}"), &quoted(&text), 1))
    })
}

/// Removes whitespace between tokens. Numbers and strings keep their text.
pub(crate) fn compact(value: &RawValue) -> String {
    let (mut compact, mut in_string, mut escaped) = (String::new(), false, false);
    for char in value.get().chars() {
        if in_string || !char.is_ascii_whitespace() {
            compact.push(char);
        }
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
    }
    compact
}

fn expect(value: &RawValue, expected: &str) -> Result<(), StepError> {
    let actual = kind(value);
    if actual == expected {
        return Ok(());
    }
    Err(StepError::new(format!("must be {expected}, not {actual}")))
}

fn kind(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// Deserializes a value. This can fail for valid JSON with lone surrogates or numbers out of range.
fn deserialize<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Result<T, StepError> {
    serde_json::from_str(value.get())
        .map_err(|error| StepError::new(format!("cannot be parsed: {error}")))
}

/// The members of an object in order, including duplicates.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}
