//! The type of requests as the client has sent them.

use std::ops::Range;

use bytes::Bytes;

use crate::wire::conversation::ConverseRequest;

/// A request as the client has sent it. It is decoded only when it is read.
#[derive(Debug, Clone)]
pub struct SentRequest {
    pub(super) api: SentApi,
    pub(super) encoding: Encoding,
    pub(super) body: Bytes,
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
    fn new(api: SentApi, encoding: Encoding, body: &Bytes) -> Self {
        Self { api, encoding, body: body.clone(), full_length: None }
    }

    /// Returns a request of Dapr's API in protobuf.
    pub(crate) fn protobuf<M: ConverseRequest>(body: &Bytes) -> Self {
        Self::new(dapr::<M>(), Encoding::Protobuf, body)
    }

    /// Returns a request of Dapr's API in JSON.
    pub(crate) fn json<M: ConverseRequest>(body: &Bytes) -> Self {
        Self::new(dapr::<M>(), Encoding::Json, body)
    }

    /// Returns a request to a pluggable component.
    pub(crate) fn component(body: &Bytes) -> Self {
        Self::new(SentApi::Component, Encoding::Protobuf, body)
    }

    /// Returns a request of the first version of Dapr's API in JSON.
    pub(crate) fn alpha1_json(body: &Bytes) -> Self {
        Self::new(SentApi::Alpha1, Encoding::Json, body)
    }

    /// Returns a request of the second version of Dapr's API in JSON.
    pub(crate) fn alpha2_json(body: &Bytes) -> Self {
        Self::new(SentApi::Alpha2, Encoding::Json, body)
    }

    /// Returns a request of OpenAI's API for a chat completion.
    pub(crate) fn openai(body: &Bytes) -> Self {
        Self::new(SentApi::OpenAi, Encoding::Json, body)
    }

    /// Returns a request of OpenAI's API for a response.
    pub(crate) fn openai_response(body: &Bytes) -> Self {
        Self::new(SentApi::OpenAiResponse, Encoding::Json, body)
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

    /// Returns the API of the request.
    pub(crate) fn api(&self) -> SentApi {
        self.api
    }

    /// Returns `true` if the body is JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.encoding == Encoding::Json
    }

    /// Returns the request as received.
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns the request as received.
    pub(crate) fn into_body(self) -> Bytes {
        self.body
    }

    /// Replaces the body by a copy.
    pub(crate) fn map_body(self, copy: impl FnOnce(Bytes) -> Bytes) -> Self {
        Self { body: copy(self.body), ..self }
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

fn dapr<M: ConverseRequest>() -> SentApi {
    if M::IS_ALPHA1 { SentApi::Alpha1 } else { SentApi::Alpha2 }
}
