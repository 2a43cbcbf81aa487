//! A client of the control API.

use std::{error::Error, io};

use bytes::Bytes;
use http::{Method, Request, Uri};
use http_body_util::{BodyExt, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::Value;
use thiserror::Error as ThisError;

use crate::base::{clock, diagnostics::Diagnostic, environment::Environment};

/// The variable that names the control API, and the port if it is not set.
const ENDPOINT: &str = "MYNAH_ENDPOINT";
const DEFAULT_PORT: &str = "3500";
/// Time that a sidecar has to answer.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(60);
/// The exit codes for wrong usage, and for a service that is not available, from `sysexits.h`.
const USAGE: u8 = 64;
const UNAVAILABLE: u8 = 69;

/// An error in the use of the control API.
#[derive(Debug, ThisError)]
pub(super) enum ControlClientError {
    /// The address is not a URL.
    #[error("invalid endpoint {0:?}: expected a URL, such as http://127.0.0.1:3500/mynah/v1")]
    Endpoint(String),
    /// Nothing listens at the address.
    #[error("nothing listens at {0}; start mynah there, or set another address with --endpoint")]
    NotListening(String),
    /// The sidecar cannot be reached.
    #[error("cannot call {uri}: {reason}")]
    Unavailable {
        /// The address.
        uri: Uri,
        /// What has failed.
        reason: String,
    },
    /// The sidecar rejects the request.
    #[error("{uri} answers with {status}: {message}")]
    Rejected {
        /// The address.
        uri: Uri,
        /// The HTTP status.
        status: u16,
        /// The message of the sidecar.
        message: String,
    },
    /// The answer is not what this version expects.
    #[error("the sidecar's answer cannot be read: {0}")]
    Answer(String),
    /// The file is invalid.
    #[error("the file is invalid")]
    File(Vec<Diagnostic>),
    /// The file expects nothing.
    #[error("{0} has no list `expect`")]
    NoExpectations(String),
}

impl ControlClientError {
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Endpoint(_) => USAGE,
            Self::NotListening(_) | Self::Unavailable { .. } => UNAVAILABLE,
            _ => 1,
        }
    }

    pub(super) fn diagnostics(&self) -> &[Diagnostic] {
        if let Self::File(errors) = self { errors } else { &[] }
    }
}

/// A client of the control API of one sidecar.
pub(super) struct ControlClient {
    endpoint: String,
    token: Option<String>,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl ControlClient {
    /// Creates a client for an address, or for that in the environment.
    pub(super) fn new(
        endpoint: Option<&str>,
        environment: &Environment,
    ) -> Result<Self, ControlClientError> {
        let variable = |name| environment.get(name).filter(|value| !value.is_empty());
        let endpoint = endpoint.or_else(|| variable(ENDPOINT)).map(str::to_owned);
        let endpoint = endpoint.unwrap_or_else(|| {
            let port = variable("DAPR_HTTP_PORT").unwrap_or(DEFAULT_PORT);
            format!("http://127.0.0.1:{port}/mynah/v1")
        });
        let is_http = |uri: &Uri| uri.scheme_str() == Some("http") && uri.host().is_some();
        if !endpoint.parse().is_ok_and(|uri| is_http(&uri)) {
            return Err(ControlClientError::Endpoint(endpoint));
        }
        let endpoint = endpoint.trim_end_matches('/').to_owned();
        let token = variable("DAPR_API_TOKEN").map(str::to_owned);
        let client = Client::builder(TokioExecutor::new()).build_http();
        Ok(Self { endpoint, token, client })
    }

    /// Gets a path. Fails unless the status is 200.
    pub(super) async fn get(&self, path: &str) -> Result<Value, ControlClientError> {
        let (status, uri, body) = self.send(Method::GET, path, Bytes::new()).await?;
        if status == 200 { Ok(body) } else { Err(rejected(uri, status, &body)) }
    }

    /// Posts JSON. The answer may have the status `accepted` instead of 200.
    pub(super) async fn post(
        &self,
        path: &str,
        body: String,
        accepted: u16,
    ) -> Result<Value, ControlClientError> {
        let (status, uri, answer) = self.send(Method::POST, path, body.into()).await?;
        let is_accepted = status == 200 || status == accepted;
        if is_accepted { Ok(answer) } else { Err(rejected(uri, status, &answer)) }
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<(u16, Uri, Value), ControlClientError> {
        let text = format!("{}{path}", self.endpoint);
        let uri: Uri = text.parse().map_err(|_| ControlClientError::Endpoint(text))?;
        let unavailable =
            |reason: String| ControlClientError::Unavailable { uri: uri.clone(), reason };
        let mut request = Request::builder().method(method).uri(uri.clone());
        if let Some(token) = &self.token {
            request = request.header("dapr-api-token", token);
        }
        let request = request.body(Full::new(body)).map_err(|it| unavailable(it.to_string()))?;
        let response = async {
            self.client.request(request).await.map_err(|error| match innermost(&error) {
                cause if is_refused(cause) => {
                    let authority = uri.authority().map(ToString::to_string);
                    ControlClientError::NotListening(authority.unwrap_or_default())
                }
                cause => unavailable(cause.to_string()),
            })
        };
        let answer = async {
            let response = response.await?;
            let status = response.status().as_u16();
            let body = response.into_body().collect().await;
            let body = body.map_err(|error| unavailable(innermost(&error).to_string()))?;
            let body = body.to_bytes();
            let text = || String::from_utf8_lossy(&body).into_owned().into();
            Ok((status, serde_json::from_slice(&body).unwrap_or_else(|_| text())))
        };
        let answered = clock::within(TIMEOUT, answer).await;
        let late = || Err(unavailable(format!("no answer within {TIMEOUT:?}")));
        let (status, body) = answered.unwrap_or_else(late)?;
        Ok((status, uri, body))
    }
}

fn rejected(uri: Uri, status: u16, body: &Value) -> ControlClientError {
    let message = body["error"].as_str().map_or_else(|| body.to_string(), str::to_owned);
    ControlClientError::Rejected { uri, status, message }
}

/// Returns the innermost cause, which names what has failed.
fn innermost<'e>(error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    error.source().map_or(error, innermost)
}

fn is_refused(cause: &(dyn Error + 'static)) -> bool {
    let error = cause.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}
