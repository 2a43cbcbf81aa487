//! The control API, with which tests ask what a sidecar was asked.

mod events;
mod explain;
mod faults;
mod journal;
mod openapi;
mod query;
mod report;
mod resources;
mod rules;
mod sessions;
mod verify;

use std::sync::Arc;

use axum::{
    Router,
    body::HttpBody,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use futures_util::{FutureExt, TryFutureExt, future};
use http::{Method, Request, Uri, header::ALLOW};
use hyper_util::service::TowerToHyperService;

#[cfg(feature = "internals")]
pub use self::openapi::generate as generate_openapi;
use self::resources::Shared;
pub(crate) use self::sessions::{
    Addresses, MAX_SESSIONS, OpenError, OpenSession, SessionAddresses, SessionName, SessionRequest,
};
use super::{access::Guard, http::response::Responding};
use crate::{
    base::drain::Drain,
    engine::Engine,
    net::{RequestBody, TransportCall},
    wire::error::ControlError,
};

/// What all paths of the API start with.
const PREFIX: &str = "/mynah/v1/";

/// Serves the control API.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    shared: Shared,
    router: TowerToHyperService<Router>,
}

/// Returns `true` if a path belongs to the control API.
pub(crate) fn serves(path: &str) -> bool {
    path.starts_with(PREFIX)
}

impl Service {
    pub(crate) fn new(
        engine: Arc<Engine>,
        guard: Arc<Guard>,
        drain: Drain,
        sessions: SessionAddresses,
    ) -> Self {
        let router = TowerToHyperService::new(router(engine, sessions));
        Self { shared: Shared::new(guard, drain), router }
    }

    /// Answers a request with a clean path.
    pub(crate) fn call(&self, mut request: Request<RequestBody>) -> Responding {
        if let Err(failure) = self.check_access(&request) {
            return future::ok(failure.into_response()).boxed();
        }
        let call = request.body().call().clone();
        request.extensions_mut().insert(self.shared.of_request(&call));
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        hyper::service::Service::call(&self.router, request)
            .map_ok(move |response| charged(explained(response, &method, &path), &call))
            .boxed()
    }

    /// Rejects browser calls from pages of other sites, and calls without the token.
    fn check_access(&self, request: &Request<RequestBody>) -> Result<(), ControlError> {
        let access = &self.shared.guard.access;
        access.hosts.check(request.uri(), request.headers())?;
        Ok(access.check_token(request.headers())?)
    }
}

/// Charges a call for the size of its response instead of what it took.
fn charged(response: Response, call: &TransportCall) -> Response {
    if let Some(size) = response.body().size_hint().exact() {
        // Fails only for a small response, since large ones are charged while they are written.
        let _ = call.charge().set(usize::try_from(size).unwrap_or(usize::MAX));
    }
    response
}

fn router(engine: Arc<Engine>, addresses: SessionAddresses) -> Router {
    let session = get(sessions::get).put(sessions::put).delete(sessions::delete);
    let rules = get(rules::get).put(rules::put).post(rules::post).delete(rules::delete);
    let sessions = Router::new()
        .route("/mynah/v1/sessions", get(sessions::list))
        .route("/mynah/v1/sessions/{name}", session)
        .with_state(addresses);
    Router::new()
        .route("/mynah/v1/journal", get(journal::get).delete(journal::delete))
        .route("/mynah/v1/journal/events", get(events::get))
        .route("/mynah/v1/report", get(report::get))
        .route("/mynah/v1/rules", rules)
        .route("/mynah/v1/faults", get(faults::get).put(faults::put).delete(faults::delete))
        .route("/mynah/v1/reset", post(journal::reset))
        .route("/mynah/v1/verify", post(verify::post))
        .route("/mynah/v1/explain", post(explain::post))
        .route("/mynah/v1/verdict", get(journal::verdict))
        .route("/mynah/v1/openapi.json", get(openapi::get))
        .fallback(not_served)
        .with_state(engine)
        .merge(sessions)
}

/// Adds the reason to a response that only lists the methods of a path in its `Allow` header.
fn explained(response: Response, method: &Method, path: &str) -> Response {
    let Some(allow) = response.headers().get(ALLOW) else { return response };
    let methods = allow.to_str().unwrap_or_default().split(',').filter(|name| *name != "HEAD");
    let methods = methods.collect::<Vec<_>>().join(" or ");
    let reason = format!("{method} {path} is not served; use {methods}");
    let mut explained = ControlError::WrongMethod(reason).into_response();
    explained.headers_mut().insert(ALLOW, allow.clone());
    explained
}

/// Returns the error for a request at an address of a session.
pub(crate) fn not_at_session() -> ControlError {
    let message =
        "the control API is not served at the address of a session; use mynah's own address";
    ControlError::NotFound(message.to_owned())
}

async fn not_served(method: Method, uri: Uri) -> ControlError {
    let path = uri.path();
    let help = "the control API is described at /mynah/v1/openapi.json";
    ControlError::NotFound(format!("{method} {path} is not served; {help}"))
}
