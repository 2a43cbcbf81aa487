//! A component, and how a request gets to its provider.

mod call;
mod faulty;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

pub(crate) use self::call::ReachedCall;
use super::{
    faults::{FaultSet, FaultTable},
    metrics::{CallMetrics, Metrics},
    recording::Recording,
};
use crate::{
    base::blocking::{LARGE, Panicked},
    chat::{Error, InvalidParams, Request, check_history},
    component::{ComponentSpec, StandIn, ToolsSpec},
    pii::{self, Scrubber},
    provider::{
        Answering, CallContext, CancelOnDrop, Provider, ProviderError,
        echo::Echo,
        scripted::{
            ScriptedSettings,
            rules::{RuleSources, SessionRules, is_missed},
        },
    },
};

/// A named, configured provider.
pub struct Component {
    /// The name that requests refer to.
    pub name: String,
    /// The type as written, such as `conversation.echo`.
    pub kind: String,
    /// The version as written. May be empty.
    pub version: String,
    /// The stand-in, if mynah does not support the type.
    pub stand_in: Option<StandIn>,
    /// Whether only the daprd has it that calls real models.
    pub(crate) is_of_daprd: bool,
    /// The names of the tools that the component owns.
    pub own_tools: BTreeSet<String>,
    /// Where the rules for its calls come from.
    pub(crate) rules: RuleSources,
    /// The model that answers if the client asks for none.
    pub(crate) model: Option<String>,
    /// The settings of its instruction chains and rules, if it follows any.
    pub(crate) script: Option<ScriptedSettings>,
    /// The echo that answers if neither a chain nor a rule does.
    pub(super) echo: Option<Echo>,
    /// Whether the token limit of a request has an effect.
    limits_tokens: bool,
    /// What answers, if that is a real model or a recording of one.
    pub(crate) answered_by: Option<&'static str>,
    /// Whether the tool calls and results in a history must match.
    has_strict_history: bool,
    scrubber: Scrubber,
    provider: Arc<dyn Provider>,
    /// Counts its calls.
    pub(crate) metrics: Arc<CallMetrics>,
    /// The faults in the metadata of the component.
    faults: FaultSet,
    fault_table: Arc<FaultTable>,
}

impl Component {
    /// Creates the component described by `spec`. Calls to the component are counted in `metrics`.
    /// Tests can set its rules and faults.
    pub(crate) fn new(
        spec: &ComponentSpec,
        metrics: &Metrics,
        session_rules: &Arc<SessionRules>,
        fault_table: &Arc<FaultTable>,
    ) -> Self {
        let component = spec.provider.rules().cloned();
        Self {
            name: spec.name.clone(),
            kind: spec.kind.clone(),
            version: spec.version.clone(),
            stand_in: spec.stand_in,
            is_of_daprd: spec.is_of_daprd,
            scrubber: spec.scrubber,
            own_tools: spec.tools.as_ref().map(ToolsSpec::names).unwrap_or_default(),
            rules: RuleSources { component, sessions: session_rules.clone() },
            model: spec.provider.model().map(str::to_owned),
            script: spec.provider.script(),
            echo: spec.provider.echo(&spec.name),
            limits_tokens: spec.provider.limits_tokens(),
            answered_by: spec.provider.answered_by(),
            has_strict_history: spec.has_strict_history,
            provider: spec.build_provider(&metrics.tools, session_rules),
            metrics: metrics.call_metrics(&spec.name),
            faults: fault_table.of_component(spec.faults.clone()),
            fault_table: fault_table.clone(),
        }
    }

    /// Checks a request before the provider gets it.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InvalidParams`] if the component does not allow the request.
    pub(crate) fn check(&self, request: &Request) -> Result<(), Error> {
        let limit = request.max_tokens.filter(|max| self.limits_tokens && *max < 1);
        let choices = if self.answered_by.is_some() { request.choices() } else { 1 };
        let checked = match limit {
            Some(max) => Err(InvalidParams::MaxTokens(max)),
            None if choices > 1 => Err(InvalidParams::Choices(choices)),
            None if self.has_strict_history => check_history(&request.messages).map_err(Into::into),
            None => Ok(()),
        };
        checked.map_err(|reason| Error::InvalidParams { component: self.name.clone(), reason })
    }

    /// Adds the component's own tools to a request, as its rules see it.
    pub(super) fn offer_tools(&self, request: &mut Request) {
        self.provider.offer_tools(request);
    }

    /// Drops what the provider keeps of a session, or of all sessions.
    pub(super) fn reset(&self, session: Option<&str>) {
        self.provider.reset(session);
    }

    /// Returns `true` if scrubbing a request and passing it to the provider takes no longer than about a
    /// millisecond.
    pub(crate) fn is_brief(request: &Request) -> bool {
        request.size() + pii::COST * request.scrubbed_len() <= LARGE
    }

    /// Scrubs a request and passes it to the provider. A panic fails the call.
    fn call_provider(
        &self,
        mut request: Arc<Request>,
        context: &CallContext,
    ) -> Result<Answering, ProviderError> {
        context.check_cancelled()?;
        let scrub_and_call = || {
            let mut of_provider = context.clone();
            if !request.scrub_inputs.is_empty() {
                of_provider = of_provider.with_result_scrubber(self.scrubber.for_texts());
                self.scrub_inputs(Arc::make_mut(&mut request));
            }
            self.provider.clone().answer(request, of_provider).charge(context)
        };
        catch_unwind(AssertUnwindSafe(scrub_and_call)).map_err(|_| Panicked.into())
    }

    /// Scrubs the inputs that the request marks for scrubbing.
    pub(super) fn scrub_inputs(&self, request: &mut Request) {
        self.scrubber.scrub_inputs(request, |text| self.provider.instruction_ranges(text));
    }

    #[cold]
    fn record_failure(
        &self,
        recording: &mut Recording,
        error: ProviderError,
        call: &CancelOnDrop,
    ) -> Error {
        if is_missed(&error) {
            tracing::warn!(component = &*self.name, "{}", error.message);
        }
        let error = match call.exhausted() {
            None => Error::Provider { component: self.name.clone(), error },
            Some(error) => error.into(),
        };
        recording.failed(&error);
        error
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}/{})", self.name, self.kind, self.version)
    }
}
