//! The services of addresses that belong to a session.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use http::{HeaderValue, Request};
use hyper::service::Service;

use crate::{net::RequestBody, wire::headers::SESSION};

/// Serves calls that all belong to one session, whatever they say.
#[derive(Debug, Clone)]
pub(crate) struct OfSession<S> {
    service: S,
    session: HeaderValue,
    usage: Usage,
}

/// Whether the addresses of a session are in use.
#[derive(Debug, Clone, Default)]
pub(crate) struct Usage(Arc<AtomicBool>);

impl Usage {
    /// Returns `true` if there was a call since this was asked last.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

impl<S> OfSession<S> {
    pub(crate) fn new(service: S, session: HeaderValue, usage: Usage) -> Self {
        Self { service, session, usage }
    }
}

impl<S: Service<Request<RequestBody>>> Service<Request<RequestBody>> for OfSession<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn call(&self, mut request: Request<RequestBody>) -> S::Future {
        self.usage.0.store(true, Ordering::Relaxed);
        // The header takes precedence over what the request says.
        request.headers_mut().insert(SESSION.clone(), self.session.clone());
        self.service.call(request)
    }
}
