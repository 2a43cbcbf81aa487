//! A server that is called over HTTP.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, Uri,
    header::{ACCEPT, CONTENT_TYPE},
};
use http_body_util::Full;
use hyper::body::Incoming;
use mynah_core::base::{
    blocking::{LARGE, run_blocking},
    json_size::decoded_size,
    memory::Reservation,
};
use rmcp::{
    model::{
        ClientJsonRpcMessage, ClientRequest, ErrorData, GetExtensions, RequestId,
        ServerJsonRpcMessage,
    },
    transport::{
        StreamableHttpClientTransport,
        common::client_side_sse::FixedInterval,
        streamable_http_client::{
            SseError, StreamableHttpClient, StreamableHttpClientTransportConfig,
            StreamableHttpError, StreamableHttpPostResponse,
        },
    },
};
use sse_stream::Sse;
use thiserror::Error as ThisError;

use crate::tools::{
    self,
    http::{Events, HttpClient, Incomplete, incomplete, read_body, status_error},
};

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const JSON: &str = "application/json";
const EVENT_STREAM: &str = "text/event-stream";
/// Maximum number of calls that wait for the head of a response.
const MAX_CONCURRENT_REQUESTS: usize = 1_000;
/// Number of attempts to resume a stream.
const MAX_RESUMPTIONS: usize = 3;

/// A URL, the headers of all requests and the client that makes them.
#[derive(Debug, Clone)]
pub(super) struct HttpEndpoint {
    pub(super) url: Uri,
    pub(super) headers: HeaderMap,
    pub(super) client: HttpClient,
}

/// The reason why a request failed.
#[derive(Debug, ThisError)]
#[error("{0}")]
pub(super) struct HttpFailure(pub(super) String);

#[expect(clippy::disallowed_types, reason = "rmcp has it, and the order of headers has no meaning")]
type Headers = std::collections::HashMap<HeaderName, HeaderValue>;
type Result<T, E = StreamableHttpError<HttpFailure>> = std::result::Result<T, E>;

impl HttpEndpoint {
    /// Creates a transport, whose task belongs to the current runtime.
    pub(super) fn connect(&self) -> StreamableHttpClientTransport<Self> {
        let mut retries = FixedInterval::default();
        retries.max_times = Some(MAX_RESUMPTIONS);
        let mut config = StreamableHttpClientTransportConfig::with_uri(self.url.to_string())
            .max_concurrent_requests(MAX_CONCURRENT_REQUESTS);
        config.retry_config = Arc::new(retries);
        StreamableHttpClientTransport::with_client(self.clone(), config)
    }

    async fn send(
        &self,
        method: Method,
        protocol_headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>,
        body: Vec<u8>,
    ) -> Result<Response<Incoming>> {
        let mut request = Request::new(Full::from(body));
        *request.method_mut() = method;
        *request.uri_mut() = self.url.clone();
        let headers = request.headers_mut();
        headers.clone_from(&self.headers);
        headers.extend(protocol_headers);
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        if *request.method() == Method::POST {
            request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        }
        self.client.send(request).await.map_err(failure)
    }
}

impl StreamableHttpClient for HttpEndpoint {
    type Error = HttpFailure;

