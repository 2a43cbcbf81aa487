//! The types of a fault.

use std::{sync::Arc, time::Duration};

use mynah_core::{
    chat::{ErrorKind, MissingPart, ProviderError, Request},
    provider::{CallContext, call::Surface, counters::Counters},
};

use super::trigger::Trigger;
use crate::steps::{Item, ScriptedCall, Step};

/// Time after which a call without a deadline ends if it hangs on purpose.
const MAX_HANG: Duration = Duration::from_secs(60 * 60);

/// A failure that a component or a test asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    pub(super) surfaces: Vec<Surface>,
    pub(super) trigger: Trigger,
    pub(super) delay: Duration,
    /// What happens to the call.
    pub effect: Effect,
}

/// What a fault does to a call, after its delay.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Nothing else.
    Delay,
    /// The call fails.
    Fail(ProviderError),
    /// The call has no answer until its deadline.
    Hang,
    /// The response breaks off after this number of chunks.
    CutAfter(usize),
    /// A part of the response is missing.
    Empty(MissingPart),
    /// The arguments of the tool calls are replaced by this text, or truncated.
    MalformedArguments(Option<String>),
}

/// Faults in the order in which they are tried.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Faults(pub(super) Arc<[Fault]>);

/// Identifies a list of faults.
#[derive(Debug, Clone, Copy)]
pub struct FaultKey<'k> {
    /// Identifies the list among those that count calls.
    pub counter: &'k str,
    /// Identifies the list among those with a probability. The same in every process.
    pub draw: &'k str,
}

/// The moment at which a fault is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before the provider is called.
    Request,
    /// When the response has tool calls.
    ToolCalls,
}

impl Faults {
    /// Returns `true` if there are no faults.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns roughly the size of the faults in bytes.
    pub fn size(&self) -> usize {
        self.0.iter().map(Fault::size).sum()
    }

    /// Returns how many faults can still apply to calls, of a session or all.
    pub fn active(&self, counter: &str, session: Option<&str>, counters: &Counters) -> usize {
        let is_spent = |(index, fault): &(usize, &Fault)| {
            let key = key(counter, *index);
            session.is_some_and(|session| fault.trigger.is_spent(&key, session, counters))
        };
        self.0.iter().enumerate().filter(|fault| !is_spent(fault)).count()
    }

    /// Returns the first fault that applies to a call.
    pub fn select(
        &self,
        phase: Phase,
        key: FaultKey<'_>,
        request: u64,
        context: &CallContext,
    ) -> Option<&Fault> {
        let of_phase = |fault: &Fault| fault.effect.phase() == phase;
        let on_surface = |fault: &Fault| {
            context.surface().is_none_or(|surface| fault.surfaces.contains(&surface))
        };
        let mut faults = self.0.iter().enumerate();
        let selected = faults.find(|(index, fault)| {
            of_phase(fault)
                && on_surface(fault)
                && fault.trigger.applies(
                    || self::key(key.counter, *index),
                    (key.draw, *index),
                    request,
                    context,
                )
        });
        selected.map(|(_, fault)| fault)
    }
}

/// Returns the name under which a fault counts calls.
fn key(counter: &str, index: usize) -> String {
    format!("{counter}/{index}")
}

impl Effect {
    fn phase(&self) -> Phase {
        match self {
            Self::MalformedArguments(_) => Phase::ToolCalls,
            _ => Phase::Request,
        }
    }

    /// Returns `true` if a call with this effect fails.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Fail(_) | Self::Hang | Self::CutAfter(_))
    }

    /// Replaces arguments, if the effect does so.
    pub fn malform(&self, arguments: &mut String) {
        let Self::MalformedArguments(text) = self else { return };
        match text {
            Some(text) => arguments.clone_from(text),
            // An object without its end is never valid.
            None => arguments.truncate(arguments.floor_char_boundary(arguments.len() / 2)),
        }
    }
}

impl Fault {
    fn size(&self) -> usize {
        let texts = match &self.effect {
            Effect::Fail(error) => error.message.len() + error.details.as_ref().map_or(0, |_| 2048),
            Effect::MalformedArguments(text) => text.as_ref().map_or(0, String::len),
            _ => 0,
        };
        size_of::<Self>() + texts
    }

    /// Changes a step so that its turn has the fault.
    pub(crate) fn apply_to(&self, step: &mut Step) {
        step.delay = step.delay.saturating_add(self.delay);
        let mut fail = |error: ProviderError| {
            (step.items, step.cut_after, step.empty) = (vec![Item::Error(error)], None, None);
        };
        match &self.effect {
            Effect::Delay => {}
            Effect::Fail(error) => fail(error.clone()),
            Effect::Hang => {
                fail(hang_error());
                step.delay = MAX_HANG;
            }
            Effect::CutAfter(chunks) => step.cut_after = Some(*chunks),
            Effect::Empty(part) => {
                step.items.clear();
                (step.cut_after, step.empty) = (None, Some(*part));
            }
            Effect::MalformedArguments(_) => {
                for item in &mut step.items {
                    let Item::Calls(calls) = item else { continue };
                    for ScriptedCall { call, .. } in calls {
                        self.effect.malform(&mut call.arguments);
                    }
                }
            }
        }
    }

    /// Waits, and fails if the effect needs no response.
    pub async fn before_response(&self, context: &CallContext) -> Result<(), ProviderError> {
        context.pause(self.delay).await?;
        match &self.effect {
            Effect::Fail(error) => Err(error.clone()),
            Effect::Hang => {
                context.pause(MAX_HANG).await?;
                Err(hang_error())
            }
            _ => Ok(()),
        }
    }
}

fn hang_error() -> ProviderError {
    ProviderError::new(ErrorKind::DeadlineExceeded, "the call hangs on purpose")
}

/// Returns the hash of a request, which decides about faults with a probability.
pub fn request_hash(component: &str, request: &Request) -> u64 {
    mynah_core::provider::conversation_hash(component, &request.messages)
}
