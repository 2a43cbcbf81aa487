//! Rejects what is not gRPC, such as calls of gRPC-Web, and replaces tonic's messages for rejected
//! calls with daprd's.

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, header::CONTENT_TYPE};
use http_body_util::BodyExt;
use hyper::body::{self, Frame};
use tonic::{Code, Status, body::Body};

use crate::wire::error::{Error, not_grpc, shorten_status};

/// Replaces the status of a call that tonic rejected before mynah saw it.
pub(crate) fn explain(max_body_size: usize, response: Response<Body>) -> Response<Body> {
    match rejection(max_body_size, response.headers()) {
        Some(error) => Status::from(error).into_http(),
        None => response,
    }
}

/// Shortens the errors of tonic's own services, which quote the request.
pub(crate) fn shorten(
    response: Response<impl body::Body<Data = Bytes, Error = axum::Error> + Send + 'static>,
) -> Response<Body> {
    let shorten = |frame: Frame<Bytes>| match frame.into_trailers() {
        Ok(mut trailers) => {
            shorten_status(&mut trailers);
            Frame::trailers(trailers)
        }
        Err(frame) => frame,
    };
    response.map(|body| Body::new(body.map_frame(shorten)))
}

/// Returns daprd's error for a response in which tonic rejected the call. Only such a response has
/// the status in its headers. An answer has it in the trailers.
fn rejection(max_body_size: usize, headers: &HeaderMap) -> Option<Error> {
    // The headers are few, so comparing them costs less than hashing the name.
    if headers.keys().all(|name| name != Status::GRPC_STATUS) {
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

/// Reads the length from tonic's message. Compares all of it: a provider's error may be similar.
fn message_length(message: &str) -> Option<usize> {
    let found = message.strip_prefix("Error, decoded message length too large: found ")?;
    let (length, limit) = found.strip_suffix(" bytes")?.split_once(" bytes, the limit is: ")?;
    limit.parse::<usize>().ok()?;
    length.parse().ok()
}

const GRPC: &str = "application/grpc";

/// Returns the answer to a request that is not a gRPC call.
pub(crate) fn refuse<B>(request: &Request<B>) -> Option<Response<Body>> {
    let error = if request.method() != Method::POST {
        Error::NotPost(request.method().to_string())
    } else {
        // The headers are few, so comparing them costs less than hashing the name.
        let content_type = request.headers().iter().find(|(name, _)| *name == CONTENT_TYPE);
        let content_type = content_type.map(|(_, value)| value.as_bytes()).unwrap_or_default();
        if is_grpc(content_type) {
            return None;
        }
        Error::NotGrpc(String::from_utf8_lossy(content_type).into_owned())
    };
    Some(not_grpc(error))
}

/// Returns `true` for gRPC with any encoding of messages.
fn is_grpc(content_type: &[u8]) -> bool {
    let Some((start, rest)) = content_type.split_at_checked(GRPC.len()) else { return false };
    start.eq_ignore_ascii_case(GRPC.as_bytes()) && matches!(rest.first(), None | Some(b'+' | b';'))
}
