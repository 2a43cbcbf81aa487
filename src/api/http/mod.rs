//! The service of the HTTP port, and what its APIs share.

pub(super) mod body;
pub(super) mod response;
pub(super) mod url;

use std::{convert::Infallible, sync::Arc};

use axum::body::Body;
use http::{Request, Response};

use self::response::Responding;
use super::{access::Guard, control, dapr, forward::HttpForward, openai};
use crate::{base::drain::Drain, engine::Engine, net::RequestBody};

/// Serves Dapr's API, OpenAI's and the control API.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    dapr: dapr::http::Service,
    openai: openai::Service,
    control: control::Service,
}

impl Service {
    /// Creates the service. `default_component` answers requests of OpenAI's API whose model is not a
    /// component. `forward` passes on what mynah does not serve, if a daprd is behind mynah.
    pub(crate) fn new(
        engine: Arc<Engine>,
        guard: Arc<Guard>,
        drain: Drain,
        default_component: Option<Arc<str>>,
        forward: Option<HttpForward>,
    ) -> Self {
        Self {
            dapr: dapr::http::Service::new(engine.clone(), guard.clone(), drain.clone(), forward),
            control: control::Service::new(engine.clone(), guard.clone(), drain),
            openai: openai::Service::new(engine, guard, default_component),
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
        } else if control::serves(request.uri().path()) {
            self.control.call(request)
        } else {
            self.dapr.call(request, unclean)
        }
    }
}
