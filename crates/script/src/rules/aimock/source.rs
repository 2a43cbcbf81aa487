//! Reads JSON, with places.

use std::{
    cell::Cell,
    collections::BTreeMap,
    fmt::{self, Display},
};

use mynah_core::base::{
    diagnostics::{Diagnostic, Place},
    reader_message::reason,
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// A file that is being read.
pub(super) struct Source<'a> {
    text: &'a str,
    pub(super) errors: Vec<Diagnostic>,
    /// What has no meaning in fixtures that answer.
    pub(super) ignored: Vec<Diagnostic>,
    /// The fixtures that never answer, with the reasons.
    pub(super) skipped: Vec<Diagnostic>,
}

/// The members of an object that have not been read yet. Members that are null are left out.
pub(super) struct Fields<'a>(BTreeMap<String, &'a RawValue>);

/// Returns `true` if a text is an object with the key `fixtures`. The text may be invalid after the key.
pub(super) fn has_fixtures_key(text: &str) -> bool {
    let found = Cell::new(false);
    let mut json = serde_json::Deserializer::from_str(text);
    // The error is that of `document`.
    let _ = FindFixtures(&found).deserialize(&mut json);
    found.get()
}

/// Reads an object, and notes whether it has the key `fixtures`.
struct FindFixtures<'c>(&'c Cell<bool>);

impl<'de> DeserializeSeed<'de> for FindFixtures<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FindFixtures<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(key) = members.next_key::<String>()? {
            if key == "fixtures" {
                self.0.set(true);
            }
            members.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, errors: Vec::new(), ignored: Vec::new(), skipped: Vec::new() }
    }

    /// Returns the fixtures of the file.
    pub(super) fn document(&self) -> Result<Vec<&'a RawValue>, Diagnostic> {
        #[derive(Deserialize)]
        struct File<'a> {
            #[serde(borrow)]
            fixtures: Vec<&'a RawValue>,
        }
        let file: File<'a> = serde_json::from_str(self.text).map_err(|error| {
            let place = Place { line: error.line().max(1), column: error.column().max(1) };
            let message = reason(&error.to_string(), "an object");
            Diagnostic::error(format!("not a fixture file of aimock: {message}")).at(place)
        })?;
        Ok(file.fixtures)
    }

    /// Returns the members of an object. If the value is not an object, this is an error.
    pub(super) fn object(&mut self, raw: &'a RawValue, what: &str) -> Option<Fields<'a>> {
        let fields: Result<BTreeMap<String, &'a RawValue>, _> = serde_json::from_str(raw.get());
        match fields {
            Ok(mut fields) => {
                fields.retain(|_, value| value.get() != "null");
                Some(Fields(fields))
            }
            Err(_) => {
                self.error(raw, format!("{what} must be an object"));
                None
            }
        }
    }

    /// Removes and reads a member of an object. If it is of another type, this is an error that
    /// says what was `expected`.
    pub(super) fn take<T: Deserialize<'a>>(
        &mut self,
        fields: &mut Fields<'a>,
        key: &str,
        expected: &str,
    ) -> Option<T> {
        let raw = fields.remove(key)?;
        match serde_json::from_str(raw.get()) {
            Ok(value) => Some(value),
            Err(_) => {
                self.error(raw, format!("`{key}` must be {expected}"));
                None
            }
        }
    }

    pub(super) fn error(&mut self, raw: &RawValue, message: impl Into<String>) {
        let place = self.place(raw);
        self.errors.push(Diagnostic::error(message).at(place));
    }

    fn warn(&mut self, raw: &RawValue, reason: impl Display) {
        let place = self.place(raw);
        self.ignored.push(Diagnostic::warning(format!("ignored: {reason}")).at(place));
    }

    /// Warns of a fixture that has no meaning here.
    pub(super) fn skip(&mut self, raw: &RawValue, reason: impl Display) {
        let place = self.place(raw);
        self.skipped.push(Diagnostic::warning(format!("skipped: {reason}")).at(place));
    }

    /// Warns of a step that its sequence never reaches.
    pub(super) fn never_answers(&mut self, raw: &RawValue, reason: impl Display) {
        let place = self.place(raw);
        self.skipped.push(Diagnostic::warning(format!("never answers: {reason}")).at(place));
    }

    /// Warns of the members of an object that nothing has read, except comments.
    pub(super) fn warn_of_rest(&mut self, fields: &Fields<'a>, what: &str) {
        for (key, raw) in fields.0.iter().filter(|(key, _)| !is_comment(key)) {
            self.warn(raw, format_args!("`{key}` of a {what} has no meaning in mynah"));
        }
    }

    /// Removes a member, and warns of it with a reason.
    pub(super) fn ignore(&mut self, fields: &mut Fields<'a>, key: &str, reason: &str) {
        if let Some(raw) = fields.remove(key) {
            self.warn(raw, format_args!("`{key}`: {reason}"));
        }
    }

    fn place(&self, raw: &RawValue) -> Place {
        let offset = (raw.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = self.text.get(..offset).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let (line, column) = (before.matches('\n').count(), before[line_start..].chars().count());
        Place { line: line + 1, column: column + 1 }
    }
}

impl<'a> Fields<'a> {
    pub(super) fn remove(&mut self, key: &str) -> Option<&'a RawValue> {
        self.0.remove(key)
    }

    /// Returns `true` if there are comments and nothing else.
    pub(super) fn is_comment(&self) -> bool {
        !self.0.is_empty() && self.0.keys().all(|key| is_comment(key))
    }

    pub(super) fn remove_all(&mut self, keys: &[&str]) {
        self.0.retain(|key, _| !keys.contains(&key.as_str()));
    }
}

/// Returns `true` for keys such as `_comment`.
fn is_comment(key: &str) -> bool {
    key.starts_with('_')
}
