//! OpenAI's API, as far as clients of a conversation need it: chat completions, in this folder, and
//! [`embeddings`].
//!
//! Source: <https://platform.openai.com/docs/api-reference>.

mod body;
mod completion;
mod decode;
mod embeddings;
mod events;
mod messages;
mod models;
mod parts;
mod read;
mod tool_choice;

use std::{collections::BTreeSet, fmt::Display, ops::Range, sync::Arc};

use bytes::Bytes;
use futures_util::future::Either;
use serde_json::Value;

use self::completion::Completion;
pub use self::{completion::Answer, events::Piece};
pub(crate) use self::{
    embeddings::EmbeddingRequest,
    models::{model, models},
};
use super::{
    conversation::ConverseRequest, decoded_size, error::Error, sent::SentRequest,
    undecoded::Undecoded,
};
use crate::chat::{Delta, Request, Response};

/// Maximum size in bytes of a body that is decoded within a millisecond.
const MAX_BRIEF: usize = 32 * 1024;

/// The body of a request.
#[derive(Debug)]
pub(crate) struct Body(pub(crate) Bytes);

/// A request that a body may have.
pub(crate) trait FromBody: Send + Sized + 'static {
    /// Decodes a body.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::InvalidRequest`] if the body is invalid or asks for something that is not
    /// supported.
    fn from_body(body: &Bytes) -> Result<Self, Error>;
}

/// A request for a chat completion.
#[derive(Debug)]
pub struct ChatRequest {
    component: String,
    is_streamed: bool,
    request: Request,
    /// Depends on the tools of the component, which is not known yet.
    tool_choice: Option<Value>,
    completion: Completion,
    /// Where in the body the attachments are that are too large for the journal.
    large_attachments: Vec<Range<usize>>,
}

/// What an answer needs of its request.
#[derive(Debug)]
pub struct Passthrough {
    completion: Arc<Completion>,
    /// Whether a stream has begun.
    has_started: bool,
}

impl ChatRequest {
    /// Returns the model that the request names. May be empty.
    pub(crate) fn model(&self) -> &str {
        &self.completion.model
    }

    /// Sets the component that answers.
    pub(crate) fn set_component(&mut self, name: String) {
        if self.completion.model.is_empty() {
            self.completion.model.clone_from(&name);
        }
        self.component = name;
    }

    /// Replaces attachments that are too large for the journal with their sizes.
    pub(crate) fn summarize(&self, sent: &mut SentRequest) {
        sent.summarize(&self.large_attachments);
    }

    /// Returns `true` if the answer is to be streamed.
    pub(crate) fn is_streamed(&self) -> bool {
        self.is_streamed
    }
}

/// A request that is decoded already.
#[derive(Debug)]
pub(crate) struct DecodedBody {
    pub(crate) request: ChatRequest,
    /// The request as it was sent, if the journal is on.
    pub(crate) sent: Option<SentRequest>,
}

impl Undecoded<ChatRequest> for DecodedBody {
    fn size(&self) -> usize {
        0
    }

    fn decoded_size(&self) -> usize {
        0
    }

    fn sent(&self) -> Option<SentRequest> {
        self.sent.clone()
    }

    fn decode(self) -> Result<ChatRequest, Error> {
        Ok(self.request)
    }

    fn decode_briefly(self) -> Result<Either<ChatRequest, Self>, Error> {
        Ok(Either::Left(self.request))
    }
}

impl<T: FromBody> Undecoded<T> for Body {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn decoded_size(&self) -> usize {
        decoded_size::json(&self.0)
    }

    /// The caller records the body, because the component is known only after it was decoded.
    fn sent(&self) -> Option<SentRequest> {
        None
    }

    fn decode(self) -> Result<T, Error> {
        T::from_body(&self.0)
    }

    fn decode_briefly(self) -> Result<Either<T, Self>, Error> {
        if self.0.len() > MAX_BRIEF {
            return Ok(Either::Right(self));
        }
        T::from_body(&self.0).map(Either::Left)
    }
}

impl FromBody for ChatRequest {
    fn from_body(body: &Bytes) -> Result<Self, Error> {
        decode::decode(body)
    }
}

impl ConverseRequest for ChatRequest {
    type Response = Answer;
    type StreamResponse = Piece;
    type Passthrough = Passthrough;

    fn component(&self) -> &str {
        &self.component
    }

    fn into_chat(self, own_tools: &BTreeSet<String>) -> Result<(Request, Passthrough), Error> {
        let Self { completion, mut request, tool_choice, .. } = self;
        tool_choice::decode(tool_choice, &mut request, own_tools)?;
        let passthrough = Passthrough { completion: completion.into(), has_started: false };
        Ok((request, passthrough))
    }

    fn response(response: Response, passthrough: Passthrough) -> Answer {
        Answer::new(passthrough.completion, response)
    }

    fn reasoning(text: String, passthrough: &mut Passthrough) -> Option<Piece> {
        Some(passthrough.piece(Delta::Reasoning(text)))
    }

    fn chunk(text: String, passthrough: &mut Passthrough) -> Piece {
        passthrough.piece(Delta::Text(text))
    }

    fn complete(response: Response, passthrough: &mut Passthrough) -> Piece {
        passthrough.piece(Delta::Complete(Box::new(response)))
    }
}

impl Passthrough {
    fn piece(&mut self, delta: Delta) -> Piece {
        let is_first = !std::mem::replace(&mut self.has_started, true);
        Piece { completion: self.completion.clone(), is_first, delta }
    }
}

/// Returns the error for a parameter of a request.
fn invalid(param: impl Display, reason: impl Display) -> Error {
    let param = param.to_string();
    Error::InvalidRequest { reason: format!("{param}: {reason}"), param: Some(param) }
}
