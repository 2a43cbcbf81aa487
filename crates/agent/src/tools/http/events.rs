//! Reads a reply that is a stream of events.

use std::sync::Arc;

use futures_util::{StreamExt, future::ready, stream::BoxStream};
use http::Response;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use mynah_core::base::memory::{MemoryExhausted, Reservation};
use sse_stream::{Error as SseError, Sse, SseStream};
use thiserror::Error as ThisError;

use super::check_encoding;
use crate::tools::value::MAX_OUTPUT;

/// The events of a reply.
pub(crate) type Events = BoxStream<'static, Result<Sse, SseError>>;

/// The reason why a response is not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
pub enum Incomplete {
    /// It is too long.
    #[error("the response is longer than 16 MiB")]
    TooLong,
    /// The connection was lost.
    #[error("the response is not complete")]
    Broken,
    /// There is no memory for it.
    #[error(transparent)]
    Memory(#[from] MemoryExhausted),
}

/// A buffer may be twice as long as its content, from which an event is copied.
const COPIES: usize = 3;

/// Reads events, and charges `memory` for them. A response that cannot be kept ends with an error whose
/// cause is [`Incomplete`].
///
/// # Errors
///
/// Fails with a message if the response is encoded.
pub(crate) fn read_events(
    response: Response<Incoming>,
    memory: Arc<Reservation>,
) -> Result<Events, String> {
    check_encoding(response.headers())?;
    let pieces = Limited::new(response.into_body(), MAX_OUTPUT).into_data_stream();
    let pieces = pieces.then(move |piece| {
        let memory = memory.clone();
        async move {
            let piece = piece.map_err(|error| match error.is::<LengthLimitError>() {
                true => Incomplete::TooLong,
                false => Incomplete::Broken,
            })?;
            memory.grow(COPIES * piece.len()).await?;
            Ok::<_, Incomplete>(piece)
        }
    });
    Ok(SseStream::from_bytes_stream(pieces).boxed())
}

/// Reads the data of events, and charges `memory` for them.
///
/// # Errors
///
/// Fails with a message if the response is encoded.
pub fn read_event_data(
    response: Response<Incoming>,
    memory: Arc<Reservation>,
) -> Result<BoxStream<'static, Result<String, Incomplete>>, String> {
    let data = |event: Result<Sse, SseError>| match event {
        Ok(event) => event.data.map(Ok),
        Err(error) => Some(Err(incomplete(&error).unwrap_or(Incomplete::Broken))),
    };
    Ok(read_events(response, memory)?.filter_map(move |event| ready(data(event))).boxed())
}

/// Returns why a response is not complete, if that is the cause of an error.
pub(crate) fn incomplete(error: &SseError) -> Option<Incomplete> {
    match error {
        SseError::Body(body) => body.downcast_ref().copied(),
        _ => None,
    }
}
