//! `http`: a participant that answers HTTP requests.

use std::{sync::Arc, time::Duration};

use mynah_agent::tools::{
    Allowed, Body, Header, HttpMethod, References, RequestSource, RequestTemplate, Time,
};
use mynah_core::base::{
    condition::TextCondition, environment::Environment, json_pointer::JsonPointer,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::PlannedParticipant;
use crate::{
    RunnerSettings,
    participants::{HttpAgent, HttpParticipant, Poll, TURN_FIELDS},
    plan::Checker,
};

const POLL_INTERVAL: Duration = Duration::from_millis(500);
const MIN_INTERVAL: Duration = Duration::from_millis(10);

/// An agent that answers HTTP requests, one for each turn. Expressions such as
/// {{ last.content }} may use conversation, last, unread, intents, role, turn and now.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HttpSource {
    /// Method. Default: POST.
    method: Option<HttpMethod>,
    /// URL. Expressions such as {{ conversation.id }} may follow the host; values are
    /// percent-encoded.
    #[schemars(regex(pattern = "^https?://[^/?#{]+([/?].*)?$"))]
    url: String,
    /// Headers of the request.
    #[serde(default)]
    headers: Vec<Header>,
    /// Body of the request, as JSON. Strings are templates, and a string that is a single
    /// expression stands for its value, such as a list. Default: no body.
    body: Option<Value>,
    /// JSON Pointer to the reply in the response: a text, a list of texts, or null for a pass.
    /// Default: the whole body is the text.
    reply: Option<JsonPointer>,
    /// How to wait for the reply of an agent that answers with the URL of a status.
    poll: Option<PollSource>,
    /// Addresses that requests may connect to: host:port, ip:port or cidr:port. Default: the host
    /// and port of the URL.
    allow: Option<Vec<Allowed>>,
}

/// How to wait for a reply. The status is requested until it is done.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PollSource {
    /// JSON Pointer to the URL of the status in the first response. The URL may be relative.
    url: JsonPointer,
    /// JSON Pointer to the state in the status, for `done` and `failed`. Default: /status.
    state: Option<JsonPointer>,
    /// A condition on the state. If it holds, the status has the reply. Default: the status is done
    /// when `reply` selects something in it.
    done: Option<TextCondition>,
    /// A condition on the state. If it holds, the agent has failed.
    failed: Option<TextCondition>,
    /// Time between two requests: at least 10ms. Default: 500ms.
    interval: Option<Time>,
}

/// Plans a participant that talks to an agent, whose keys are at a path in the file.
pub(super) fn http(
    source: HttpSource,
    retries: u32,
    path: &str,
    checker: &mut Checker<'_>,
) -> Option<PlannedParticipant> {
    let limit = checker.message_timeout;
    let agent = HttpAgent::check(source, retries, limit, &checker.environment);
    let invalid = |error| checker.error(&format!("{path}/http"), error);
    let agent = Arc::new(agent.map_err(invalid).ok()?);
    let planned = PlannedParticipant::new(move |role, _| {
        Ok(Box::new(HttpParticipant::new(role, agent.clone())))
    });
    Some(PlannedParticipant { is_external: true, ..planned })
}

/// An agent behind HTTP is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid agent: {0}")]
pub struct HttpAgentError(String);

impl HttpAgent {
    /// Creates an agent from the value of `http` in a simulation, such as
    /// `{"url": "http://127.0.0.1:8001/chat", "body": {"message": "{{ last.content }}"}, "reply": "/reply"}`.
    /// Headers may refer to environment variables.
    ///
    /// # Errors
    ///
    /// Fails if a key is unknown or a value is invalid.
    pub fn from_json(source: Value) -> Result<Self, HttpAgentError> {
        let source = serde_json::from_value(source).map_err(|error| error.to_string());
        let agent = source.and_then(|source| {
            Self::check(source, 0, RunnerSettings::default().message_timeout, &Environment::read())
        });
        agent.map_err(HttpAgentError)
    }

    /// Repeats a request this often if it fails and may succeed later.
    #[must_use]
    pub fn retries(self, retries: u32) -> Self {
        Self { retries, ..self }
    }

    /// Checks an agent. Returns what is wrong with it.
    fn check(
        source: HttpSource,
        retries: u32,
        turn_timeout: Duration,
        references: &dyn References,
    ) -> Result<Self, String> {
        let HttpSource { method, url, headers, body, reply, poll, allow } = source;
        let method = Some(method.unwrap_or(HttpMethod::Post));
        let source = RequestSource { method, url, headers, body: body.map(Body::Json) };
        let template = RequestTemplate::new(source, &TURN_FIELDS, references)?;
        let client = template.client(allow.as_deref())?;
        let reply = reply.map(|pointer| pointer.0);
        let poll = poll.map(|source| check_poll(source, reply.is_some())).transpose()?;
        Ok(Self { template, client, reply, poll, retries, turn_timeout })
    }
}

fn check_poll(source: PollSource, has_reply: bool) -> Result<Poll, String> {
    let PollSource { url, state, done, failed, interval } = source;
    if done.is_none() && !has_reply {
        return Err("poll needs `done`, or `reply` in the participant".to_owned());
    }
    let state = state.map_or_else(|| "/status".to_owned(), |pointer| pointer.0);
    let interval = interval.map_or(POLL_INTERVAL, |interval| interval.0);
    if interval < MIN_INTERVAL {
        return Err(format!("poll: the interval {interval:?} is too short; the minimum is 10ms"));
    }
    Ok(Poll { url: url.0, state, done, failed, interval })
}
