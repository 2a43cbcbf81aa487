//! The HTTP surface of Dapr's API.

mod converse;
mod handlers;

use std::sync::Arc;

use axum::{
    Extension, Router,
    response::{IntoResponse, Response},
    routing::{get, post, put},
};
use futures_util::{FutureExt, TryFutureExt, future};
use http::{Method, Request, StatusCode, Uri, header::ALLOW};
use hyper_util::service::TowerToHyperService;

use self::converse::converse;
use crate::{
    api::{
        access::Guard,
        forward::HttpForward,
        http::{
            response::{Responding, fail},
            url::has_dot_segments,
        },
    },
    base::drain::Drain,
    engine::Engine,
    net::RequestBody,
    wire::{
        conversation::DaprRequest,
        error::{Error, HttpError},
        proto,
        routes::Route,
    },
};

/// Serves Dapr's HTTP API.
///
/// Conversations bypass the router, which would increase the number of instructions for a short
/// call by a sixth.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    engine: Arc<Engine>,
    guard: Arc<Guard>,
    router: TowerToHyperService<Router>,
    drain: Drain,
    /// Passes on everything but conversations, if a daprd is behind mynah.
    forward: Option<HttpForward>,
    /// Whether the address belongs to a session, so that daprd outlives it.
    is_of_session: bool,
}

impl Service {
    pub(crate) fn new(
        engine: Arc<Engine>,
        guard: Arc<Guard>,
        drain: Drain,
        forward: Option<HttpForward>,
        is_of_session: bool,
    ) -> Self {
        let router = router(engine.clone(), guard.clone(), drain.clone());
        let router = TowerToHyperService::new(router);
        Self { engine, guard, router, drain, forward, is_of_session }
    }

    /// Answers a request with a clean path. `unclean` is its URI as received, if that differs.
    pub(crate) fn call(&self, request: Request<RequestBody>, unclean: Option<Uri>) -> Responding {
        if let Err(error) = self.check_access(&request) {
            let response = error.into_response();
            return future::ok(response).boxed();
        }
        match conversation(request.method(), request.uri().path()) {
            Some(Route::ConverseAlpha1) => self.converse::<proto::ConversationRequest>(request),
            Some(Route::ConverseAlpha2) => {
                self.converse::<proto::ConversationRequestAlpha2>(request)
            }
            _ => match &self.forward {
                Some(forward) => self.forward(forward, request, unclean),
                None => self.route(request),
            },
        }
    }

    fn route(&self, mut request: Request<RequestBody>) -> Responding {
        let call = request.body().call().clone();
        request.extensions_mut().insert(call);
        hyper::service::Service::call(&self.router, request).map_ok(without_allow).boxed()
    }

    /// Passes on a request that mynah does not serve.
    fn forward(
        &self,
        forward: &HttpForward,
        mut request: Request<RequestBody>,
        unclean: Option<Uri>,
    ) -> Responding {
        let route = Route::of(request.method(), request.uri().path());
        // Empty segments may matter to daprd. A path with `..` is passed on as mynah understands it.
        if let Some(uri) = unclean.filter(|uri| !has_dot_segments(uri.path())) {
            *request.uri_mut() = uri;
        }
        let response = match route {
            Some(Route::Metadata) => forward.metadata(request),
            Some(Route::Shutdown) if self.is_of_session => return self.route(request),
            Some(Route::Shutdown) => {
                // daprd and mynah shut down together.
                let drain = self.drain.clone();
                forward.call(request).inspect(move |_| drain.start()).boxed()
            }
            _ => forward.call(request),
        };
        response.map(Ok).boxed()
    }

    fn converse<M: DaprRequest>(&self, request: Request<RequestBody>) -> Responding {
        let call = request.body().call().clone();
        let answer = converse::<M>(self.engine.clone(), self.guard.max_body_size, request);
        let failed = move |error: Error| fail(&call, &error, |error| HttpError::from(error));
        answer.map(|answer| Ok(answer.unwrap_or_else(failed))).boxed()
    }

    /// Rejects browser calls from pages of other sites, and calls without the token.
    fn check_access(&self, request: &Request<RequestBody>) -> Result<(), Error> {
        self.guard.access.hosts.check(request.uri(), request.headers())?;
        match self.guard.access.check_token(request.headers()) {
            Err(_) if is_public(request) => Ok(()),
            result => result,
        }
    }
}

fn is_public(request: &Request<RequestBody>) -> bool {
    let (method, path) = (request.method(), request.uri().path());
    Route::of(method, path).is_some_and(Route::is_public)
}

/// Returns the route of a conversation, or `None` for any other request.
fn conversation(method: &Method, path: &str) -> Option<Route> {
    let routes = [Route::ConverseAlpha2, Route::ConverseAlpha1];
    let route = routes.into_iter().find(|route| has_name(route.path(), path))?;
    (*method == route.method()).then_some(route)
}

/// Returns `true` if `path` is `template` with a name in place of the parameter.
fn has_name(template: &str, path: &str) -> bool {
    let Some((prefix, rest)) = template.split_once('{') else { return false };
    let Some((_, suffix)) = rest.split_once('}') else { return false };
    let name = path.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
    name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
}

fn router(engine: Arc<Engine>, guard: Arc<Guard>, drain: Drain) -> Router {
    let shutdown = async move || {
        drain.start();
        StatusCode::NO_CONTENT
    };
    let add = |router: Router<_>, route: Route| match route {
        // Handled by `Service::call`, which bypasses the router.
        Route::ConverseAlpha1 | Route::ConverseAlpha2 => router,
        Route::Health => router.route(route.path(), get(handlers::healthz).head(not_served)),
        Route::HealthOutbound => {
            router.route(route.path(), get(handlers::outbound).head(not_served))
        }
        Route::Metadata => router.route(route.path(), get(handlers::get_metadata).head(not_served)),
        Route::SetMetadata => router.route(route.path(), put(handlers::set_metadata)),
        Route::Shutdown => router.route(route.path(), post(shutdown.clone())),
    };
    Route::ALL
        .into_iter()
        .fold(Router::new(), add)
        .fallback(not_served)
        .method_not_allowed_fallback(not_served)
        .layer(Extension(guard))
        .with_state(engine)
}

/// Removes the `Allow` header that axum adds if the path exists with another method. daprd does not
/// send it.
fn without_allow(mut response: Response) -> Response {
    response.headers_mut().remove(ALLOW);
    response
}

async fn not_served() -> Error {
    Error::NotServed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_conversation_routes() {
        let cases = [
            (Method::POST, "/v1.0-alpha1/conversation/echo/converse", Some(Route::ConverseAlpha1)),
            (Method::POST, "/v1.0-alpha2/conversation/echo/converse", Some(Route::ConverseAlpha2)),
            (Method::PATCH, "/v1.0-alpha2/conversation/echo/converse", None),
            (Method::POST, "/v1.0-alpha2/conversation//converse", None),
            (Method::POST, "/v1.0-alpha2/conversation/a/b/converse", None),
            (Method::POST, "/v1.0-alpha2/conversation/echo/converse/", None),
            (Method::POST, "/v1.0/conversation/echo/converse", None),
            (Method::GET, "/v1.0/healthz", None),
            (Method::GET, "/v1.0/metadata", None),
            (Method::PUT, "/v1.0/metadata/label", None),
            (Method::POST, "/v1.0/shutdown", None),
        ];
        for (method, path, route) in cases {
            assert_eq!(conversation(&method, path), route, "{method} {path}");
        }
    }
}
