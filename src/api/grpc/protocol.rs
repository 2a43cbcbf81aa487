//! Tells gRPC calls from other requests on a gRPC port, such as those of gRPC-Web.

use http::{Method, Request, Response, header::CONTENT_TYPE};
use tonic::body::Body;

use crate::wire::error::{Error, not_grpc};

const GRPC: &str = "application/grpc";

/// Returns the answer to a request that is not a gRPC call.
pub(crate) fn refuse<B>(request: &Request<B>) -> Option<Response<Body>> {
    let error = if request.method() != Method::POST {
        Error::NotPost(request.method().to_string())
    } else {
        let content_type = request.headers().get(CONTENT_TYPE);
        let content_type = content_type.map(|it| it.as_bytes()).unwrap_or_default();
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
