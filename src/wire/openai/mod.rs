//! OpenAI's API, as far as clients of a conversation need it: chat completions, in this folder,
//! `responses` and `embeddings`.
//!
//! Source: <https://platform.openai.com/docs/api-reference>.

mod answer_format;
mod body;
mod completion;
mod decode;
mod embeddings;
mod events;
mod parameters;
mod read;
mod responses;
mod tool_choice;

use std::{collections::BTreeSet, fmt::Display, ops::Range, sync::Arc};

use bytes::Bytes;
use futures_util::future::Either;
use serde_json::Value;

use self::completion::Completion;
// Named only by tests, benchmarks and fuzz targets.
#[cfg(feature = "internals")]
pub use self::responses::{ResponseAnswer, ResponseProgress};
pub use self::{
    completion::Answer,
    events::Piece,
    responses::{ResponsePiece, ResponseRequest},
};
pub(crate) use self::{
    completion::{model, models},
    embeddings::EmbeddingRequest,
    responses::{KeptResponse, Position, removed_response},
};
use super::{
    conversation::ConverseRequest,
    error::Error,
    sent::{SentApi, SentRequest},
    undecoded::Undecoded,
};
use crate::{
    base::json_size,
    chat::{Delta, Request, Response},
};

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

/// A request for an answer of a model.
pub(crate) trait ModelRequest: FromBody + ConverseRequest {
    /// The API of the request.
    const API: SentApi;

    /// Returns the model that the request names. May be empty.
    fn model(&self) -> &str;

    /// Sets the component that answers.
    fn set_component(&mut self, name: String);

    /// Returns where in the body the attachments are that are too large for the journal.
    fn large_attachments(&self) -> &[Range<usize>];
}

/// A request for a chat completion.
#[derive(Debug)]
pub struct ChatRequest {
    component: String,
    /// Whether the answer is to be streamed.
    pub(crate) is_streamed: bool,
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

impl ModelRequest for ChatRequest {
    const API: SentApi = SentApi::OpenAi;

    fn model(&self) -> &str {
        &self.completion.model
    }

    fn set_component(&mut self, name: String) {
        if self.completion.model.is_empty() {
            self.completion.model.clone_from(&name);
        }
        self.component = name;
    }

    fn large_attachments(&self) -> &[Range<usize>] {
        &self.large_attachments
    }
}

/// A request that is decoded already.
#[derive(Debug)]
pub(crate) struct DecodedBody<M> {
    /// Boxed, because it is large and moved often.
    pub(crate) request: Box<M>,
    /// The request as it was sent, if the journal is on.
    pub(crate) sent: Option<SentRequest>,
}

impl<M: ModelRequest> Undecoded<M> for DecodedBody<M> {
    fn size(&self) -> usize {
        0
    }

    fn decoded_size(&self) -> usize {
        0
    }

    fn sent(&self) -> Option<SentRequest> {
        self.sent.clone()
    }

    fn decode(self) -> Result<M, Error> {
        Ok(*self.request)
    }

    fn decode_briefly(self) -> Result<Either<M, Self>, Error> {
        Ok(Either::Left(*self.request))
    }
}

/// The caller records the body, because the component is known only after it was decoded.
impl<T: FromBody> Undecoded<T> for Body {
    fn sent(&self) -> Option<SentRequest> {
        None
    }

    fn size(&self) -> usize {
        self.0.len()
    }

    fn decoded_size(&self) -> usize {
        json_size::decoded_size(&self.0)
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

impl ConverseRequest for ChatRequest {
    type Response = Answer;
    type StreamResponse = Piece;
    type Passthrough = Passthrough;

    fn component(&self) -> &str {
        &self.component
    }

    fn into_chat(self, own_tools: &BTreeSet<String>) -> Result<(Request, Passthrough), Error> {
        let Self { completion, mut request, tool_choice, .. } = self;
        let choice = tool_choice::read::<tool_choice::ChoiceObject>(tool_choice)?;
        tool_choice::apply(choice, &mut request, own_tools)?;
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
