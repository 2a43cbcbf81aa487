//! Checks the keys of an agent behind HTTP.

use std::time::Duration;

use serde_json::Value;

use super::{
    external::TURN_FIELDS,
    http::{HttpAgent, Poll},
};
use crate::{
    base::environment::Environment,
    simulate::{
        RunnerSettings,
        file::{HttpSource, PollSource},
    },
    tools::{Body, HttpMethod, References, RequestSource, RequestTemplate},
};

const POLL_INTERVAL: Duration = Duration::from_millis(500);
const MIN_INTERVAL: Duration = Duration::from_millis(10);

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
    pub(in crate::simulate) fn check(
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
