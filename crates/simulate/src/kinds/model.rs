//! `component` and `sidecar`: a participant that is a model.

use std::{path::PathBuf, sync::Arc};

use mynah_agent::tool_loop::{LoopSettings, ToolLoop};
use mynah_core::provider::Provider;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    examples::Examples,
    planned::{Kind, PlannedParticipant, Start},
    retrying::RetryingModel,
};
use crate::{
    Model, ParticipantRole,
    file::{Count, ModelRef},
    participants::ModelParticipant,
    plan::{Checker, PlannedTools},
};

/// The number of examples, unless the file sets it.
const EXAMPLES: u32 = 3;

/// The keys of a model that plays a participant.
#[derive(Debug)]
pub(super) struct ModelKeys {
    pub(super) model: ModelRef,
    pub(super) persona: Option<String>,
    pub(super) system: Option<String>,
    pub(super) instructions: Option<String>,
    pub(super) tools: Option<PathBuf>,
    pub(super) examples: Option<ExamplesKeys>,
    pub(super) retries: u32,
}

/// Recorded conversations as examples.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExamplesSource")]
pub(super) struct ExamplesKeys {
    /// The file, .json or .csv, relative to this file.
    from: PathBuf,
    /// Number of conversations. Those whose words are nearest to the intents are taken. Default: 3.
    number: Option<Count<1, 100>>,
}

/// A checked model that plays a participant.
struct Speaker {
    model: Arc<dyn Model>,
    persona: Option<String>,
    system: Option<String>,
    instructions: Option<String>,
    tools: Option<Arc<PlannedTools>>,
    examples: Option<Examples>,
    retries: u32,
}

impl Kind for ModelKeys {
    fn check(self: Box<Self>, path: &str, checker: &mut Checker<'_>) -> Option<PlannedParticipant> {
        let Self { model, persona, system, instructions, tools, examples, retries } = *self;
        let model = checker.model(model, path);
        let tools = match tools {
            Some(file) => Some(checker.tools(&file, &format!("{path}/tools"))?),
            None => None,
        };
        let examples = match examples {
            Some(ExamplesKeys { from, number }) => {
                let recording = checker.recording(&from, None, &format!("{path}/examples/from"))?;
                let number = number.map_or(EXAMPLES, |number| number.0) as usize;
                Some(Examples::new(recording, number))
            }
            None => None,
        };
        let (model, shared) = (model?, tools.clone());
        let is_external = model.is_external();
        let connected = Some(model.clone());
        let speaker = Speaker { model, persona, system, instructions, tools, examples, retries };
        let planned =
            PlannedParticipant::new(move |role, start| Ok(Box::new(speaker.build(role, start)?)));
        Some(PlannedParticipant { is_external, model: connected, tools: shared, ..planned })
    }
}

impl Speaker {
    fn build(&self, role: ParticipantRole, start: &Start<'_>) -> Result<ModelParticipant, String> {
        let (model, tools) = self.with_tools()?;
        let model = match self.retries {
            0 => model,
            retries => Arc::new(RetryingModel { model, retries }),
        };
        let participant = ModelParticipant::new(role, model).external(self.model.is_external());
        let participant = tools.into_iter().fold(participant, ModelParticipant::tools);
        let participant = self.persona.iter().fold(participant, ModelParticipant::persona);
        let participant = self.system.iter().fold(participant, ModelParticipant::system);
        let participant =
            self.instructions.iter().fold(participant, ModelParticipant::instructions);
        let examples = self.examples.iter().flat_map(|it| it.nearest(start));
        let examples = examples.map(|example| format!("Example: {example}"));
        Ok(examples.fold(participant, ModelParticipant::system))
    }

    /// Returns the model with a loop of the tools of the participant and of its component, which run
    /// here, so that messages have the calls, and tools know the conversation. Its caches and circuit
    /// breakers belong to one conversation.
    fn with_tools(&self) -> Result<(Arc<dyn Provider>, Option<ToolLoop>), String> {
        let (model, own) = self.model.without_tools();
        let given = self.tools.as_ref().map(|tools| tools.registry());
        if given.is_none() && own.is_none() {
            return Ok((model, None));
        }
        let (own, settings) = own.unwrap_or_else(|| (Default::default(), LoopSettings::default()));
        let mut registry = given.unwrap_or_default();
        registry.add_missing(&own);
        let tools = ToolLoop::new(registry, settings).map_err(|error| error.to_string())?;
        Ok((model, Some(tools)))
    }
}
