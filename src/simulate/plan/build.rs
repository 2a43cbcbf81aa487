//! Builds the participants of a conversation.

use std::sync::Arc;

use mynah_core::provider::Provider;

use super::participants::{PlannedKind, PlannedParticipant, PlannedSpeaker, PlannedTools};
use crate::{
    simulate::{
        Conversation, Intent, Participant, ParticipantRole,
        participants::{
            CommandParticipant, EchoParticipant, HttpParticipant, ModelParticipant, RetryingModel,
            Script, Typing,
        },
    },
    tool_loop::{LoopSettings, ToolLoop, ToolRegistry},
};

impl PlannedParticipant {
    /// Connects to what the participant needs. Fails with a message.
    pub(super) async fn connect(&self) -> Result<(), String> {
        let PlannedKind::Model(speaker) = &self.kind else { return Ok(()) };
        speaker.connected().await.map(drop)
    }

    /// Returns the participant of a conversation with these intents. Fails with a message.
    pub(super) async fn build(
        &self,
        role: ParticipantRole,
        recorded: Option<&Conversation>,
        intents: &[Intent],
    ) -> Result<Box<dyn Participant>, String> {
        let participant: Box<dyn Participant> = match &self.kind {
            PlannedKind::Script(steps) => Box::new(Script::new(role, steps.clone())),
            PlannedKind::Echo => Box::new(EchoParticipant(role)),
            PlannedKind::Model(model) => Box::new(model.build(role, recorded, intents).await?),
            PlannedKind::Http(agent) => Box::new(HttpParticipant::new(role, agent.clone())),
            PlannedKind::Command(argv) => Box::new(CommandParticipant::run(role, argv.clone())),
            PlannedKind::Replay => {
                let recorded = recorded.ok_or("there is no recorded conversation to replay")?;
                Box::new(Script::replay(role, recorded))
            }
        };
        Ok(match self.typing {
            Some(per_character) => Box::new(Typing::new(participant, per_character)),
            None => participant,
        })
    }
}

impl PlannedSpeaker {
    async fn build(
        &self,
        role: ParticipantRole,
        recorded: Option<&Conversation>,
        intents: &[Intent],
    ) -> Result<ModelParticipant, String> {
        let (model, tools) = self.connected().await?;
        let model = match self.retries {
            0 => model,
            retries => Arc::new(RetryingModel { model, retries }),
        };
        let is_external = self.model.is_external();
        let mut participant = ModelParticipant::new(role, model).external(is_external);
        if let Some(tools) = tools {
            participant = participant.tools(tools);
        }
        if let Some(persona) = &self.persona {
            participant = participant.persona(persona);
        }
        if let Some(system) = &self.system {
            participant = participant.system(system);
        }
        if let Some(instructions) = &self.instructions {
            participant = participant.instructions(instructions);
        }
        let examples = self.examples.as_ref();
        for example in examples.into_iter().flat_map(|it| it.nearest(intents, recorded)) {
            participant = participant.system(format!("Example: {example}"));
        }
        Ok(participant)
    }

    /// Connects the model, and returns it with a loop of the tools of the participant and of its
    /// component, which run here, so that messages have the calls, and tools know the conversation. Its
    /// caches and circuit breakers belong to one conversation.
    async fn connected(&self) -> Result<(Arc<dyn Provider>, Option<ToolLoop>), String> {
        self.model.connect().await?;
        let (model, own) = self.model.without_tools();
        let given = match &self.tools {
            Some(tools) => Some(tools.connected().await?),
            None => None,
        };
        let (registry, settings) = match (given, own) {
            (None, None) => return Ok((model, None)),
            (Some(given), None) => (given, LoopSettings::default()),
            (given, Some((own, settings))) => {
                let mut registry = given.unwrap_or_default();
                registry.add_missing(&own);
                (registry, settings)
            }
        };
        let tools = ToolLoop::new(registry, settings);
        tools.map(|tools| (model, Some(tools))).map_err(|error| error.to_string())
    }
}

impl PlannedTools {
    async fn connected(&self) -> Result<ToolRegistry, String> {
        let connect = || async { (*self.checked).clone().connect().await };
        let registry = self.registry.get_or_try_init(connect).await;
        registry.cloned().map_err(|error| format!("tools: {}", error.message))
    }
}
