//! Reads request bodies.

use axum::{BoxError, body::HttpBody};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use tokio::sync::Semaphore;

use crate::{
    base::{
        blocking::{LARGE, run_blocking},
        clock,
        timeouts::BODY_TIMEOUT,
    },
    wire::{conversation::ConverseRequest, error::Error, json},
};

/// Allows only one large JSON body to be read at a time. A body of tiny objects that needs the
/// reflection reader can briefly take 150 times its size in memory.
static LARGE_BODIES: Semaphore = Semaphore::const_new(1);

/// Reads a message of the conversation API. A large message is parsed on a blocking thread.
pub(super) async fn read_message<M: ConverseRequest>(
    body: Incoming,
    max_body_size: usize,
) -> Result<M, Error> {
    let body = read(body, max_body_size).await?;
    if body.len() <= LARGE {
        return json::read_request(&body);
    }
    // Acquiring fails only if the semaphore is closed, which never happens.
    let permit = LARGE_BODIES.acquire().await;
    let read = run_blocking(move || {
        // Hold the permit until the body is parsed, even if the client disconnects.
        let _permit = permit;
        json::read_request(&body)
    });
    read.await.unwrap_or_else(|_| Err(Error::BodyRead("the reader panicked".to_owned())))
}

/// Reads a whole body.
///
/// Fails if the body is longer than `limit` bytes or is not complete in time.
pub(super) async fn read<B>(body: B, limit: usize) -> Result<Bytes, Error>
where
    B: HttpBody<Error: Into<BoxError>>,
{
    let read = clock::within(BODY_TIMEOUT, Limited::new(body, limit).collect()).await;
    read.ok_or(Error::BodyTimeout)?.map(|body| body.to_bytes()).map_err(|error| {
        let is_too_large = error.is::<LengthLimitError>();
        // daprd's message for a body over the limit.
        let reason = if is_too_large { "stream too large".to_owned() } else { error.to_string() };
        Error::BodyRead(reason)
    })
}
