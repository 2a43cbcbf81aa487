//! The participants of a plan.

use std::{sync::Arc, time::Duration};

use tokio::sync::OnceCell;

use super::{
    models::{self, PlannedModel},
    report::Report,
    resources::Resources,
};
use crate::{
    simulate::{
        file::{Definition, HttpSource, Kind, ModelSource, PollSource, Said, Step},
        participants::{HttpAgent, Poll, ScriptStep, TURN_FIELDS},
    },
    tool_loop::ToolRegistry,
    tools::{Argv, Body, CheckedTools, HttpMethod, RequestSource, RequestTemplate},
};

/// A checked participant, from which each conversation gets its own.
pub(super) struct PlannedParticipant {
    pub(super) kind: PlannedKind,
    /// The virtual time for each character.
    pub(super) typing: Option<Duration>,
}

/// Where the messages of a participant come from.
pub(super) enum PlannedKind {
    Script(Arc<[ScriptStep]>),
    Echo,
    Model(Box<PlannedSpeaker>),
    Http(Arc<HttpAgent>),
    Command(Arc<Argv>),
    Replay,
}

impl PlannedKind {
    /// Returns `true` if the participant is outside of this process.
    pub(super) fn is_external(&self) -> bool {
        match self {
            Self::Http(_) | Self::Command(_) => true,
            Self::Model(speaker) => speaker.model.is_external(),
            Self::Script(_) | Self::Echo | Self::Replay => false,
        }
    }
}

/// A model that plays a participant.
pub(super) struct PlannedSpeaker {
    pub(super) model: PlannedModel,
    pub(super) persona: Option<String>,
    pub(super) system: Option<String>,
    pub(super) instructions: Option<String>,
    pub(super) tools: Option<PlannedTools>,
    /// Recorded conversations as text.
    pub(super) examples: Vec<String>,
    pub(super) retries: u32,
}

/// The tools in a file, and the registry when their servers are connected.
pub(super) struct PlannedTools {
    pub(super) checked: Arc<CheckedTools>,
    pub(super) registry: OnceCell<ToolRegistry>,
}

const POLL_INTERVAL: Duration = Duration::from_millis(500);
const MIN_INTERVAL: Duration = Duration::from_millis(10);
const EXAMPLES: u32 = 3;

/// Checks a participant, which is at a path in the file.
pub(super) fn plan(
    definition: Definition,
    path: &str,
    resources: &mut Resources<'_>,
    report: &mut Report<'_>,
) -> Option<PlannedParticipant> {
    let Definition { kind, typing } = definition;
    let kind = match kind {
        Kind::Script(steps) => PlannedKind::Script(steps.into_iter().map(script_step).collect()),
        Kind::Echo => PlannedKind::Echo,
        Kind::Model(source) => {
            PlannedKind::Model(Box::new(model(*source, path, resources, report)?))
        }
        Kind::Http(source, retries) => match http(*source, retries, resources) {
            Ok(agent) => PlannedKind::Http(Arc::new(agent)),
            Err(error) => {
                report.error(&format!("{path}/http"), error);
                return None;
            }
        },
        Kind::Command(argv) => PlannedKind::Command(Arc::new(argv)),
        Kind::Replay => PlannedKind::Replay,
    };
    let typing = typing.map(|typing| typing.per_character.0);
    Some(PlannedParticipant { kind, typing })
}

fn model(
    source: ModelSource,
    path: &str,
    resources: &mut Resources<'_>,
    report: &mut Report<'_>,
) -> Option<PlannedSpeaker> {
    let ModelSource { model, persona, system, instructions, tools, examples, retries } = source;
    let model = models::plan(model, path, resources, report);
    let tools = match tools {
        Some(file) => {
            let checked = resources.tools(&file, &format!("{path}/tools"), report)?;
            Some(PlannedTools { checked, registry: OnceCell::new() })
        }
        None => None,
    };
    let examples = match examples {
        Some(examples) => {
            let path = format!("{path}/examples/file");
            let recording = resources.recording(&examples.file, None, &path, report)?;
            let count = examples.count.map_or(EXAMPLES, |count| count.0) as usize;
            let texts = (0..count).map_while(|number| recording.get(number));
            texts.map(|original| original.conversation.to_string()).collect()
        }
        None => Vec::new(),
    };
    Some(PlannedSpeaker { model: model?, persona, system, instructions, tools, examples, retries })
}

fn script_step(step: Step) -> ScriptStep {
    match step {
        Step::Pass => ScriptStep::Pass,
        Step::Say(Said { text, delay }) => {
            ScriptStep::Say { text, delay: delay.map_or(Duration::ZERO, |delay| delay.0) }
        }
    }
}

/// Checks an agent. Returns what is wrong with it.
fn http(source: HttpSource, retries: u32, resources: &Resources<'_>) -> Result<HttpAgent, String> {
    let HttpSource { method, url, headers, body, reply, poll, allow } = source;
    let body =
        body.as_ref().map(Body::json).transpose().map_err(|error| format!("body: {error}"))?;
    let method = Some(method.unwrap_or(HttpMethod::Post));
    let source = RequestSource { method, url, headers, body };
    let template = RequestTemplate::new(source, &TURN_FIELDS, resources.environment())?;
    let client = template.client(allow.as_deref())?;
    let reply = reply.map(|pointer| pointer.0);
    let poll = poll.map(|source| check_poll(source, reply.is_some())).transpose()?;
    let turn_timeout = resources.message_timeout();
    Ok(HttpAgent { template, client, reply, poll, retries, turn_timeout })
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
