//! `conversation.scripted`: says what an instruction chain tells it to say.
//!
//! The author of a test writes the chain into a message of the user, turn by turn. The history says
//! which turn it is, so nothing is remembered and nothing is consumed: any mynah answers any turn.
//!
//! ```text
//! find          which chain is in force, and how many turns ago it came
//!   tags        what stands between tags, by depth
//!   read        the JSON of a chain, checked whole: chain says what it is, error and json help
//! speak         what a step says to a request: text, calls, or an error
//!   directives  texts that the request decides
//!   filler      text that means nothing
//! ```

mod chain;
mod directives;
mod error;
mod filler;
mod find;
mod json;
mod mistake;
mod read;
mod settings;
mod speak;
pub mod tags;
#[cfg(test)]
mod tests;

use std::{ops::Range, sync::Arc, time::Duration};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, BoxFuture},
    stream::{self, BoxStream},
};

pub use self::{
    chain::Chain,
    mistake::Mistake,
    settings::{OnExhausted, ScriptedSettings},
};
use self::{
    chain::Step,
    find::{Found, find},
    speak::{Spoken, speak},
};
use super::{Provider, ProviderError};
use crate::{
    base::clock,
    chat::{Delta, ErrorKind, Request, Response},
    provider::stream::{Pace, said},
};

/// What is said after the last step of a chain, unless the component says otherwise.
pub const EXHAUSTED: &str = "Chain completed - using fallback response";

/// The JSON Schema of a chain, for editors.
pub const SCHEMA: &str = include_str!("chain.schema.json");

/// The script of one component.
pub struct Scripted {
    component: String,
    settings: ScriptedSettings,
    /// What answers where there is no chain; `None` means that nobody does.
    fallback: Option<Arc<dyn Provider>>,
}

/// A turn of a script, and when.
struct Turn {
    spoken: Spoken,
    delay: Duration,
    pace: Pace,
}

impl Scripted {
    /// The script of the component of that name. Without a fallback, a request without a chain is
    /// an error.
    pub fn new(
        component: impl Into<String>,
        settings: ScriptedSettings,
        fallback: Option<Arc<dyn Provider>>,
    ) -> Self {
        Self { component: component.into(), settings, fallback }
    }

    /// The turn that the history is at; `None` without a chain.
    fn turn(&self, request: &Request) -> Result<Option<Turn>, ProviderError> {
        if !self.settings.chains {
            return Ok(None);
        }
        let Some(found) = find(&request.messages).map_err(invalid)? else { return Ok(None) };
        let message = found.message;
        let (number, step) = self.step(found)?;
        tracing::debug!(
            message,
            step = number,
            id = step.id,
            id_message = step.id_message,
            "scripted"
        );
        let spoken = speak(&step, &self.component, &self.settings, request).map_err(|mistake| {
            let mistake = mistake.within(format!("step {number}"));
            invalid(mistake.within(format!("chain in message {message}")))
        })?;
        Ok(Some(Turn { spoken, delay: step.delay, pace: step.pace.over(self.settings.pace) }))
    }

    /// The step to run, and its number.
    fn step(&self, Found { chain, message, turns }: Found) -> Result<(usize, Step), ProviderError> {
        let steps = chain.steps.len();
        if turns >= steps {
            tracing::info!(message, steps, turn = turns + 1, "the chain is exhausted");
        }
        let index = match self.settings.on_exhausted {
            _ if turns < steps => turns,
            OnExhausted::RepeatLast => steps - 1,
            OnExhausted::Loop => turns % steps,
            OnExhausted::Fallback => return Ok((turns + 1, Step::saying(EXHAUSTED))),
            OnExhausted::Error => {
                let (turn, place) = (turns + 1, format!("chain in message {message}"));
                let text = format!("{place}: has {steps} steps, and this is turn {turn} after it");
                return Err(ProviderError::new(ErrorKind::OutOfRange, text));
            }
        };
        let step = chain.steps.into_iter().nth(index);
        step.map(|step| (index + 1, step)).ok_or_else(|| ProviderError::internal("an empty chain"))
    }

    /// What answers where there is no chain.
    fn fallback(&self) -> Result<Arc<dyn Provider>, ProviderError> {
        self.fallback.clone().ok_or_else(|| {
            let tags = format!("{} and {}", tags::START, tags::END);
            let text = format!("no user message has a chain between {tags}, and fallback is error");
            ProviderError::new(ErrorKind::NotFound, text)
        })
    }
}

impl Provider for Scripted {
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        match self.turn(&request) {
            Ok(Some(Turn { spoken, delay, .. })) => async move {
                clock::pause(delay).await;
                spoken.end
            }
            .boxed(),
            Ok(None) => match self.fallback() {
                Ok(fallback) => fallback.converse(request),
                Err(error) => future::ready(Err(error)).boxed(),
            },
            Err(error) => future::ready(Err(error)).boxed(),
        }
    }

    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        match self.turn(&request) {
            Ok(Some(turn)) => turn.stream(),
            Ok(None) => match self.fallback() {
                Ok(fallback) => fallback.stream(request),
                Err(error) => stream::once(future::ready(Err(error))).boxed(),
            },
            Err(error) => stream::once(future::ready(Err(error))).boxed(),
        }
    }

    fn directions(&self, text: &str) -> Vec<Range<usize>> {
        if self.settings.chains { find::places(text) } else { Vec::new() }
    }
}

impl Turn {
    fn stream(self) -> BoxStream<'static, Result<Delta, ProviderError>> {
        let Self { spoken: Spoken { text, end }, delay, pace } = self;
        let time_to_first_chunk = pace.time_to_first_chunk.saturating_add(delay);
        said(text, end, Pace { time_to_first_chunk, ..pace })
    }
}

/// The author of the chain made a mistake.
#[expect(clippy::needless_pass_by_value, reason = "it is what map_err gives")]
fn invalid(mistake: Mistake) -> ProviderError {
    ProviderError::new(ErrorKind::InvalidArgument, mistake.to_string())
}
