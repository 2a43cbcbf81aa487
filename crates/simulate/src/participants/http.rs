//! A participant that answers HTTP requests.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture};
use http::{HeaderValue, Request, Uri};
use http_body_util::Full;
use mynah_agent::{
    tool_loop::{ToolError, ToolErrorKind},
    tools::{HttpClient, RequestTemplate, Variables, read_reply, redirected},
};
use mynah_core::base::{
    clock::{pause, within},
    condition::TextCondition,
};
use serde_json::Value;

use super::external::{reply, turn_fields};
use crate::{Participant, ParticipantError, ParticipantRole, Reply, Turn};

/// A participant that answers HTTP requests, such as a real agent.
///
/// ```
/// use std::sync::Arc;
///
/// use mynah_simulate::{ParticipantRole, participants::{HttpAgent, HttpParticipant}};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = HttpAgent::from_json(serde_json::json!({
///     "url": "http://127.0.0.1:8001/chat",
///     "body": {"thread": "{{ conversation.id }}", "message": "{{ last.content }}"},
///     "reply": "/reply",
/// }))?;
/// let participant = HttpParticipant::new(ParticipantRole::Agent, Arc::new(agent.retries(1)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct HttpParticipant {
    agent: Arc<HttpAgent>,
    role: ParticipantRole,
}

/// An agent that answers HTTP requests. Its conversations share it.
#[derive(Debug)]
pub struct HttpAgent {
    pub(crate) template: RequestTemplate,
    pub(crate) client: HttpClient,
    /// JSON Pointer to the reply. `None` if the whole body is the reply.
    pub(crate) reply: Option<String>,
    pub(crate) poll: Option<Poll>,
    /// Number of times that a failed request is repeated.
    pub(crate) retries: u32,
    /// Maximum time for a turn, including retries.
    pub(crate) turn_timeout: Duration,
}

type HttpRequest = Request<Full<Bytes>>;

/// Time before a request is repeated, unless the turn is too short for it.
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// How to wait for the reply of an agent that answers with the URL of a status.
#[derive(Debug)]
pub(crate) struct Poll {
    /// JSON Pointer to the URL in the first response.
    pub(crate) url: String,
    /// JSON Pointer to the state in the status.
    pub(crate) state: String,
    pub(crate) done: Option<TextCondition>,
    pub(crate) failed: Option<TextCondition>,
    pub(crate) interval: Duration,
}

impl HttpParticipant {
    /// Creates a participant that talks to an agent.
    pub fn new(role: ParticipantRole, agent: Arc<HttpAgent>) -> Self {
        Self { agent, role }
    }
}

impl Participant for HttpParticipant {
    fn reply<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ParticipantError>> {
        async move {
            // Sent again, its own message would look like the other participant's.
            if !turn.has_unread(self.role) {
                return Ok(Reply::Pass);
            }
            let fields = turn_fields(&turn, self.role);
            let answer = self.agent.ask(&Variables::new(&fields)).await;
            reply(answer.map_err(ParticipantError::new)?, self.role)
        }
        .boxed()
    }

    fn is_external(&self) -> bool {
        true
    }
}

impl HttpAgent {
    async fn ask(&self, variables: &Variables) -> Result<Value, String> {
        let request = self.template.request(variables)?;
        let Some(poll) = &self.poll else { return self.send(request, self.reply.as_deref()).await };
        let first = self.send(request.clone(), Some("")).await?;
        let url = first.pointer(&poll.url).and_then(Value::as_str);
        let url = url.ok_or_else(|| format!("the response has no URL at {}", poll.url))?;
        let invalid = || format!("invalid status URL {url:?}");
        let location = resolve(request.uri(), url).ok_or_else(invalid)?;
        let status = redirected(request, SEE_OTHER, &location).map_err(|_| invalid())?;
        self.wait(poll, status).await
    }

    /// Requests the status until it has the reply.
    async fn wait(&self, poll: &Poll, request: HttpRequest) -> Result<Value, String> {
        loop {
            let mut status = self.send(request.clone(), Some("")).await?;
            let state = status.pointer(&poll.state).map(state_text).unwrap_or_default();
            if poll.failed.as_ref().is_some_and(|failed| failed.holds(&state)) {
                return Err(format!("the agent has failed: its state is {state:?}"));
            }
            let pointer = self.reply.as_deref().unwrap_or_default();
            let found = status.pointer_mut(pointer).map(Value::take);
            match (&poll.done, found) {
                (Some(done), found) if done.holds(&state) => {
                    return found.ok_or_else(|| format!("the status has no {pointer}"));
                }
                (None, Some(found)) if !found.is_null() => return Ok(found),
                _ => pause(poll.interval).await,
            }
        }
    }

    /// Sends a request, again if it fails and may succeed later. Returns what the pointer selects in
    /// the response.
    async fn send(&self, request: HttpRequest, pointer: Option<&str>) -> Result<Value, String> {
        // A request without an answer must leave time for the retries.
        let share = self.turn_timeout / self.retries.saturating_add(1);
        let rest = RETRY_PAUSE.min(share / 4);
        for _ in 0..self.retries {
            match within(share - rest, self.try_send(request.clone(), pointer)).await {
                Some(Ok(answer)) => return Ok(answer),
                Some(Err(error)) if error.kind() != ToolErrorKind::Transient => {
                    return Err(error.to_string());
                }
                Some(Err(_)) | None => pause(rest).await,
            }
        }
        self.try_send(request, pointer).await.map_err(|error| error.to_string())
    }

    async fn try_send(
        &self,
        request: HttpRequest,
        pointer: Option<&str>,
    ) -> Result<Value, ToolError> {
        let response = self.client.send(request).await.map_err(ToolError::new)?;
        read_reply(response, pointer, &Arc::default()).await
    }
}

/// The status with which a response says that the answer is elsewhere.
const SEE_OTHER: u16 = 303;

/// Resolves a URL that may be relative, as in RFC 3986, except that it keeps `..`.
fn resolve(base: &Uri, url: &str) -> Option<HeaderValue> {
    let path = base.path();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let absolute = match url {
        "" => return None,
        _ if url.starts_with('/') || url.contains("://") => url.to_owned(),
        _ if url.starts_with('?') => format!("{path}{url}"),
        _ => format!("{folder}/{}", url.strip_prefix("./").unwrap_or(url)),
    };
    HeaderValue::from_str(&absolute).ok()
}

fn state_text(state: &Value) -> String {
    state.as_str().map_or_else(|| state.to_string(), str::to_owned)
}
