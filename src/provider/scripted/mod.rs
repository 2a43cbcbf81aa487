//! `conversation.scripted`: answers with the steps of an instruction chain.
//!
//! The author of a test writes a chain into a user message, with one step for each turn of the
//! model. The number of assistant messages after that message selects the step. The provider keeps
//! no state, so a repeated request gets the same answer from any instance.
//!
//! ```
//! use std::sync::Arc;
//!
//! use mynah::{
//!     chat::{Message, Request, Role},
//!     provider::{
//!         CallContext, Provider,
//!         scripted::{Scripted, ScriptedSettings},
//!     },
//! };
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
// rules     rules, which answer requests that meet their conditions
// steps     the steps of a script and their answers
// turn      performs and sends a step
// settings  the settings of a scripted component

mod chains;
pub(crate) mod rules;
mod settings;
mod steps;
mod turn;
#[cfg(test)]
mod tests;

use std::{ops::Range, sync::Arc};

use futures_util::{
    future::{BoxFuture, Either},
    stream::BoxStream,
};

use self::{
    chains::{ActiveChain, chain_ranges, find_active_chain, has_long_chain, without_chains},
    steps::{Step, is_long},
    turn::{ReadyOrLater, Script, ScriptedTurn, long_turn},
};
pub use self::{
    chains::{Chain, SCHEMA, tags},
    settings::{OnExhausted, OnMalformed, ScriptedSettings},
    steps::StepError,
};
use super::{CallContext, Provider, ProviderError, Unseen};
use crate::chat::{Delta, ErrorKind, Request, Response};

/// The answer after the last step of a chain, with [`OnExhausted::Message`].
pub const EXHAUSTED: &str = "Chain completed - using fallback response";

/// A provider that answers with the steps of instruction chains.
pub struct Scripted {
    component: String,
    settings: ScriptedSettings,
    /// Answers requests without a chain. If `None`, such requests fail.
    fallback: Option<Arc<dyn Provider>>,
}

/// What was selected for a request with a chain.
enum PlannedTurn {
    Step {
        /// Number of the message that contains the chain.
        message: usize,
        /// Number of the step.
        number: usize,
        step: Step,
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
        Self { component: component.into(), settings, fallback }
    }

    /// Selects the step for a request, or returns `None` if the request contains no chain.
    fn plan(
        &self,
        request: &Request,
        unseen: Option<&Unseen>,
    ) -> Result<Option<PlannedTurn>, ProviderError> {
        if !self.settings.chains {
            return Ok(None);
        }
        let active = find_active_chain(&request.messages, unseen, self.settings.on_malformed);
        let Some(active) = active.map_err(invalid_argument)? else { return Ok(None) };
        let plan = self.planned_turn(active, unseen)?;
        if let PlannedTurn::Step { message, number, step } = &plan {
            tracing::debug!(
                message,
                step = number,
                id = step.id,
                id_message = step.id_message,
                "scripted turn"
            );
        }
        Ok(Some(plan))
    }

    /// Generates the answer of a step.
    fn perform(
        &self,
        plan: PlannedTurn,
        request: &Arc<Request>,
    ) -> Result<ScriptedTurn, ProviderError> {
        let (message, number, step) = match plan {
            PlannedTurn::Step { message, number, step } => (message, number, step),
            PlannedTurn::Fallback(provider) => {
                return Ok(ScriptedTurn::fallback(provider, without_chains(request)));
            }
        };
        let turn = ScriptedTurn::perform(&step, &self.component, &self.settings, request);
        turn.map_err(|error| {
            let error = error.within(format!("step {number}"));
            invalid_argument(error.within(format!("chain in message {message}")))
        })
    }

    /// Selects the step to run.
    fn planned_turn(
        &self,
        active: ActiveChain,
        unseen: Option<&Unseen>,
    ) -> Result<PlannedTurn, ProviderError> {
        let ActiveChain { chain, message, turns } = active;
        let turns = match unseen {
            Some(unseen) => chain.turns_before(turns, |tool| unseen.owns(tool)),
            None => turns.seen,
        };
        let steps = chain.steps.len();
        if turns >= steps {
            tracing::info!(message, steps, turn = turns + 1, "chain exhausted");
        }
        let index = match (self.settings.on_exhausted, &self.fallback) {
            _ if turns < steps => turns,
            (OnExhausted::RepeatLast, _) => steps - 1,
            (OnExhausted::Loop, _) => turns % steps,
            (OnExhausted::Message, _) => {
                let step = Step::text(EXHAUSTED);
                return Ok(PlannedTurn::Step { message, number: turns + 1, step });
            }
            (OnExhausted::Fallback, Some(fallback)) => {
                return Ok(PlannedTurn::Fallback(fallback.clone()));
            }
            (OnExhausted::Error, _) | (OnExhausted::Fallback, None) => {
                let turn = turns + 1;
                let text = format!(
                    "chain in message {message} has {steps} steps, but the history is at turn {turn}"
                );
                return Err(ProviderError::new(ErrorKind::OutOfRange, text));
            }
        };
        let step = chain.steps.get(index).cloned();
        step.map(|step| PlannedTurn::Step { message, number: index + 1, step })
            .ok_or_else(|| ProviderError::internal("the chain has no steps"))
    }
}

impl PlannedTurn {
    /// Returns `true` if the turn may take longer than a millisecond.
    fn is_long(&self, request: &Request) -> bool {
        match self {
            Self::Step { step, .. } => is_long(step, request),
            Self::Fallback(_) => false,
        }
    }
}

impl Script for Scripted {
    /// Returns the turn for a request. Works on a blocking thread if the chain or the answer is
    /// long.
    fn turn(self: &Arc<Self>, request: &Arc<Request>, context: &CallContext) -> ReadyOrLater {
        if self.settings.chains && has_long_chain(&request.messages) {
            let (this, request, unseen) = (self.clone(), request.clone(), context.clone());
            return long_turn(context.clone(), move || {
                let plan = this.plan(&request, unseen.unseen())?;
                plan.map(|plan| this.perform(plan, &request)).transpose()
            });
        }
        match self.plan(request, context.unseen()) {
            Ok(Some(plan)) if plan.is_long(request) => {
                let (this, request) = (self.clone(), request.clone());
                long_turn(context.clone(), move || this.perform(plan, &request).map(Some))
            }
            Ok(Some(plan)) => Either::Left(self.perform(plan, request).map(Some)),
            Ok(None) => Either::Left(Ok(None)),
            Err(error) => Either::Left(Err(error)),
        }
    }

    /// Returns the provider for requests without a chain.
    fn fallback(&self) -> Result<Arc<dyn Provider>, ProviderError> {
        self.fallback.clone().ok_or_else(|| {
            let text = format!(
                "no user message contains a chain between {} and {}; add one, or set the \
                 component's fallback to echo",
                tags::START,
                tags::END
            );
            ProviderError::new(ErrorKind::NotFound, text)
        })
    }
}

impl Provider for Scripted {
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        turn::converse(self, request, context)
    }

    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        turn::stream(self, request, context)
    }

    fn instruction_ranges(&self, text: &str) -> Vec<Range<usize>> {
        if self.settings.chains {
            return chain_ranges(text);
        }
        // The fallback gets every request, and may follow chains.
        let fallback = self.fallback.as_ref();
        fallback.map_or_else(Vec::new, |fallback| fallback.instruction_ranges(text))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "used with map_err")]
fn invalid_argument(error: StepError) -> ProviderError {
    ProviderError::new(ErrorKind::InvalidArgument, error.to_string())
}
