//! Server reflection, and tonic's other services.

use std::convert::Infallible;

use axum::{BoxError, Router, body::HttpBody};
use bytes::Bytes;
use futures_util::FutureExt;
use http::Request;
use tonic::{codegen::Service as _, service::Routes};
use tonic_reflection::{
    pb::{v1, v1alpha},
    server::{Builder, Error},
};

use super::{method::Responding, refusal};

/// What the paths of both versions of reflection start with.
pub(crate) const PREFIX: &str = "/grpc.reflection.";

/// Returns the router of both versions, which describe the services in these encoded descriptors and
/// themselves.
pub(crate) fn router(descriptors: &'static [&'static [u8]]) -> Result<Router, Error> {
    let builder = || {
        let own = [v1::FILE_DESCRIPTOR_SET, v1alpha::FILE_DESCRIPTOR_SET];
        let builder = Builder::configure().include_reflection_service(false);
        let all = descriptors.iter().copied().chain(own);
        all.fold(builder, |builder, set| builder.register_encoded_file_descriptor_set(set))
    };
    let routes = Routes::new(builder().build_v1()?).add_service(builder().build_v1alpha()?);
    Ok(routes.into_axum_router())
}

/// Answers a call of one of tonic's services.
pub(crate) fn route<B>(router: &Router, request: Request<B>) -> Responding
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    let answer = router.clone().call(request);
    answer.map(|Ok(response): Result<_, Infallible>| refusal::shorten(response)).boxed()
}
