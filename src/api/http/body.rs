//! Reads request bodies.

use std::{mem, pin::pin};

use axum::{BoxError, body::HttpBody};
use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::{
    base::{clock, memory::Charge, timeouts::BODY_TIMEOUT},
    wire::error::Error,
};

/// A buffer may be twice as long as its content.
const COPIES: usize = 2;

/// Reads a whole body, for which the call is charged.
///
/// Fails if the body is longer than `limit` bytes or not complete in time, or if the memory is
/// exhausted.
pub(crate) async fn read<B>(body: B, limit: usize, charge: &Charge) -> Result<Bytes, Error>
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    let collect = pin!(collect(Limited::new(body, limit), charge));
    clock::within(BODY_TIMEOUT, collect).await.unwrap_or(Err(Error::BodyTimeout))
}

async fn collect<B>(mut body: Limited<B>, charge: &Charge) -> Result<Bytes, Error>
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    let mut read = Bytes::new();
    let mut buffer = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|error| read_error(&*error))?.into_data() else { continue };
        charge.grow(data.len() * COPIES).await?;
        // Most bodies have a single frame, which needs no copy.
        if read.is_empty() && buffer.is_empty() {
            read = data;
        } else {
            buffer.extend_from_slice(&mem::take(&mut read));
            buffer.extend_from_slice(&data);
        }
    }
    Ok(if buffer.is_empty() { read } else { buffer.freeze() })
}

fn read_error(error: &(dyn std::error::Error + 'static)) -> Error {
    let is_too_large = error.is::<LengthLimitError>();
    // daprd's message for a body over the limit.
    let reason = if is_too_large { "stream too large".to_owned() } else { error.to_string() };
    Error::BodyRead(reason)
}
