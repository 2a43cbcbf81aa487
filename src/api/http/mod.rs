//! The service of the HTTP port, and what its APIs share.

pub(super) mod body;
pub(super) mod response;
pub(super) mod url;

use std::{convert::Infallible, sync::Arc};

use axum::{body::Body, response::IntoResponse};
use futures_util::{FutureExt, future};
use http::{Request, Response, Uri};

use self::response::Responding;
use super::{
    access::Guard,
    control::{self, SessionAddresses},
    dapr,
    forward::HttpForward,
    inspector, openai,
};
use crate::{base::drain::Drain, engine::Engine, net::RequestBody};

/// Serves Dapr's API, OpenAI's, the control API and the inspector.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    dapr: dapr::http::Service,
    openai: openai::Service,
    /// The control API, which the addresses of sessions do not serve.
    control: Option<control::Service>,
    inspector: Option<inspector::Service>,
}

impl Service {
    /// Creates the service. `default_component` answers requests of OpenAI's API whose model is not a
    /// component. `forward` passes on what mynah does not serve, if a daprd is behind mynah. Without
    /// `sessions`, the address belongs to a session.
    pub(crate) fn new(
        engine: Arc<Engine>,
        guard: Arc<Guard>,
        drain: Drain,
        default_component: Option<Arc<str>>,
        forward: Option<HttpForward>,
        sessions: Option<SessionAddresses>,
    ) -> Self {
        let (of_dapr, of_session) = (engine.clone(), sessions.is_none());
        let control = sessions.map(|sessions| {
            control::Service::new(engine.clone(), guard.clone(), drain.clone(), sessions)
        });
        Self {
            dapr: dapr::http::Service::new(of_dapr, guard.clone(), drain, forward, of_session),
            control,
            inspector: None,
            openai: openai::Service::new(engine, guard, default_component),
        }
    }
}

impl Service {
    /// Also serves the inspector.
    pub(crate) fn with_inspector(self, inspector: Option<inspector::Service>) -> Self {
        Self { inspector, ..self }
    }

    /// Answers a request whose path is mynah's own.
    fn call_own(&self, request: Request<RequestBody>, unclean: Option<Uri>) -> Responding {
        if control::serves(request.uri().path()) {
            return match &self.control {
                Some(control) => control.call(request),
                None => future::ok(control::not_at_session().into_response()).boxed(),
            };
        }
        match &self.inspector {
            Some(inspector) if inspector.serves(request.uri().path()) => {
                let received = unclean.as_ref().unwrap_or(request.uri());
                inspector.call(&request, received.path())
            }
            _ => self.dapr.call(request, unclean),
        }
    }
}

impl hyper::service::Service<Request<RequestBody>> for Service {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Responding;

    fn call(&self, mut request: Request<RequestBody>) -> Responding {
        let unclean = url::clean(&mut request);
        if openai::serves(request.uri().path()) {
            self.openai.call(request)
        } else if request.uri().path().starts_with(inspector::PREFIX) {
            self.call_own(request, unclean)
        } else {
            self.dapr.call(request, unclean)
        }
    }
}
