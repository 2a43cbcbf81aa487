//! `/mynah/`: the inspector, a page that shows what the application and the model said.

mod report;

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::{FutureExt, future};
use http::{
    HeaderName, HeaderValue, Method, Request,
    header::{
        ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY,
        X_CONTENT_TYPE_OPTIONS,
    },
};

pub(crate) use self::report::Report;
use super::{browser::Hosts, http::response::Responding};
use crate::{base::endpoint::Endpoint, net::RequestBody, wire::error::ControlError};

/// The page, which `web/` builds.
const PAGE: &str = include_str!("../../../web/dist/inspector.html");

/// What the path of the page starts with, with or without the slash at the end.
pub(crate) const PREFIX: &str = "/mynah";

/// The path of the page.
const PATH: &str = "/mynah/";

/// Returns the address of the page of a sidecar with this HTTP address.
pub(crate) fn url(http: &Endpoint) -> String {
    format!("{}{PATH}", http.url())
}

/// The policy of the page itself says what it may load. This one keeps other pages from framing it.
const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("frame-ancestors 'none'")),
    (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
];

/// Serves the page at one path. It needs no token, because the page holds no data: it asks the control API.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    hosts: Hosts,
    page: Bytes,
    path: &'static str,
}

impl Service {
    /// Serves the page over the sidecar's own journal.
    pub(crate) fn live(hosts: Hosts) -> Self {
        Self { hosts, page: Bytes::from_static(PAGE.as_bytes()), path: PATH }
    }

    /// Serves a report at `/`.
    pub(crate) fn of_report(report: &Report) -> Self {
        Self { hosts: Hosts::default(), page: report.to_html().into(), path: "/" }
    }

    /// Returns `true` if a path is that of the page.
    pub(crate) fn serves(&self, path: &str) -> bool {
        path.trim_end_matches('/') == self.path.trim_end_matches('/')
    }

    /// Answers a request for this path, which may end in a slash.
    pub(crate) fn call(&self, request: &Request<RequestBody>, path: &str) -> Responding {
        future::ok(self.page(request, path).unwrap_or_else(IntoResponse::into_response)).boxed()
    }

    fn page(&self, request: &Request<RequestBody>, path: &str) -> Result<Response, ControlError> {
        self.hosts.check(request.uri(), request.headers())?;
        let method = request.method();
        if !self.serves(path) {
            return Err(ControlError::NotFound(format!("{path} is not served; use {}", self.path)));
        }
        if path != self.path {
            return Ok(axum::response::Redirect::permanent(self.path).into_response());
        }
        if ![Method::GET, Method::HEAD].contains(method) {
            let reason = format!("{method} {path} is not served; use GET");
            let mut response = ControlError::WrongMethod(reason).into_response();
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET,HEAD"));
            return Ok(response);
        }
        Ok((HEADERS, Body::from(self.page.clone())).into_response())
    }
}

impl hyper::service::Service<Request<RequestBody>> for Service {
    type Response = Response;
    type Error = std::convert::Infallible;
    type Future = Responding;

    fn call(&self, request: Request<RequestBody>) -> Responding {
        self.call(&request, request.uri().path())
    }
}
