//! The participants of a plan.

use std::{sync::Arc, time::Duration};

use tokio::sync::OnceCell;

use super::{examples::Examples, models, report::Report, resources::Resources};
use crate::{
    simulate::{
        Model,
        file::{Definition, Kind, ModelSource, Said, Step},
        participants::{HttpAgent, ScriptStep},
    },
    tool_loop::ToolRegistry,
    tools::{Argv, CheckedTools},
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
    pub(super) model: Arc<dyn Model>,
    pub(super) persona: Option<String>,
    pub(super) system: Option<String>,
    pub(super) instructions: Option<String>,
    pub(super) tools: Option<PlannedTools>,
    pub(super) examples: Option<Examples>,
    pub(super) retries: u32,
}

/// The tools in a file, and the registry when their servers are connected.
pub(super) struct PlannedTools {
    pub(super) checked: Arc<CheckedTools>,
    pub(super) registry: OnceCell<ToolRegistry>,
}

/// The number of examples, unless the file sets it.
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
        Kind::Http(source, retries) => {
            let (limit, environment) = (resources.message_timeout(), resources.environment());
            match HttpAgent::check(*source, retries, limit, environment) {
                Ok(agent) => PlannedKind::Http(Arc::new(agent)),
                Err(error) => {
                    report.error(&format!("{path}/http"), error);
                    return None;
                }
            }
        }
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
            let path = format!("{path}/examples/from");
            let recording = resources.recording(&examples.from, None, &path, report)?;
            let number = examples.number.map_or(EXAMPLES, |number| number.0) as usize;
            Some(Examples::new(recording, number))
        }
        None => None,
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
