//! What answers on the HTTP port.

use std::{array, convert::Infallible, sync::Arc};

use axum::{
    Router,
    extract::State,
    response::{IntoResponse, Response},
    routing::{get, post, put},
};
use futures_util::{
    FutureExt, TryFutureExt,
    future::{self, BoxFuture},
};
use http::{Method, Request, StatusCode, header::ALLOW};
use hyper::body::Incoming;
use tower::ServiceExt;

use super::{Failure, converse, health, metadata, url};
use crate::{api::sidecar::Sidecar, wire::error::Error};

/// Everything that the HTTP port serves.
///
/// Conversations go straight to their functions, as over gRPC, and the router has the rest.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    sidecar: Arc<Sidecar>,
    others: Router,
}

impl Service {
    pub(crate) fn new(sidecar: Arc<Sidecar>) -> Self {
        Self { others: others(sidecar.clone()), sidecar }
    }

    /// Lets in who may call. Health is everybody's to ask.
    fn admit(&self, request: &Request<Incoming>) -> Result<(), Error> {
        let is_health = matches!(request.uri().path(), "/v1.0/healthz" | "/v1.0/healthz/outbound");
        self.sidecar.access.check_browser(request.uri(), request.headers())?;
        if is_health && request.method() == Method::GET {
            return Ok(());
        }
        self.sidecar.access.check_token(request.headers())
    }
}

impl hyper::service::Service<Request<Incoming>> for Service {
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        url::clean(&mut request);
        if let Err(error) = self.admit(&request) {
            return future::ok(Failure(error).into_response()).boxed();
        }
        let sidecar = self.sidecar.clone();
        match version(&request) {
            Some("v1.0-alpha1") => answer(converse::alpha1(sidecar, request)),
            Some("v1.0-alpha2") => answer(converse::alpha2(sidecar, request)),
            _ => self.others.clone().oneshot(request).map_ok(without_allow).boxed(),
        }
    }
}

fn answer(
    work: impl Future<Output = Result<Response, Failure>> + Send + 'static,
) -> BoxFuture<'static, Result<Response, Infallible>> {
    work.map(|answer| Ok(answer.into_response())).boxed()
}

/// The version in the path of a conversation.
fn version(request: &Request<Incoming>) -> Option<&str> {
    let mut segments = request.uri().path().split('/').skip(1);
    let segments: [_; 5] = array::from_fn(|_| segments.next());
    match segments {
        [Some(version), Some("conversation"), Some(_), Some("converse"), None]
            if request.method() == Method::POST =>
        {
            Some(version)
        }
        _ => None,
    }
}

fn others(sidecar: Arc<Sidecar>) -> Router {
    Router::new()
        .route("/v1.0/healthz", get(health::healthz).head(not_served))
        .route("/v1.0/healthz/outbound", get(health::outbound).head(not_served))
        .route("/v1.0/metadata", get(metadata::get).head(not_served))
        .route("/v1.0/metadata/{key}", put(metadata::set))
        .route("/v1.0/shutdown", post(shutdown))
        .fallback(not_served)
        .method_not_allowed_fallback(not_served)
        .with_state(sidecar)
}

/// axum names the methods of a path beside a 404; to daprd there is no such path.
fn without_allow(mut response: Response) -> Response {
    response.headers_mut().remove(ALLOW);
    response
}

async fn shutdown(State(sidecar): State<Arc<Sidecar>>) -> StatusCode {
    sidecar.drain.start();
    StatusCode::NO_CONTENT
}

async fn not_served() -> Failure {
    Failure(Error::NotServed)
}
