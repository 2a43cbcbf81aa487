//! Statuses that gRPC calls do not send in the headers of their response.

use std::convert::Infallible;

use futures_util::{future, stream};
use http::{HeaderName, HeaderValue, Response, header::CONTENT_TYPE};
use http_body_util::StreamBody;
use hyper::body::Frame;
use tonic::body::Body;

use crate::base::ending::Ending;

static ENDING: HeaderName = HeaderName::from_static(Ending::HEADER);

/// Moves the status from the headers of a response to its trailers, if it asks for that.
pub(super) fn deliver(response: Response<Body>) -> Response<Body> {
    // The headers are few, so comparing them costs less than hashing the name.
    if response.headers().keys().all(|name| *name != ENDING) {
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
