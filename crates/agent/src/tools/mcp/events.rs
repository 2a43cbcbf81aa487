//! Reads the server-sent events of a response.

use std::sync::Arc;

use futures_util::{StreamExt, stream::BoxStream};
use http::Response;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use mynah_core::base::memory::{MemoryExhausted, Reservation};
use rmcp::{
    model::{ErrorData, RequestId, ServerJsonRpcMessage},
    transport::streamable_http_client::SseError,
};
use sse_stream::{Sse, SseStream};
use thiserror::Error as ThisError;

use crate::tools::{http::check_encoding, value::MAX_OUTPUT};

pub(super) type Events = BoxStream<'static, Result<Sse, SseError>>;

/// The reason why a response is not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
enum Incomplete {
    #[error("the response is longer than 16 MiB")]
    TooLong,
    #[error("the response is not complete")]
    Broken,
    #[error(transparent)]
    Memory(#[from] MemoryExhausted),
}

/// A buffer may be twice as long as its content, from which an event is copied.
const COPIES: usize = 3;

/// Reads events. If they are too long, or there is no memory for them, the last one is an error for the
/// request.
pub(super) fn read_events(
    response: Response<Incoming>,
    request: Option<RequestId>,
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
    let events = SseStream::from_bytes_stream(pieces);
    Ok(events.map(move |event| event.or_else(|error| replace(error, request.as_ref()))).boxed())
}

/// Replaces the error of a response that cannot be kept, because the transport would drop the reason.
fn replace(error: SseError, request: Option<&RequestId>) -> Result<Sse, SseError> {
    let (SseError::Body(body), Some(id)) = (&error, request) else { return Err(error) };
    let reason = match body.downcast_ref() {
        Some(reason @ (Incomplete::TooLong | Incomplete::Memory(_))) => reason.to_string(),
        _ => return Err(error),
    };
    let reason = ErrorData::internal_error(reason, None);
    let message = ServerJsonRpcMessage::error(reason, Some(id.clone()));
    serde_json::to_string(&message).map(|text| Sse::default().data(text)).map_err(|_| error)
}
