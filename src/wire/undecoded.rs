//! Requests as they arrive, before they are decoded.

use std::{marker::PhantomData, sync::Once};

use bytes::Bytes;
use futures_util::future::Either;
use serde::{Deserialize, de::IgnoredAny};

use super::{
    conversation::{ConverseRequest, DaprRequest},
    error::Error,
    json,
    protobuf::{self, Field},
    sent::{SentApi, SentRequest},
    structs,
};
use crate::base::json_size::{self, COPIES};

/// Maximum size in bytes of a protobuf message that is decoded within a millisecond.
const MAX_BRIEF_PROTOBUF: usize = 32 * 1024;
/// The same for proto JSON that the fast reader accepts.
const MAX_BRIEF_JSON: usize = 16 * 1024;
/// The same for any proto JSON.
const MAX_BRIEF_REFLECTED: usize = 2 * 1024;

/// A request that can be decoded to `M`, on any thread.
pub trait Undecoded<M>: Send + Sized + 'static {
    /// Returns the size of the request in bytes, or 0 if it is decoded already.
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
    pub(super) bytes: Bytes,
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

    /// Returns the size of the message in bytes.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Returns an upper bound of the memory that decoding takes, in bytes.
    pub(super) fn decoded_size(&self) -> usize {
        protobuf_size(&self.bytes)
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
        Some(SentRequest::protobuf(SentApi::of_dapr::<M>(), &self.bytes))
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
        Some(SentRequest::json(SentApi::of_dapr::<M>(), &self.body))
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

/// Memory for one field of a message, with what is made of it.
const FIELD: usize = 100;
/// Nesting beyond which decoding fails: that of prost, and three messages for each level of JSON.
const MAX_DEPTH: usize = 100 + 3 * structs::MAX_DEPTH;

/// Returns an upper bound of the memory that decoding a protobuf message takes. Tiny values grow most:
/// an empty tool has two bytes on the wire and a hundred in memory.
///
/// Counts what may be a field at any depth, also in schemas, as if all of them were read. No
/// descriptor is needed, since a text that happens to be a valid message only increases the bound.
fn protobuf_size(message: &[u8]) -> usize {
    message.len() * COPIES + fields(message, 0) * FIELD
}

/// Counts the fields of a message up to the first that is invalid.
fn fields(message: &[u8], depth: usize) -> usize {
    let mut count = 0;
    for (_, value) in protobuf::fields(message).map_while(|field| field) {
        count += 1;
        if let Field::Bytes(inner) = value
            && depth < MAX_DEPTH
        {
            count += fields(inner, depth + 1);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::proto::{ConversationRequestAlpha2, ConversationTools};
    use prost::Message;

    #[test]
    fn counts_the_fields_of_nested_messages() {
        let tools = vec![ConversationTools::default(); 1_000];
        let request = ConversationRequestAlpha2 { tools, ..Default::default() };
        assert_eq!(fields(&request.encode_to_vec(), 0), 1_000);
        let name = "one field, and a text that is none".repeat(100);
        let request = ConversationRequestAlpha2 { name, ..Default::default() };
        assert_eq!(fields(&request.encode_to_vec(), 0), 1);
    }

    #[test]
    fn stops_at_invalid_and_deep_messages() {
        assert_eq!(fields(&[0x0a, 0, 0x0a, 0xff], 0), 1);
        assert_eq!(fields(&[0xff; 100], 0), 0);
        let nested = (0..1_000_u32).fold(Vec::new(), |inner: Vec<u8>, _| {
            let mut outer = vec![0x0a];
            prost::encoding::encode_varint(inner.len() as u64, &mut outer);
            outer.extend(inner);
            outer
        });
        assert_eq!(fields(&nested, 0), MAX_DEPTH + 1);
    }
}
