//! Requests as they arrive, before they are decoded.

use std::{marker::PhantomData, sync::Once};

use bytes::Bytes;
use futures_util::future::Either;
use serde::{Deserialize, de::IgnoredAny};

use super::{
    conversation::{ConverseRequest, DaprRequest},
    decoded_size,
    error::Error,
    json,
    sent::SentRequest,
};
use crate::base::json_size;

/// Maximum size in bytes of a protobuf message that is decoded within a millisecond.
const MAX_BRIEF_PROTOBUF: usize = 32 * 1024;
/// The same for proto JSON that the fast reader accepts.
const MAX_BRIEF_JSON: usize = 16 * 1024;
/// The same for any proto JSON.
const MAX_BRIEF_REFLECTED: usize = 2 * 1024;

/// A request that can be decoded to `M`, on any thread.
pub trait Undecoded<M>: Send + Sized + 'static {
    /// Returns the size of the request in bytes.
    fn size(&self) -> usize;

    /// Returns an upper bound of the memory that decoding takes, in bytes.
    fn decoded_size(&self) -> usize;

    /// Returns the request as it was sent, or `None` if it is decoded already.
    fn sent(&self) -> Option<SentRequest>;

    /// Decodes the request.
    ///
    /// # Errors
    ///
    /// [`Error::MalformedMessage`] or [`Error::MalformedBody`] if the request is invalid.
    fn decode(self) -> Result<M, Error>;

    /// Decodes the request if that takes no longer than about a millisecond. Otherwise returns the
    /// request.
    ///
    /// # Errors
    ///
    /// Fails like [`decode`](Self::decode).
    fn decode_briefly(self) -> Result<Either<M, Self>, Error>;
}

/// A protobuf message.
#[derive(Debug)]
pub struct Protobuf<M> {
    bytes: Bytes,
    message: PhantomData<fn() -> M>,
}

/// A message in proto JSON, without the name of its component.
#[derive(Debug)]
pub(crate) struct Json {
    pub(crate) component: String,
    pub(crate) body: Bytes,
}

impl<M> Protobuf<M> {
    /// Wraps an encoded message.
    pub(crate) fn new(bytes: Bytes) -> Self {
        Self { bytes, message: PhantomData }
    }
}

impl<M> Protobuf<M> {
    /// Returns the encoded message.
    pub(super) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Returns the size of the message in bytes.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Returns an upper bound of the memory that decoding takes, in bytes.
    pub(super) fn decoded_size(&self) -> usize {
        decoded_size::protobuf(&self.bytes)
    }

    /// Returns `true` if decoding takes no longer than about a millisecond.
    pub(super) fn is_brief(&self) -> bool {
        self.bytes.len() <= MAX_BRIEF_PROTOBUF
    }
}

impl<M: prost::Message + Default> Protobuf<M> {
    /// Decodes the message.
    pub(crate) fn decode(self) -> Result<M, Error> {
        Ok(M::decode(self.bytes)?)
    }
}

impl<M: DaprRequest> Undecoded<M> for Protobuf<M> {
    fn size(&self) -> usize {
        Self::size(self)
    }

    fn decoded_size(&self) -> usize {
        Self::decoded_size(self)
    }

    fn sent(&self) -> Option<SentRequest> {
        Some(SentRequest::protobuf::<M>(&self.bytes))
    }

    fn decode(self) -> Result<M, Error> {
        Self::decode(self)
    }

    fn decode_briefly(self) -> Result<Either<M, Self>, Error> {
        if self.is_brief() { Self::decode(self).map(Either::Left) } else { Ok(Either::Right(self)) }
    }
}

impl Json {
    /// Sets the component of a message that was read from the body.
    fn addressed<M: DaprRequest>(self, mut message: M) -> M {
        if message.has_empty_input() {
            warn_if_alpha1(&self.body);
        }
        message.set_component(self.component);
        message
    }
}

/// Warns, once, if a body for the second version of Dapr's API has the inputs of the first.
fn warn_if_alpha1(body: &[u8]) {
    static WARNED: Once = Once::new();
    let body: Option<Alpha1Body> = serde_json::from_slice(body).ok();
    if body.is_some_and(|body| body.inputs.iter().any(|input| input.content.is_some())) {
        WARNED.call_once(|| {
            tracing::warn!(
                "an input of a request to /v1.0-alpha2 has `content`, as in Alpha1, and is read as \
                 empty; send `messages`, or call /v1.0-alpha1"
            );
        });
    }
}

/// What a body of the first version has.
#[derive(Deserialize)]
struct Alpha1Body {
    #[serde(default)]
    inputs: Vec<Alpha1Input>,
}

#[derive(Deserialize)]
struct Alpha1Input {
    content: Option<IgnoredAny>,
}

impl<M: DaprRequest> Undecoded<M> for Json {
    fn size(&self) -> usize {
        self.body.len()
    }

    fn decoded_size(&self) -> usize {
        json_size::decoded_size(&self.body)
    }

    fn sent(&self) -> Option<SentRequest> {
        Some(SentRequest::json::<M>(&self.body))
    }

    fn decode(self) -> Result<M, Error> {
        let message = json::read_request(&self.body)?;
        Ok(self.addressed(message))
    }

    fn decode_briefly(self) -> Result<Either<M, Self>, Error> {
        let size = self.body.len();
        if size <= MAX_BRIEF_REFLECTED {
            return self.decode().map(Either::Left);
        }
        let fast = if size <= MAX_BRIEF_JSON { json::read_fast::<M>(&self.body) } else { None };
        Ok(match fast {
            Some(message) => Either::Left(self.addressed(message)),
            None => Either::Right(self),
        })
    }
}

/// A message that is decoded already.
impl<M: ConverseRequest> Undecoded<M> for M {
    fn size(&self) -> usize {
        0
    }

    fn decoded_size(&self) -> usize {
        0
    }

    fn sent(&self) -> Option<SentRequest> {
        None
    }

    fn decode(self) -> Result<M, Error> {
        Ok(self)
    }

    fn decode_briefly(self) -> Result<Either<M, Self>, Error> {
        Ok(Either::Left(self))
    }
}
