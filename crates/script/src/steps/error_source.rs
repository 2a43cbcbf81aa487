//! The format of the error with which a scripted turn or a call with a fault fails.

use std::collections::BTreeMap;

use mynah_core::{
    base::mapping::Mapping,
    chat::{ErrorDetails, ErrorKind, ProviderError},
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error};

use super::values::{GoDuration, Text, Word};

// gRPC sends the error in headers, and clients limit the size of headers.

/// Maximum length of the message, in characters.
pub(crate) const MAX_MESSAGE: usize = 500;
/// Maximum length of each string in the details, in characters.
const MAX_DETAIL: usize = 64;
/// Maximum number of metadata entries.
const MAX_METADATA: usize = 8;

/// The error of a turn.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ScriptedError")]
pub(crate) struct ErrorSource {
    /// gRPC status code. HTTP responses use the corresponding HTTP status.
    code: Word<ErrorKind>,
    /// Error message.
    message: Option<Text<MAX_MESSAGE>>,
    /// Machine-readable details: a google.rpc.ErrorInfo.
    details: Option<Mapping<DetailsSource>>,
    /// Delay before a retry: a google.rpc.RetryInfo, and Retry-After over HTTP.
    retry_after: Option<GoDuration>,
}

/// The details of an error.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct DetailsSource {
    /// Short identifier of the cause.
    reason: Text<MAX_DETAIL>,
    /// Service that reports the error.
    domain: Option<Text<MAX_DETAIL>>,
    /// Additional key-value pairs.
    metadata: Option<Metadata>,
}

/// Additional details by name.
#[derive(Debug, JsonSchema)]
#[schemars(inline, extend("maxProperties" = MAX_METADATA, "propertyNames" = { "maxLength": MAX_DETAIL }))]
struct Metadata(BTreeMap<String, Text<MAX_DETAIL>>);

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let metadata = BTreeMap::<String, Text<MAX_DETAIL>>::deserialize(source)?;
        let is_too_long = metadata.keys().any(|key| key.chars().nth(MAX_DETAIL).is_some());
        if is_too_long || metadata.len() > MAX_METADATA {
            let limits = format!("{MAX_METADATA} keys of at most {MAX_DETAIL} characters");
            return Err(D::Error::custom(format!("must have at most {limits}")));
        }
        Ok(Self(metadata))
    }
}

impl From<ErrorSource> for ProviderError {
    fn from(source: ErrorSource) -> Self {
        let Word(kind) = source.code;
        let message = source.message.map(|text| text.0);
        let details = source.details.map(|Mapping(details)| Box::new(details.into()));
        Self {
            details,
            retry_after: source.retry_after.map(|delay| delay.0),
            ..Self::new(kind, message.unwrap_or_else(|| format!("scripted {}", kind.as_str())))
        }
    }
}

impl From<DetailsSource> for ErrorDetails {
    fn from(source: DetailsSource) -> Self {
        let metadata = source.metadata.map(|it| it.0).unwrap_or_default();
        Self {
            reason: source.reason.0,
            domain: source.domain.map(|text| text.0).unwrap_or_default(),
            metadata: metadata.into_iter().map(|(key, text)| (key, text.0)).collect(),
        }
    }
}
