//! Builds the participants of a conversation.

use std::{sync::Arc, time::Duration};

use super::participants::{
    PlannedKind, PlannedModel, PlannedParticipant, PlannedProvider, PlannedTools,
};
use crate::{
    client::RemoteComponent,
    component::ToolsSpec,
    provider::Provider,
    simulate::{
        Conversation, Participant, ParticipantRole,
        participants::{
            CommandParticipant, EchoParticipant, HttpParticipant, ModelParticipant, RetryingModel,
            Script, Typing,
        },
    },
    tool_loop::{LoopSettings, OwnerMetrics, ToolLoop, ToolRegistry},
};

/// What all conversations share.
pub(super) struct Shared {
    pub(super) metrics: OwnerMetrics,
    /// The time limit of judges.
    pub(super) message_timeout: Duration,
    /// Dapr's API token, for sidecars.
    pub(super) token: Option<String>,
}

impl PlannedParticipant {
    /// Connects to what the participant needs. Fails with a message.
    pub(super) async fn connect(&self, shared: &Shared) -> Result<(), String> {
        let PlannedKind::Model(model) = &self.kind else { return Ok(()) };
        model.tool_loop().await?;
        model.model.provider(shared).await.map(drop)
    }

    /// Returns the participant of a conversation. Fails with a message.
    pub(super) async fn build(
        &self,
        role: ParticipantRole,
        recorded: Option<&Conversation>,
        shared: &Shared,
    ) -> Result<Box<dyn Participant>, String> {
        let participant: Box<dyn Participant> = match &self.kind {
            PlannedKind::Script(steps) => Box::new(Script::new(role, steps.clone())),
            PlannedKind::Echo => Box::new(EchoParticipant(role)),
            PlannedKind::Model(model) => Box::new(model.build(role, shared).await?),
            PlannedKind::Http(agent) => Box::new(HttpParticipant::new(agent.clone(), role)),
            PlannedKind::Command(argv) => Box::new(CommandParticipant::new(argv.clone(), role)),
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

impl PlannedModel {
    async fn build(
        &self,
        role: ParticipantRole,
        shared: &Shared,
    ) -> Result<ModelParticipant, String> {
        let model = self.model.provider(shared).await?;
        let model = match self.retries {
            0 => model,
            retries => Arc::new(RetryingModel { model, retries }),
        };
        let is_external = matches!(self.model, PlannedProvider::Sidecar(..));
        let mut participant = ModelParticipant::new(role, model).external(is_external);
        if let Some(tools) = self.tool_loop().await? {
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
        for example in &self.examples {
            participant = participant.system(format!("Example: {example}"));
        }
        Ok(participant)
    }

    /// Returns a loop with the tools of the participant and of its component. Its caches and circuit
    /// breakers belong to one conversation.
    async fn tool_loop(&self) -> Result<Option<ToolLoop>, String> {
        let given = match &self.tools {
            Some(tools) => Some(tools.connected().await?),
            None => None,
        };
        let (registry, settings) = match (given, self.model.own_tools().await?) {
            (None, None) => return Ok(None),
            (Some(given), None) => (given, LoopSettings::default()),
            (given, Some((own, settings))) => {
                let mut registry = given.unwrap_or_default();
                registry.add_missing(&own);
                (registry, settings)
            }
        };
        let tools = ToolLoop::new(registry, settings);
        tools.map(Some).map_err(|error| error.to_string())
    }
}

impl PlannedTools {
    async fn connected(&self) -> Result<ToolRegistry, String> {
        let connect = || async { (*self.checked).clone().connect().await };
        let registry = self.registry.get_or_try_init(connect).await;
        registry.cloned().map_err(|error| format!("tools: {}", error.message))
    }
}

impl PlannedProvider {
    /// Returns the tools that a component owns, which run in the loop of the participant, so that
    /// messages have the calls, and tools know the conversation.
    async fn own_tools(&self) -> Result<Option<(ToolRegistry, LoopSettings)>, String> {
        let Self::Component(spec) = self else { return Ok(None) };
        spec.connect().await.map_err(|error| error.message)?;
        Ok(spec.tools.as_ref().map(ToolsSpec::own_loop))
    }

    /// Returns the model of a conversation, without the tools of the component. A component shares no
    /// state with those of others.
    async fn provider(&self, shared: &Shared) -> Result<Arc<dyn Provider>, String> {
        match self {
            Self::Component(spec) => {
                spec.connect().await.map_err(|error| error.message)?;
                Ok(spec.build_model(&shared.metrics))
            }
            Self::Sidecar(source, connected) => {
                let (component, token) = (source.component.as_deref(), shared.token.as_deref());
                let connect = || RemoteComponent::connect(&source.address, component, token);
                let connect = || async { connect().await.map(Arc::new) };
                let connected = connected.get_or_try_init(connect).await;
                Ok(connected.map_err(|error| error.to_string())?.clone())
            }
        }
    }
}