    async fn post_message(
        &self,
        _: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse> {
        let has_session = session.is_some();
        let headers = headers.into_iter().chain(session_header(session)?);
        let response = self.send(Method::POST, headers, serde_json::to_vec(&message)?).await?;
        match response.status().as_u16() {
            202 | 204 => return Ok(StreamableHttpPostResponse::Accepted),
            404 if has_session => return Err(StreamableHttpError::SessionExpired),
            _ => {}
        }
        let session = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok());
        let session = session.map(str::to_owned);
        let ClientJsonRpcMessage::Request(request) = message else {
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        let memory = memory_of(&request.request);
        if response.status().is_success() && has_type(&response, EVENT_STREAM) {
            let events = read_events(response, Some(request.id), memory).map_err(failure)?;
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        Ok(StreamableHttpPostResponse::Json(read_message(response, &memory).await?, session))
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<()> {
        let headers = headers.into_iter().chain(session_header(Some(session))?);
        self.send(Method::DELETE, headers, Vec::new()).await.map(drop)
    }

    /// Resumes a stream. Does not open a stream for messages that belong to no call, because mynah
    /// ignores them.
    async fn get_stream(
        &self,
        _: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<Events> {
        let last_event = last_event.ok_or(StreamableHttpError::ServerDoesNotSupportSse)?;
        let last_event = header_value(&last_event)?;
        let headers = headers.into_iter().chain(session_header(session)?);
        let headers = headers.chain([(LAST_EVENT_ID, last_event)]);
        let response = self.send(Method::GET, headers, Vec::new()).await?;
        if !response.status().is_success() || !has_type(&response, EVENT_STREAM) {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        read_events(response, None, Arc::default()).map_err(failure)
    }
}

/// Returns the memory of the call that makes a request. Others are not charged.
fn memory_of(request: &ClientRequest) -> Arc<Reservation> {
    request.extensions().get::<Arc<Reservation>>().cloned().unwrap_or_default()
}

fn failure(reason: String) -> StreamableHttpError<HttpFailure> {
    StreamableHttpError::Client(HttpFailure(reason))
}

fn header_value(text: &str) -> Result<HeaderValue> {
    text.parse().map_err(|_| failure(format!("invalid id {text:?}")))
}

fn session_header(session: Option<Arc<str>>) -> Result<Option<(HeaderName, HeaderValue)>> {
    session.map(|id| Ok((SESSION_ID, header_value(&id)?))).transpose()
}

fn has_type(response: &Response<Incoming>, expected: &str) -> bool {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(expected))
}

/// Parses a message, on a blocking thread if it is large.
async fn parse(body: Bytes) -> Result<serde_json::Result<ServerJsonRpcMessage>> {
    if body.len() <= LARGE {
        return Ok(serde_json::from_slice(&body));
    }
    let parsed = run_blocking(move || serde_json::from_slice(&body)).await;
    parsed.map_err(|_| failure("the response cannot be read".to_owned()))
}

/// Reads a message. With an error status, it may be a JSON-RPC error.
async fn read_message(
    response: Response<Incoming>,
    memory: &Reservation,
) -> Result<ServerJsonRpcMessage> {
    let has_json = has_type(&response, JSON);
    let (head, body) = read_body(response, memory).await.map_err(failure)?;
    let body = Bytes::from(body);
    let message = if has_json {
        let grown = memory.grow(decoded_size(&body)).await;
        grown.map_err(|error| failure(error.to_string()))?;
        Some(parse(body.clone()).await?)
    } else {
        None
    };
    match message.transpose() {
        Ok(Some(message)) if head.status.is_success() => Ok(message),
        Ok(Some(message @ ServerJsonRpcMessage::Error(_))) => Ok(message),
        _ if !head.status.is_success() => Err(failure(status_error(&head, &body))),
        Err(error) => Err(failure(format!("the response is not a message of MCP: {error}"))),
        Ok(_) => Err(failure("the response is neither JSON nor a stream of events".to_owned())),
    }
}

/// Reads events. If they are too long, or there is no memory for them, the last one is an error for the
/// request.
fn read_events(
    response: Response<Incoming>,
    request: Option<RequestId>,
    memory: Arc<Reservation>,
) -> Result<Events, String> {
    let events = tools::http::read_events(response, memory)?;
    Ok(events.map(move |event| event.or_else(|error| replace(error, request.as_ref()))).boxed())
}

/// Replaces the error of a response that cannot be kept, because the transport would drop the reason.
fn replace(error: SseError, request: Option<&RequestId>) -> Result<Sse, SseError> {
    let (Some(reason), Some(id)) = (incomplete(&error), request) else { return Err(error) };
    let reason = match reason {
        Incomplete::TooLong | Incomplete::Memory(_) => reason.to_string(),
        Incomplete::Broken => return Err(error),
    };
    let reason = ErrorData::internal_error(reason, None);
    let message = ServerJsonRpcMessage::error(reason, Some(id.clone()));
    serde_json::to_string(&message).map(|text| Sse::default().data(text)).map_err(|_| error)
}
