//! `/mynah/v1/sessions`: addresses that belong to one session each.

use axum::{
    extract::{Path, State, rejection::PathRejection},
    response::Response,
};
use http::{HeaderValue, StatusCode};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::{mpsc, oneshot};
use twox_hash::XxHash3_64;

use super::query::check_name;
use crate::{
    api::{http::response, pipeline::MAX_SESSION_NAME},
    base::endpoint::Endpoint,
    net::BindError,
    wire::error::ControlError,
};

/// Maximum number of requests that wait for the server.
const QUEUE: usize = 64;
/// Maximum number of sessions that have addresses.
pub(crate) const MAX_SESSIONS: usize = 1_000;

/// Asks the server to open and to close the addresses of sessions.
#[derive(Debug, Clone)]
pub(crate) struct SessionAddresses(mpsc::Sender<SessionRequest>);

/// What the server is asked for, with where to send the answer.
#[derive(Debug)]
pub(crate) enum SessionRequest {
    /// The addresses of a session, which are opened unless they are open.
    Open(SessionName, oneshot::Sender<Result<Addresses, OpenError>>),
    /// Closes the addresses of a session. The answer is whether it had any.
    Close(String, oneshot::Sender<bool>),
    /// The sessions that have addresses, by name.
    List(oneshot::Sender<Vec<OpenSession>>),
}

/// The name of a session, in the form of a header.
#[derive(Debug, Clone)]
pub(crate) struct SessionName {
    pub(crate) name: String,
    pub(crate) header: HeaderValue,
}

/// The reason why a session gets no addresses.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// Too many sessions have addresses.
    Full,
    /// An address cannot be bound.
    Bind(BindError),
}

/// The addresses of a session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Addresses {
    /// The address for gRPC.
    #[schemars(with = "String")]
    pub(crate) grpc: Endpoint,
    /// The address for HTTP.
    #[schemars(with = "String")]
    pub(crate) http: Endpoint,
}

/// A session that has addresses.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OpenSession {
    /// The name of the session.
    pub(crate) session: String,
    #[serde(flatten)]
    pub(crate) addresses: Addresses,
}

/// The sessions that have addresses.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OpenSessions {
    /// By name.
    sessions: Vec<OpenSession>,
}

impl SessionAddresses {
    /// Returns a handle to a server, and where the server gets its requests.
    pub(crate) fn new() -> (Self, mpsc::Receiver<SessionRequest>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        (Self(sender), receiver)
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> SessionRequest,
    ) -> Result<T, ControlError> {
        let (sender, answer) = oneshot::channel();
        let stopping = ControlError::Unavailable("mynah is stopping".to_owned());
        if self.0.send(request(sender)).await.is_err() {
            return Err(stopping);
        }
        answer.await.map_err(|_| stopping)
    }

    async fn list(&self) -> Result<Vec<OpenSession>, ControlError> {
        self.ask(SessionRequest::List).await
    }
}

impl SessionName {
    fn new(name: String) -> Result<Self, ControlError> {
        check_name("session", Some(&name))?;
        let header = HeaderValue::from_str(&name).map_err(|_| {
            ControlError::invalid(format!("session {name:?} must not have control characters"))
        })?;
        Ok(Self { name, header })
    }
}

impl From<OpenError> for ControlError {
    fn from(error: OpenError) -> Self {
        Self::Unavailable(match error {
            OpenError::Full => format!(
                "{MAX_SESSIONS} sessions have addresses, which is the limit; close those of sessions \
                 that have ended, with DELETE /mynah/v1/sessions/NAME"
            ),
            OpenError::Bind(error) => error.to_string(),
        })
    }
}

type Name = Result<Path<String>, PathRejection>;

/// Returns the name in a path. The end of a name that is too long is replaced with its hash.
fn name(path: Name) -> Result<String, ControlError> {
    let Path(name) = path.map_err(|error| ControlError::invalid(error.body_text()))?;
    if name.len() <= MAX_SESSION_NAME {
        return Ok(name);
    }
    let hash = format!("-{:016x}", XxHash3_64::oneshot(name.as_bytes()));
    let kept = name.floor_char_boundary(MAX_SESSION_NAME - hash.len());
    Ok(name[..kept].to_owned() + &hash)
}

/// Opens the addresses of a session. They stay the same until they are closed.
pub(super) async fn put(
    State(sessions): State<SessionAddresses>,
    path: Name,
) -> Result<Response, ControlError> {
    let name = SessionName::new(name(path)?)?;
    let session = name.name.clone();
    let addresses = sessions.ask(|answer| SessionRequest::Open(name, answer)).await??;
    Ok(response::json(json(&OpenSession { session, addresses })))
}

/// Returns the addresses of a session.
pub(super) async fn get(
    State(sessions): State<SessionAddresses>,
    path: Name,
) -> Result<Response, ControlError> {
    let name = name(path)?;
    let open = sessions.list().await?.into_iter().find(|open| open.session == name);
    let open = open.ok_or_else(|| no_addresses(&name))?;
    Ok(response::json(json(&open)))
}

/// Lists the sessions that have addresses.
pub(super) async fn list(
    State(sessions): State<SessionAddresses>,
) -> Result<Response, ControlError> {
    let sessions = OpenSessions { sessions: sessions.list().await? };
    Ok(response::json(json(&sessions)))
}

/// Closes the addresses of a session. Calls in flight finish.
pub(super) async fn delete(
    State(sessions): State<SessionAddresses>,
    path: Name,
) -> Result<StatusCode, ControlError> {
    let name = name(path)?;
    let request = |answer| SessionRequest::Close(name.clone(), answer);
    let was_open = sessions.ask(request).await?;
    if was_open { Ok(StatusCode::NO_CONTENT) } else { Err(no_addresses(&name)) }
}

fn no_addresses(name: &str) -> ControlError {
    ControlError::NotFound(format!("session {name:?} has no addresses"))
}

fn json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_default()
}
