//! JSON that is read value by value: a mistake knows its place, and what is not looked into stays
//! as it was written. Nothing here recurses, so no nesting is too deep.

use std::{fmt, time::Duration};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::Mistake;
use crate::base::duration;

/// An object whose keys are all known, without those that are null.
pub(super) struct Object<'a>(Vec<(&'static str, &'a RawValue)>);

impl<'a> Object<'a> {
    pub(super) fn read(value: &'a RawValue, known: &[&'static str]) -> Result<Self, Mistake> {
        expect(value, "an object")?;
        let Members(members) = parse(value)?;
        let mut fields: Vec<(&'static str, &RawValue)> = Vec::new();
        for (key, value) in members {
            let Some(known) = known.iter().find(|known| **known == key) else {
                return Err(unknown_key(&key, known));
            };
            if fields.iter().any(|(key, _)| key == known) {
                return Err(Mistake::new(format!("key {key:?} stands here twice")));
            }
            fields.push((known, value));
        }
        fields.retain(|(_, value)| !is_null(value));
        Ok(Self(fields))
    }

    /// The key of the only field; else how many there are.
    pub(super) fn only(&self) -> Result<(&'static str, &'a RawValue), usize> {
        match self.0.as_slice() {
            [field] => Ok(*field),
            fields => Err(fields.len()),
        }
    }

    /// The field, where it is there and not null.
    pub(super) fn get<T>(
        &self,
        key: &str,
        read: impl FnOnce(&'a RawValue) -> Result<T, Mistake>,
    ) -> Result<Option<T>, Mistake> {
        let field = self.0.iter().find(|(name, _)| *name == key);
        let read = field.map(|(_, value)| read(value).map_err(|mistake| mistake.within(key)));
        read.transpose()
    }

    /// The field, which must be there.
    pub(super) fn need<T>(
        &self,
        key: &str,
        read: impl FnOnce(&'a RawValue) -> Result<T, Mistake>,
    ) -> Result<T, Mistake> {
        self.get(key, read)?.ok_or_else(|| Mistake::new(format!("needs {key:?}")))
    }

    /// The items of the field, each of which is called `item` and its number in a mistake.
    pub(super) fn list<T>(
        &self,
        key: &str,
        item: &str,
        read: impl Fn(&'a RawValue) -> Result<T, Mistake>,
    ) -> Result<Option<Vec<T>>, Mistake> {
        let Some(values) = self.get(key, list)? else { return Ok(None) };
        values
            .into_iter()
            .zip(1..)
            .map(|(value, number)| {
                read(value).map_err(|mistake| mistake.within(format!("{item} {number}")))
            })
            .collect::<Result<_, _>>()
            .map(Some)
    }
}

fn unknown_key(key: &str, known: &[&str]) -> Mistake {
    let remedy = match known {
        [] => "write {}".to_owned(),
        known => format!("known: {}", known.join(", ")),
    };
    Mistake::new(format!("unknown key {}; {remedy}", quoted(key)))
}

/// A text from a client in a message: in one line, and short, since gRPC puts it into a header.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}

/// Whether an object has a field of that name, whatever is in it.
pub(super) fn has_key(object: &RawValue, name: &str) -> Result<bool, Mistake> {
    let Members(members) = parse(object)?;
    Ok(members.iter().any(|(key, _)| key == name))
}

/// An object of strings under any names.
pub(super) fn strings<'a, T: FromIterator<(String, String)>>(
    value: &'a RawValue,
    read: impl Fn(&'a RawValue) -> Result<String, Mistake>,
) -> Result<T, Mistake> {
    expect(value, "an object")?;
    let Members(members) = parse(value)?;
    let member = |(key, value): (String, &'a RawValue)| match read(value) {
        Ok(text) => Ok((key, text)),
        Err(mistake) => Err(mistake.within(quoted(&key))),
    };
    members.into_iter().map(member).collect()
}

pub(super) fn string(value: &RawValue) -> Result<String, Mistake> {
    expect(value, "a string")?;
    parse(value)
}

/// A string of so many characters at most.
pub(super) fn short(value: &RawValue, longest: usize) -> Result<String, Mistake> {
    let text = string(value)?;
    if text.chars().nth(longest).is_some() {
        return Err(Mistake::new(format!("must have at most {longest} characters")));
    }
    Ok(text)
}

/// An object that is not looked into.
pub(super) fn object(value: &RawValue) -> Result<&RawValue, Mistake> {
    expect(value, "an object").map(|()| value)
}

/// A list, item by item.
fn list(value: &RawValue) -> Result<Vec<&RawValue>, Mistake> {
    expect(value, "a list")?;
    parse(value)
}

/// A whole number, however it is written.
pub(super) fn whole(value: &RawValue, least: u32, most: u64) -> Result<u64, Mistake> {
    let wrong = || Mistake::new(format!("must be a whole number from {least} to {most}"));
    expect(value, "a number").map_err(|_| wrong())?;
    let number: f64 = parse(value)?;
    let is_in = number.fract() == 0.0 && number >= f64::from(least) && number <= most as f64;
    if is_in { Ok(number as u64) } else { Err(wrong()) }
}

pub(super) fn wait(value: &RawValue) -> Result<Duration, Mistake> {
    let text = string(value)?;
    duration::parse(&text).map_err(|error| {
        // The text is the error's first words.
        Mistake::new(error.to_string().replacen(&format!("{text:?}"), &quoted(&text), 1))
    })
}

/// JSON without the white space between its tokens; all else stays as it was written.
pub(super) fn compact(value: &RawValue) -> String {
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

fn expect(value: &RawValue, expected: &str) -> Result<(), Mistake> {
    let is = kind(value);
    if is == expected {
        return Ok(());
    }
    Err(Mistake::new(format!("must be {expected}, not {is}")))
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

/// What is valid JSON can still hold half of a surrogate pair, or a number out of range.
fn parse<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Result<T, Mistake> {
    serde_json::from_str(value.get()).map_err(|error| Mistake::new(format!("not usable: {error}")))
}

/// The members of an object, in order, with those that come twice.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
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
        deserializer.deserialize_map(Collect)
    }
}
