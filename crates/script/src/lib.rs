//! `conversation.scripted`: answers with the steps of an instruction chain, or by [`rules`].
//!
//! The author of a test writes a chain into a user message, with one step for each turn of the
//! model. The number of assistant messages after that message selects the step. The provider keeps
//! no state, so a repeated request gets the same answer from any instance.
//!
//! ```
//! use std::sync::Arc;
//!
//! use mynah_core::{
//!     chat::{Message, Request, Role},
//!     provider::{CallContext, Provider},
//! };
//! use mynah_script::{Scripted, ScriptedSettings};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let prompt = r#"<|instruction_start|>{"messages": [{"text": "Hello"}]}<|instruction_end|>"#;
//! let messages = vec![Message::new(Role::User, prompt)];
//! let request = Request { messages, ..Request::default() };
//! let scripted = Scripted::new("scripted", ScriptedSettings::default(), None);
//! let response = Arc::new(scripted).converse(Arc::new(request), CallContext::default()).await?;
//! assert_eq!(response.content, "Hello");
//! # Ok(())
//! # }
//! ```

// chains    instruction chains in user messages
// rules     rules in a file
// recordings  rules that repeat what a model has answered
// faults    failures that a component or a test asks for
// steps     the steps of a script and their answers
// explain   says whether a chain answers, without counting
// turn      selects and performs a step
// settings  the settings of a scripted component

#![forbid(unsafe_code)]

mod chains;
mod explain;
pub mod faults;
pub mod recordings;
pub mod rules;
mod settings;
mod steps;
mod turn;
#[cfg(test)]
mod tests;

use std::{ops::Range, sync::Arc};

pub use mynah_core::provider::EXHAUSTED;
use mynah_core::{
    chat::{ErrorKind, Request},
    provider::{
        Answering, CallContext, Provider, ProviderError, Unseen, call::AnsweredBy,
        counters::Counters,
    },
};

use self::{
    chains::{
        ActiveChain, CallCounters, NumberedStep, Plan, Planned, find_active_chain, has_long_chain,
        without_chains,
    },
    steps::{answer, long_answer},
    turn::Script,
};
pub use self::{
    chains::{Chain, chain_ranges, schema as chain_schema, tags},
    explain::{ChainOutcome, ExplainedChain},
    rules::{RuleProvider, Rules},
    settings::{OnExhausted, OnMalformed, ScriptedSettings},
    steps::StepError,
};

/// A provider that answers with the steps of instruction chains.
pub struct Scripted {
    component: String,
    settings: ScriptedSettings,
    /// Answers requests without a chain. If `None`, such requests fail.
    fallback: Option<Arc<dyn Provider>>,
    /// Counts failures outside of a sidecar, which has its own counters.
    counters: Arc<Counters>,
}

/// What was selected for a request with a chain.
enum PlannedTurn {
    Step {
        /// Number of the message that contains the chain.
        message: usize,
        step: NumberedStep,
    },
    /// The fallback continues the conversation.
    Fallback(Arc<dyn Provider>),
}

impl Scripted {
    /// Creates the provider for a component. `fallback` answers requests without a chain. If
    /// `fallback` is `None`, such requests fail with [`ErrorKind::NotFound`].
    pub fn new(
        component: impl Into<String>,
        settings: ScriptedSettings,
        fallback: Option<Arc<dyn Provider>>,
    ) -> Self {
        Self { component: component.into(), settings, fallback, counters: Arc::default() }
    }

    /// Finds the chain that applies to a request.
    fn active_chain(
        &self,
        request: &Request,
        unseen: Option<&Unseen>,
    ) -> Result<Option<ActiveChain>, ProviderError> {
        if !self.settings.chains {
            return Ok(None);
        }
        let found = find_active_chain(&request.messages, unseen, self.settings.on_malformed);
        found.map_err(invalid_argument)
    }

