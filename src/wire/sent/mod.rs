//! Requests as the client has sent them, for the journal.

mod read;

use std::ops::Range;

use bytes::Bytes;

use super::conversation::ConverseRequest;

/// A request as the client has sent it. It is decoded only when it is read.
#[derive(Debug, Clone)]
pub struct SentRequest {
    pub(crate) api: SentApi,
    pub(super) encoding: Encoding,
    pub(crate) body: Bytes,
    /// The length of a body of which only the beginning is kept.
    pub(super) full_length: Option<usize>,
}

/// Maximum size in bytes of what is shown of a request that cannot be decoded.
pub(super) const MAX_SHOWN: usize = 16 * 1024;
/// What is kept in addition, so that secrets are complete and recognized.
const MARGIN: usize = 8 * 1024;

/// The API of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SentApi {
    /// The first version of Dapr's conversation API.
    Alpha1,
    /// The second version of Dapr's conversation API.
    Alpha2,
    /// The conversation API of pluggable components.
    Component,
    /// Chat completions of OpenAI's API.
    OpenAi,
    /// Responses of OpenAI's API.
    OpenAiResponse,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Protobuf,
    Json,
}

impl SentApi {
    /// All APIs.
    pub(crate) const ALL: [Self; 5] =
        [Self::Alpha1, Self::Alpha2, Self::Component, Self::OpenAi, Self::OpenAiResponse];

    /// Returns the version of Dapr's API that a message belongs to.
    pub(super) fn of_dapr<M: ConverseRequest>() -> Self {
        if M::IS_ALPHA1 { Self::Alpha1 } else { Self::Alpha2 }
    }

    /// Returns `true` for the first version of Dapr's API.
    pub(crate) fn is_alpha1(self) -> bool {
        self == Self::Alpha1
    }

    /// Returns the name of the API in the journal. Requests of pluggable components are shown in the
    /// form of Dapr's API.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Alpha1 => "alpha1",
            Self::Alpha2 | Self::Component => "alpha2",
            Self::OpenAi => "openai",
            Self::OpenAiResponse => "responses",
        }
    }
}

impl SentRequest {
    /// Returns a request in protobuf.
    pub(crate) fn protobuf(api: SentApi, body: &Bytes) -> Self {
        Self { api, encoding: Encoding::Protobuf, body: body.clone(), full_length: None }
    }

    /// Returns a request in JSON.
    pub(crate) fn json(api: SentApi, body: &Bytes) -> Self {
        Self { encoding: Encoding::Json, ..Self::protobuf(api, body) }
    }

    /// Replaces values in the JSON of the request with their sizes. The ranges are in order.
    pub(crate) fn summarize(&mut self, values: &[Range<usize>]) {
        if let Some(summary) = summary(&self.body, values) {
            self.body = summary;
        }
    }

    /// Keeps only the beginning of a request that cannot be decoded.
    pub(crate) fn keep_beginning(&mut self) {
        let length = self.body.len();
        if length > MAX_SHOWN {
            self.full_length = Some(length);
            self.body = self.body.slice(..length.min(MAX_SHOWN + MARGIN));
        }
    }

    /// Returns `true` if the body is JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.encoding == Encoding::Json
    }
}

/// Replaces values in JSON with their sizes. The ranges are in order. Returns `None` if there are none.
pub(crate) fn summary(body: &[u8], values: &[Range<usize>]) -> Option<Bytes> {
    if values.is_empty() {
        return None;
    }
    let (mut summary, mut rest) = (Vec::new(), 0);
    for value in values {
        summary.extend_from_slice(body.get(rest..value.start).unwrap_or_default());
        summary.extend_from_slice(format!("{{\"bytes\":{}}}", value.len()).as_bytes());
        rest = value.end;
    }
    summary.extend_from_slice(body.get(rest..).unwrap_or_default());
    Some(summary.into())
}
