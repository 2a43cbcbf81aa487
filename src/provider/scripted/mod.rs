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
// steps     the steps of a script and their answers
// settings  the settings of a scripted component

mod chains;
mod settings;
mod steps;
#[cfg(test)]
mod tests;

use std::{ops::Range, sync::Arc, time::Duration};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, BoxFuture, Either},
    stream::{self, BoxStream},
};

use tokio::sync::{Semaphore, SemaphorePermit};

use self::{
    chains::{ActiveChain, chain_ranges, find_active_chain, has_long_chain},
    steps::{Answer, Step, answer, is_long},
};
pub use self::{
    chains::{Chain, SCHEMA, tags},
    settings::{OnExhausted, ScriptedSettings},
    steps::StepError,
};
use super::{CallContext, Provider, ProviderError, Unseen};
use crate::{
    base::clock,
    chat::{Delta, ErrorKind, Request, Response},
    provider::stream::{StreamOptions, text_deltas},
};

/// The answer after the last step of a chain, with [`OnExhausted::Fallback`].
pub const EXHAUSTED: &str = "Chain completed - using fallback response";

/// A provider that answers with the steps of instruction chains.
pub struct Scripted {
    component: String,
    settings: ScriptedSettings,
    /// Answers requests without a chain. If `None`, such requests fail.
    fallback: Option<Arc<dyn Provider>>,
}

/// A step that was selected for a request.
struct PlannedTurn {
    /// Number of the message that contains the chain.
    message: usize,
    /// Number of the step.
    number: usize,
    step: Step,
}

/// The turn for a request, or `None` if the request contains no chain.
type Turn = Result<Option<ScriptedTurn>, ProviderError>;

/// A turn, or the work on a blocking thread that returns one, with a permit to drop when the call is
/// charged for the answer.
type ReadyOrLater = Either<Turn, BoxFuture<'static, (Turn, Option<SemaphorePermit<'static>>)>>;

/// Limits the long answers that exist at the same time without being charged.
static LONG_ANSWERS: Semaphore = Semaphore::const_new(2);

/// Runs the work for a turn on a blocking thread.
fn long_turn(
    context: CallContext,
    work: impl FnOnce() -> Turn + Send + 'static,
) -> BoxFuture<'static, (Turn, Option<SemaphorePermit<'static>>)> {
    async move {
        // The semaphore is never closed.
        let permit = LONG_ANSWERS.acquire().await.ok();
        (context.run_blocking(work).await, permit)
    }
    .boxed()
}

/// A scripted turn and its timing.
struct ScriptedTurn {
    answer: Answer,
    delay: Duration,
    stream: StreamOptions,
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

    /// Returns the turn for a request. Works on a blocking thread if the chain or the answer is
    /// long.
    fn turn(self: &Arc<Self>, request: &Arc<Request>, context: &CallContext) -> ReadyOrLater {
        if self.settings.chains && has_long_chain(&request.messages) {
            let (this, request, unseen) = (self.clone(), request.clone(), context.clone());
            return Either::Right(long_turn(context.clone(), move || {
                let plan = this.plan(&request, unseen.unseen())?;
                plan.map(|plan| this.perform(plan, &request)).transpose()
            }));
        }
        match self.plan(request, context.unseen()) {
            Ok(Some(plan)) if is_long(&plan.step, request) => {
                let (this, request) = (self.clone(), request.clone());
                let work = move || this.perform(plan, &request).map(Some);
                Either::Right(long_turn(context.clone(), work))
            }
            Ok(Some(plan)) => Either::Left(self.perform(plan, request).map(Some)),
            Ok(None) => Either::Left(Ok(None)),
            Err(error) => Either::Left(Err(error)),
        }
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
        let active = find_active_chain(&request.messages, unseen).map_err(invalid_argument)?;
        let Some(active) = active else { return Ok(None) };
        let message = active.message;
        let (number, step) = self.step(active, unseen)?;
        tracing::debug!(
            message,
            step = number,
            id = step.id,
            id_message = step.id_message,
            "scripted turn"
        );
        Ok(Some(PlannedTurn { message, number, step }))
    }

