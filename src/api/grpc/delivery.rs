//! Statuses that gRPC calls do not send in the headers of their response.

use std::convert::Infallible;

use futures_util::{future, stream};
use http::{HeaderValue, Response, header::CONTENT_TYPE};
use http_body_util::StreamBody;
use hyper::body::Frame;
use tonic::{Status, body::Body};

use crate::base::delivery::Delivery;

/// Moves the status from the headers of a response to its trailers, unless it is delivered there. The
/// transport does not send the trailers of a response that breaks off.
pub(super) fn deliver(delivery: Delivery, response: Response<Body>) -> Response<Body> {
    let has_status = || response.headers().contains_key(Status::GRPC_STATUS);
    if delivery == Delivery::Status || !has_status() {
        return response;
    }
    let mut trailers = response.into_parts().0.headers;
    trailers.remove(CONTENT_TYPE);
    let trailers = Frame::trailers(trailers);
    let frames = stream::once(future::ready(Ok::<_, Infallible>(trailers)));
    let mut response = Response::new(Body::new(StreamBody::new(frames)));
    let media_type = HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response
}
