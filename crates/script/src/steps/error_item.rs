//! Parses the error with which a scripted turn fails.

use std::{collections::BTreeMap, time::Duration};

use mynah_core::chat::{ErrorDetails, ErrorKind, ProviderError};
use serde_json::value::RawValue;

use super::{
    StepError,
    json::{Object, bounded_string, duration, string, string_map},
    quoted::quoted,
};

// gRPC sends the error in headers, and clients limit the size of headers.

/// Maximum length of a message in characters.
const MAX_MESSAGE: usize = 500;
/// Maximum length of each string in the details, in characters.
const MAX_DETAIL: usize = 64;
/// Maximum number of metadata entries.
const MAX_METADATA: usize = 8;

pub(crate) fn error(value: &RawValue) -> Result<ProviderError, StepError> {
    let error = Object::parse(value, &["code", "message", "details", "retry_after"])?;
    let (name, kind) = error.require("code", code)?;
    let message = error.get("message", |text| bounded_string(text, MAX_MESSAGE))?;
    let details = error.get("details", details)?;
    let retry_after: Option<Duration> = error.get("retry_after", duration)?;
    let message = message.unwrap_or_else(|| format!("scripted {name}"));
    let details = details.map(Box::new);
    Ok(ProviderError { details, retry_after, ..ProviderError::new(kind, message) })
}

fn code(value: &RawValue) -> Result<(&'static str, ErrorKind), StepError> {
    let name = string(value)?;
    let found = ErrorKind::ALL.into_iter().find(|(known, _)| *known == name);
    found.ok_or_else(|| {
        let known = ErrorKind::ALL.map(|(known, _)| known).join(", ");
        StepError::new(format!("unknown value {}; known: {known}", quoted(&name)))
    })
}

fn details(value: &RawValue) -> Result<ErrorDetails, StepError> {
    let details = Object::parse(value, &["reason", "domain", "metadata"])?;
    Ok(ErrorDetails {
        reason: details.require("reason", detail)?,
        domain: details.get("domain", detail)?.unwrap_or_default(),
        metadata: details.get("metadata", metadata)?.unwrap_or_default(),
    })
}

fn metadata(value: &RawValue) -> Result<BTreeMap<String, String>, StepError> {
    let metadata: BTreeMap<String, String> = string_map(value, detail)?;
    let is_too_long = metadata.keys().any(|key| key.chars().nth(MAX_DETAIL).is_some());
    if is_too_long || metadata.len() > MAX_METADATA {
        let limits = format!("{MAX_METADATA} keys of at most {MAX_DETAIL} characters");
        return Err(StepError::new(format!("must have at most {limits}")));
    }
    Ok(metadata)
}

fn detail(value: &RawValue) -> Result<String, StepError> {
    bounded_string(value, MAX_DETAIL)
}
