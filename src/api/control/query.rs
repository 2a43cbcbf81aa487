//! The query parameters and the bodies of the control API.

use std::collections::BTreeMap;

use axum::extract::Query;
use http::Uri;
use serde::de::DeserializeOwned;

use crate::{
    api::pipeline::MAX_SESSION_NAME,
    base::{reader_message::reworded, text::shorten},
    engine::journal::{CallOutcome, EntryFilter},
    wire::error::ControlError,
};

/// The maximum number of entries in an answer, and the default.
const MAX_ENTRIES: usize = 10_000;
const DEFAULT_ENTRIES: usize = 1_000;

/// The query parameters that select entries of the journal.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct JournalQuery {
    pub(super) selection: EntryFilter,
    /// The maximum number of entries in the answer.
    pub(super) limit: usize,
    /// Whether entries have the parts of their requests in the same form for all APIs.
    pub(super) normalized: bool,
}

/// Reads the query parameters, of which only those in `known` are allowed.
pub(super) fn read(uri: &Uri, known: &[&str]) -> Result<JournalQuery, ControlError> {
    let parameters = Query::<Vec<(String, String)>>::try_from_uri(uri);
    let Query(parameters) = parameters.map_err(|error| ControlError::invalid(error.to_string()))?;
    let mut values = BTreeMap::new();
    for (name, value) in parameters {
        if !known.contains(&name.as_str()) {
            let known = known.join(", ");
            let message = format!("unknown query parameter {name:?}; expected one of: {known}");
            return Err(ControlError::invalid(message));
        }
        if values.insert(name.clone(), value).is_some() {
            return Err(ControlError::invalid(format!("the query parameter {name:?} is repeated")));
        }
    }
    let since = number(&values, "since")?.unwrap_or(0);
    let limit = number(&values, "limit")?.unwrap_or(DEFAULT_ENTRIES as u64);
    let limit = usize::try_from(limit).unwrap_or(MAX_ENTRIES).min(MAX_ENTRIES);
    let (session, component) = (values.remove("session"), values.remove("component"));
    check_name("session", session.as_deref())?;
    check_name("component", component.as_deref())?;
    let outcome = values.get("outcome").map(|value| outcome(value)).transpose()?;
    let selection = EntryFilter { session, component, outcome, since };
    let normalized = values.get("normalized").map_or(Ok(false), |value| boolean(value))?;
    Ok(JournalQuery { selection, limit, normalized })
}

/// Rejects an empty name, which is more likely an unset variable than meant to select everything, and
/// one that no call can have.
pub(super) fn check_name(what: &str, name: Option<&str>) -> Result<(), ControlError> {
    match name {
        Some("") => {
            let message = format!("{what} must not be empty; leave it out for all {what}s");
            Err(ControlError::invalid(message))
        }
        Some(name) if name.len() > MAX_SESSION_NAME => {
            let (got, limit) = (name.len(), MAX_SESSION_NAME);
            let message = format!("{what} has {got} bytes; expected at most {limit}");
            Err(ControlError::invalid(message))
        }
        _ => Ok(()),
    }
}

fn outcome(value: &str) -> Result<CallOutcome, ControlError> {
    let found = CallOutcome::ALL.into_iter().find(|outcome| outcome.as_str() == value);
    found.ok_or_else(|| {
        let known = CallOutcome::ALL.map(CallOutcome::as_str).join(", ");
        ControlError::invalid(format!(
            "invalid value {value:?} for outcome; expected one of: {known}"
        ))
    })
}

fn boolean(value: &str) -> Result<bool, ControlError> {
    let invalid = format!("invalid value {value:?} for normalized; expected true or false");
    value.parse().map_err(|_| ControlError::invalid(invalid))
}

fn number(values: &BTreeMap<String, String>, name: &str) -> Result<Option<u64>, ControlError> {
    let parse = |value: &String| {
        let invalid =
            || format!("invalid value {value:?} for {name}; expected a number, such as 1");
        value.parse().map_err(|_| ControlError::invalid(invalid()))
    };
    values.get(name).map(parse).transpose()
}

/// Maximum number of characters of the path and of the message of an error, which quote keys.
const MAX_SHOWN: usize = 1_000;

/// Parses a body as JSON. Errors have the path of what is invalid.
pub(super) fn read_body<T: DeserializeOwned>(text: &str) -> Result<T, ControlError> {
    if let Some(kind) = other_kind(text) {
        return Err(ControlError::invalid(format!("the body must be a JSON object, not {kind}")));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let parsed = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let path = shorten(&path, MAX_SHOWN);
        let place = if path == "." { String::new() } else { format!("{path}: ") };
        let message = reworded(&error.inner().to_string(), "an object");
        format!("{place}{}", shorten(&message, MAX_SHOWN))
    });
    let value =
        parsed.and_then(|value| json.end().map_err(|error| error.to_string()).map(|()| value));
    value.map_err(|error| ControlError::invalid(format!("invalid JSON: {error}")))
}

/// Says what a body is if it starts like something other than an object.
fn other_kind(text: &str) -> Option<&'static str> {
    match text.trim_start().bytes().next() {
        None => Some("empty"),
        Some(b'[') => Some("a list"),
        Some(b'"') => Some("a string"),
        Some(b'-' | b'0'..=b'9') => Some("a number"),
        Some(b't' | b'f') => Some("a boolean"),
        Some(b'n') => Some("null"),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 6] = ["session", "component", "outcome", "since", "limit", "normalized"];

    fn parse(query: &str) -> Option<JournalQuery> {
        read(&format!("/mynah/v1/journal?{query}").parse().unwrap(), &ALL).ok()
    }

    #[test]
    fn reads_parameters() {
        let query = parse("session=a%20b&since=5&limit=99999999").unwrap();
        assert_eq!(query.selection.session.as_deref(), Some("a b"));
        assert_eq!((query.selection.since, query.limit), (5, MAX_ENTRIES));
        assert_eq!(parse("").unwrap().selection, EntryFilter::default());
    }

    #[test]
    fn rejects_unknown_repeated_and_invalid_parameters() {
        for query in [
            "sesion=a",
            "session=a&session=b",
            "session=",
            "component=",
            "outcome=good",
            "since=-1",
            "limit=many",
            "normalized=1",
        ] {
            assert_eq!(parse(query), None, "{query}");
        }
        let [longest, too_long] =
            [256, 257].map(|length| parse(&format!("session={}", "s".repeat(length))));
        assert!(longest.is_some() && too_long.is_none());
    }
}
