//! Replaces tonic's messages for rejected calls with daprd's.

use http::{HeaderMap, Response};
use tonic::{Code, Status, body::Body};

use crate::wire::error::Error;

/// Replaces the status of a call that tonic rejected before mynah saw it.
pub(super) fn explain(max_body_size: usize, response: Response<Body>) -> Response<Body> {
    match rejection(max_body_size, response.headers()) {
        Some(error) => Status::from(error).into_http(),
        None => response,
    }
}

/// Returns daprd's error for a response in which tonic rejected the call. Only such a response has
/// the status in its headers. An answer has it in the trailers.
fn rejection(max_body_size: usize, headers: &HeaderMap) -> Option<Error> {
    if !headers.contains_key(Status::GRPC_STATUS) {
        return None;
    }
    let status = Status::from_header_map(headers)?;
    match status.code() {
        Code::Unimplemented if status.message().is_empty() => Some(Error::NotServed),
        Code::OutOfRange => {
            let got = message_length(status.message())?;
            Some(Error::RequestTooLarge { got, limit: max_body_size })
        }
        _ => None,
    }
}

/// Reads N from tonic's message "…: found N bytes, the limit is: M bytes".
fn message_length(message: &str) -> Option<usize> {
    message.split_once("found ")?.1.split(' ').next()?.parse().ok()
}