    /// Generates the answer of a step.
    fn perform(&self, plan: PlannedTurn, request: &Request) -> Result<ScriptedTurn, ProviderError> {
        let PlannedTurn { message, number, step } = plan;
        let answer = answer(&step, &self.component, &self.settings, request).map_err(|error| {
            let error = error.within(format!("step {number}"));
            invalid_argument(error.within(format!("chain in message {message}")))
        })?;
        let stream = step.stream.or(self.settings.stream);
        Ok(ScriptedTurn { answer, delay: step.delay, stream })
    }

    /// Returns the step to run and its number.
    fn step(
        &self,
        active: ActiveChain,
        unseen: Option<&Unseen>,
    ) -> Result<(usize, Step), ProviderError> {
        let ActiveChain { chain, message, turns } = active;
        let turns = match unseen {
            Some(unseen) => chain.turns_before(turns, |tool| unseen.owns(tool)),
            None => turns.seen,
        };
        let steps = chain.steps.len();
        if turns >= steps {
            tracing::info!(message, steps, turn = turns + 1, "chain exhausted");
        }
        let index = match self.settings.on_exhausted {
            _ if turns < steps => turns,
            OnExhausted::RepeatLast => steps - 1,
            OnExhausted::Loop => turns % steps,
            OnExhausted::Fallback => return Ok((turns + 1, Step::text(EXHAUSTED))),
            OnExhausted::Error => {
                let turn = turns + 1;
                let text = format!(
                    "chain in message {message} has {steps} steps, but the history is at turn {turn}"
                );
                return Err(ProviderError::new(ErrorKind::OutOfRange, text));
            }
        };
        let step = chain.steps.get(index).cloned();
        step.map(|step| (index + 1, step))
            .ok_or_else(|| ProviderError::internal("the chain has no steps"))
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

impl Scripted {
    /// Returns the response of a turn, or of the fallback if there is no turn.
    fn respond(
        &self,
        turn: Turn,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        match turn {
            Ok(Some(ScriptedTurn { answer, delay, .. })) => {
                context.hold(answer.result.as_ref().map_or(0, Response::size));
                let result = async move {
                    clock::pause(delay).await;
                    answer.result
                };
                result.boxed()
            }
            Ok(None) => match self.fallback() {
                Ok(fallback) => fallback.converse(request, context),
                Err(error) => future::ready(Err(error)).boxed(),
            },
            Err(error) => future::ready(Err(error)).boxed(),
        }
    }

    /// Returns the response of a turn, or of the fallback if there is no turn, in pieces.
    fn stream_turn(
        &self,
        turn: Turn,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        match turn {
            Ok(Some(turn)) => turn.stream(&context),
            Ok(None) => match self.fallback() {
                Ok(fallback) => fallback.stream(request, context),
                Err(error) => stream::once(future::ready(Err(error))).boxed(),
            },
            Err(error) => stream::once(future::ready(Err(error))).boxed(),
        }
    }
}

impl Provider for Scripted {
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        match self.turn(&request, &context) {
            Either::Left(turn) => self.respond(turn, request, context),
            Either::Right(later) => async move {
                let (turn, permit) = later.await;
                let response = self.respond(turn, request, context);
                drop(permit);
                response.await
            }
            .boxed(),
        }
    }

    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        match self.turn(&request, &context) {
            Either::Left(turn) => self.stream_turn(turn, request, context),
            Either::Right(later) => {
                let stream = async move {
                    let (turn, _permit) = later.await;
                    self.stream_turn(turn, request, context)
                };
                stream.flatten_stream().boxed()
            }
        }
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

impl ScriptedTurn {
    fn stream(self, context: &CallContext) -> BoxStream<'static, Result<Delta, ProviderError>> {
        let Self { answer: Answer { text, result }, delay, stream } = self;
        let time_to_first_chunk = stream.time_to_first_chunk.saturating_add(delay);
        let stream = StreamOptions { time_to_first_chunk, ..stream };
        text_deltas(text, result, stream, context)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "used with map_err")]
fn invalid_argument(error: StepError) -> ProviderError {
    ProviderError::new(ErrorKind::InvalidArgument, error.to_string())
}
