//! Reads an error that a turn shall fail with.

use std::{collections::BTreeMap, time::Duration};

use serde_json::value::RawValue;

use super::{
    Mistake,
    json::{Object, quoted, short, string, strings, wait},
};
use crate::chat::{ErrorDetails, ErrorKind, ProviderError};

/// All of it goes into headers of gRPC, for which clients have limits: characters of a message, of
/// a word in the details, and how many words of metadata.
const MAX_MESSAGE: usize = 500;
const MAX_WORD: usize = 64;
const MAX_METADATA: usize = 8;

pub(super) fn error(value: &RawValue) -> Result<ProviderError, Mistake> {
    let error = Object::read(value, &["code", "message", "details", "retry_after"])?;
    let (name, kind) = error.need("code", code)?;
    let message = error.get("message", |text| short(text, MAX_MESSAGE))?;
    let details = error.get("details", details)?;
    let retry_after: Option<Duration> = error.get("retry_after", wait)?;
    let message = message.unwrap_or_else(|| format!("scripted {name}"));
    Ok(ProviderError { kind, message, details: details.map(Box::new), retry_after })
}

fn code(value: &RawValue) -> Result<(&'static str, ErrorKind), Mistake> {
    let name = string(value)?;
    let found = ErrorKind::ALL.into_iter().find(|(known, _)| *known == name);
    found.ok_or_else(|| {
        let known = ErrorKind::ALL.map(|(known, _)| known).join(", ");
        Mistake::new(format!("{} is unknown; known: {known}", quoted(&name)))
    })
}

fn details(value: &RawValue) -> Result<ErrorDetails, Mistake> {
    let details = Object::read(value, &["reason", "domain", "metadata"])?;
    Ok(ErrorDetails {
        reason: details.need("reason", word)?,
        domain: details.get("domain", word)?.unwrap_or_default(),
        metadata: details.get("metadata", metadata)?.unwrap_or_default(),
    })
}

fn metadata(value: &RawValue) -> Result<BTreeMap<String, String>, Mistake> {
    let metadata: BTreeMap<String, String> = strings(value, word)?;
    let long = metadata.keys().any(|key| key.chars().nth(MAX_WORD).is_some());
    if long || metadata.len() > MAX_METADATA {
        let limits = format!("{MAX_METADATA} keys of at most {MAX_WORD} characters");
        return Err(Mistake::new(format!("must have at most {limits}")));
    }
    Ok(metadata)
}

fn word(value: &RawValue) -> Result<String, Mistake> {
    short(value, MAX_WORD)
}