    /// Selects the step to run. Returns `None` if the fallback continues the conversation.
    fn next_step(
        &self,
        active: &ActiveChain,
        request: &Request,
        unseen: Option<&Unseen>,
        counters: &CallCounters<'_>,
    ) -> Result<Option<NumberedStep>, ProviderError> {
        let ActiveChain { chain, message, turns } = active;
        let turns = match unseen {
            Some(unseen) => chain.turns_before(*turns, |tool| unseen.owns(tool)),
            None => turns.seen,
        };
        let Plan { failures, answer } = chain.plan(turns, self.settings.on_exhausted);
        let script = || format!("step/{}", self.component);
        if let Some(step) = counters.next_failure(script, failures, request) {
            return Ok(Some(step));
        }
        let steps = chain.turns();
        if turns >= steps {
            tracing::info!(message, steps, turn = turns + 1, "chain exhausted");
        }
        match answer {
            Planned::Step(step) => Ok(Some(step)),
            Planned::Fallback => Ok(None),
            Planned::Exhausted => Err(out_of_range(*message, steps, turns)),
        }
    }
}

impl Script for Scripted {
    type Selection = PlannedTurn;

    fn is_long_to_select(&self, request: &Request, _context: &CallContext) -> bool {
        self.settings.chains && has_long_chain(&request.messages)
    }

    fn select(
        &self,
        request: &Request,
        context: &CallContext,
    ) -> Result<Option<PlannedTurn>, ProviderError> {
        let unseen = context.unseen();
        let Some(active) = self.active_chain(request, unseen)? else { return Ok(None) };
        let counters = context.counters().unwrap_or(&self.counters);
        let (session, component) = (context.session_name(), &*self.component);
        let counters = CallCounters { counters, session, component, is_explained: false };
        let message = active.message;
        let Some(step) = self.next_step(&active, request, unseen, &counters)? else {
            let exhausted = || out_of_range(message, active.chain.turns(), active.turns.seen);
            let fallback = self.fallback.clone().ok_or_else(exhausted)?;
            return Ok(Some(PlannedTurn::Fallback(fallback)));
        };
        let (id, id_message) = (&step.step.id, &step.step.id_message);
        tracing::debug!(message, step = step.number, id, id_message, "scripted turn");
        Ok(Some(PlannedTurn::Step { message, step }))
    }

    fn long_answer(plan: &PlannedTurn, request: &Request) -> Option<usize> {
        match plan {
            PlannedTurn::Step { step, .. } => long_answer(&step.step, request),
            PlannedTurn::Fallback(_) => None,
        }
    }

    fn perform(
        &self,
        plan: PlannedTurn,
        request: &Arc<Request>,
        context: &CallContext,
    ) -> Result<Answering, ProviderError> {
        let (message, NumberedStep { number, step }) = match plan {
            PlannedTurn::Step { message, step } => (message, step),
            PlannedTurn::Fallback(provider) => {
                return Ok(provider.answer(without_chains(request), context.clone()));
            }
        };
        let answer = answer(&step, &self.component, &self.settings, request, context);
        let answer = answer.map_err(|error| {
            let error = error.within(format!("step {number}"));
            invalid_argument(error.within(format!("chain in message {message}")))
        })?;
        context.record_answer(|| AnsweredBy::Chain { message, step: number });
        Ok(answer.into())
    }

    /// Returns the provider for requests without a chain.
    fn fallback(&self) -> Result<Arc<dyn Provider>, ProviderError> {
        let no_chain = || ProviderError::new(ErrorKind::NotFound, no_chain());
        self.fallback.clone().ok_or_else(no_chain)
    }
}

impl Provider for Scripted {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        turn::answer(self, request, context)
    }

    fn instruction_ranges(&self, text: &str) -> Vec<Range<usize>> {
        if self.settings.chains {
            return chain_ranges(text);
        }
        // The fallback gets every request, and may follow chains.
        let fallback = self.fallback.as_ref();
        fallback.map_or_else(Vec::new, |fallback| fallback.instruction_ranges(text))
    }

    fn reset(&self, session: Option<&str>) {
        if let Some(fallback) = &self.fallback {
            fallback.reset(session);
        }
    }
}

/// Returns the message for a request without a chain, if there is nothing else that could answer.
fn no_chain() -> String {
    format!(
        "no user message contains a chain between {} and {}; add one, or set the component's \
         fallback to echo",
        tags::START,
        tags::END
    )
}

fn out_of_range(message: usize, steps: usize, turns: usize) -> ProviderError {
    let turn = turns + 1;
    let text =
        format!("chain in message {message} has {steps} steps, but the history is at turn {turn}");
    ProviderError::new(ErrorKind::OutOfRange, text)
}

#[expect(clippy::needless_pass_by_value, reason = "used with map_err")]
fn invalid_argument(error: StepError) -> ProviderError {
    ProviderError::new(ErrorKind::InvalidArgument, error.to_string())
}
