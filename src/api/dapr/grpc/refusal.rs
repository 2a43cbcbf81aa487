//! tonic's refusals in daprd's words.

use http::{HeaderMap, Response};
use tonic::{Code, Status, body::Body};

use crate::wire::error::Error;

/// What the refusals depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) max_body_size: usize,
}

/// Replaces the status of a call that tonic refused before mynah saw it.
pub(super) fn explain(limits: Limits, response: Response<Body>) -> Response<Body> {
    match refusal(response.headers(), limits) {
        Some(error) => Status::from(error).into_http(),
        None => response,
    }
}

/// A refusal has its status in the headers; an answer has it in the trailers.
fn refusal(headers: &HeaderMap, limits: Limits) -> Option<Error> {
    if !headers.contains_key(Status::GRPC_STATUS) {
        return None;
    }
    let status = Status::from_header_map(headers)?;
    match status.code() {
        Code::Unimplemented if status.message().is_empty() => Some(Error::NotServed),
        Code::OutOfRange => {
            let got = announced_length(status.message())?;
            Some(Error::RequestTooLarge { got, limit: limits.max_body_size })
        }
        _ => None,
    }
}

/// tonic says "…: found N bytes, the limit is: M bytes".
fn announced_length(message: &str) -> Option<usize> {
    message.split_once("found ")?.1.split(' ').next()?.parse().ok()
}
