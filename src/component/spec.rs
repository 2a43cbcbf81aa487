//! Checked components.

use std::{any::Any, fmt, sync::Arc};

use super::{context::StandIn, tools::ToolsSpec};
use crate::{
    base::diagnostics::Diagnostic,
    pii::Scrubber,
    provider::{
        Provider,
        echo::Echo,
        faults::Faults,
        scripted::{Rules, ScriptedSettings, rules::SessionRules},
    },
    tool_loop::OwnerMetrics,
};

/// A checked component.
#[derive(Debug, Clone)]
pub struct ComponentSpec {
    /// The name that clients use.
    pub name: String,
    /// The type as written, such as `conversation.echo`.
    pub kind: String,
    /// The version as written. May be empty.
    pub version: String,
    /// The scrubber, used if a request asks for personal data to be scrubbed.
    pub scrubber: Scrubber,
    /// The faults of its calls.
    pub(crate) faults: Faults,
    /// Whether the tool calls and results in a history must match.
    pub(crate) has_strict_history: bool,
    /// The settings of the provider.
    pub provider: Arc<dyn ProviderSpec>,
    /// The tools that the component owns.
    pub tools: Option<ToolsSpec>,
    /// The component that the provider falls back to.
    pub fallback: Option<Arc<Self>>,
    /// The stand-in, if mynah does not support the type.
    pub stand_in: Option<StandIn>,
    /// Whether only the daprd has it that calls real models.
    pub(crate) is_of_daprd: bool,
}

impl ComponentSpec {
    /// Uses the connections of another component if both own the same tools.
    pub(crate) fn share_connections(&self, other: &Self) {
        if let (Some(tools), Some(others)) = (&self.tools, &other.tools) {
            tools.share_connections(others);
        }
    }

    /// Returns `true` if the component follows rules or instruction chains.
    pub(crate) fn follows_scripts(&self) -> bool {
        self.provider.script().is_some()
    }

    /// Returns `true` if the component is skipped when its tools cannot be used.
    pub(super) fn ignores_errors(&self) -> bool {
        self.tools.as_ref().is_some_and(|tools| tools.ignore_errors)
    }

    /// Connects the servers whose tools the component owns.
    ///
    /// # Errors
    ///
    /// Fails if a server cannot be used.
    pub(crate) async fn connect(&self) -> Result<(), Diagnostic> {
        let Some(tools) = &self.tools else { return Ok(()) };
        tools.connect().await.map_err(|error| Diagnostic {
            message: format!("component {}: {}", self.name, error.message),
            ..error
        })
    }

    /// Builds the provider, which counts the calls of its tools in `metrics` and follows the rules of
    /// sessions.
    pub(crate) fn build_provider(
        &self,
        metrics: &OwnerMetrics,
        session_rules: &Arc<SessionRules>,
    ) -> Arc<dyn Provider> {
        let provider = self.build_model(metrics, session_rules);
        match &self.tools {
            Some(tools) => Arc::new(tools.give_to(provider, &self.name, metrics)),
            None => provider,
        }
    }

    /// Builds the provider without the tools of the component, for callers that run the
    /// [tools](ToolsSpec::own_loop) themselves. `metrics` is for the tools of its fallback.
    pub(crate) fn build_model(
        &self,
        metrics: &OwnerMetrics,
        session_rules: &Arc<SessionRules>,
    ) -> Arc<dyn Provider> {
        let fallback = self.fallback.as_ref();
        let fallback = fallback.map(|it| it.build_provider(metrics, session_rules));
        self.provider.build(&self.name, fallback, session_rules)
    }
}

// Not derived, because the derived code does not compile for `Arc<dyn …>` (rust-lang/rust#31740).
impl PartialEq for ComponentSpec {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            name,
            kind,
            version,
            scrubber,
            faults,
            has_strict_history,
            provider,
            tools,
            fallback,
            stand_in,
            is_of_daprd,
        } = self;
        *name == other.name
            && *kind == other.kind
            && *version == other.version
            && *scrubber == other.scrubber
            && *faults == other.faults
            && *has_strict_history == other.has_strict_history
            && **provider == *other.provider
            && *tools == other.tools
            && *fallback == other.fallback
            && *stand_in == other.stand_in
            && *is_of_daprd == other.is_of_daprd
    }
}

impl Eq for ComponentSpec {}

/// The checked settings of a provider.
///
/// Two specs must be equal only if their providers give the same answers: a reload keeps a provider
/// if its spec is unchanged.
pub trait ProviderSpec: DynEq + fmt::Debug + Send + Sync {
    /// Builds the provider for the component `name`, which follows the rules of sessions.
    fn build(
        &self,
        name: &str,
        fallback: Option<Arc<dyn Provider>>,
        session_rules: &Arc<SessionRules>,
    ) -> Arc<dyn Provider>;

    /// Returns the rules by which the provider answers, if it has rules.
    fn rules(&self) -> Option<&Arc<Rules>> {
        None
    }

    /// Returns the name of the model, if it has one.
    fn model(&self) -> Option<&str> {
        None
    }

    /// Returns the settings of instruction chains and rules, if the provider follows any.
    fn script(&self) -> Option<ScriptedSettings> {
        None
    }

    /// Returns the echo that answers for the component `name` if neither a chain nor a rule does.
    fn echo(&self, _name: &str) -> Option<Echo> {
        None
    }

    /// Whether the provider cuts its texts to the token limit of a request.
    fn limits_tokens(&self) -> bool {
        true
    }

    /// Returns what answers if that is a real model, or a recording of one. Neither gives several choices,
    /// because they would differ.
    fn answered_by(&self) -> Option<&'static str> {
        None
    }

    /// Whether the provider passes on all requests to its fallback, even those with an instruction
    /// chain. Otherwise it passes on those without a chain.
    fn passes_on_chains(&self) -> bool {
        false
    }

    /// Whether the provider may answer any request, instead of passing it on.
    fn may_answer_all(&self) -> bool {
        false
    }
}

impl PartialEq for dyn ProviderSpec {
    fn eq(&self, other: &Self) -> bool {
        self.dyn_eq(other)
    }
}

impl Eq for dyn ProviderSpec {}

/// Equality between trait objects.
pub trait DynEq: Any {
    /// Returns `true` if both values have the same type and are equal.
    fn dyn_eq(&self, other: &dyn Any) -> bool;
}

impl<T: Any + PartialEq> DynEq for T {
    fn dyn_eq(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}
