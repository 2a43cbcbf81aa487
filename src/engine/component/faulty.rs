//! Calls with faults.

use std::sync::Arc;

use futures_util::{StreamExt, future, stream};

use super::Component;
use crate::{
    chat::{Delivery, Delta, Request, Response},
    provider::{
        CallContext, Deltas, ProviderError,
        call::AnsweredBy,
        faults::{Effect, Fault, Phase, request_hash},
    },
};

/// The faults that a call may have.
pub(super) struct Faults {
    component: Arc<Component>,
    context: CallContext,
    /// The hash of the request, which decides about faults with a probability.
    hash: u64,
    /// What a fault that has started does to the response.
    effect: Option<Effect>,
}

impl Component {
    /// Returns the faults that a call may have. Boxed, so that the future of a call without faults
    /// stays small.
    pub(super) fn faults(
        self: &Arc<Self>,
        request: &Request,
        context: &CallContext,
    ) -> Option<Box<Faults>> {
        let has_faults = !self.faults.is_empty() || self.fault_table.is_active();
        has_faults.then(|| {
            Box::new(Faults {
                component: self.clone(),
                context: context.clone(),
                hash: request_hash(&self.name, request),
                effect: None,
            })
        })
    }

    fn fault(&self, phase: Phase, hash: u64, context: &CallContext) -> Option<Fault> {
        let of_test = || {
            let table = &self.fault_table;
            let is_active = table.is_active();
            is_active.then(|| table.select(&self.name, phase, hash, context)).flatten()
        };
        of_test().or_else(|| self.faults.select(phase, hash, context))
    }
}

impl Faults {
    /// Selects a fault and performs it as far as it needs no response.
    pub(super) async fn start(&mut self) -> Result<(), ProviderError> {
        let Self { component, context, hash, .. } = &*self;
        if let Some(fault) = component.fault(Phase::Request, *hash, context) {
            let session = context.session_name();
            tracing::debug!(component = component.name, session, ?fault, "fault");
            if fault.effect.is_failure() {
                context.record_answer(|| AnsweredBy::Fault);
            }
            fault.before_response(context).await?;
            self.effect = Some(fault.effect);
        }
        Ok(())
    }

    /// Applies the faults to a whole response.
    pub(super) async fn apply(
        self: Box<Self>,
        mut response: Response,
    ) -> Result<Response, ProviderError> {
        match self.effect {
            Some(Effect::CutAfter(_)) => {
                return Err(ProviderError::broken_off(Delivery::BreakOff));
            }
            Some(Effect::Empty(part)) => response.missing = Some(part),
            Some(_) => {}
            None => self.malform(&mut response).await?,
        }
        Ok(response)
    }

    /// Applies the faults to a response in pieces.
    pub(super) fn apply_to_stream(self, deltas: Deltas) -> Deltas {
        match self.effect {
            Some(Effect::CutAfter(chunks)) => cut(deltas, chunks),
            Some(Effect::Empty(part)) => {
                let deltas = deltas.map(move |mut delta| {
                    if let Ok(Delta::Complete(response)) = &mut delta {
                        response.missing = Some(part);
                    }
                    delta
                });
                deltas.filter(|delta| future::ready(!is_chunk(delta))).boxed()
            }
            Some(_) => deltas,
            None => {
                let faults = Arc::new(self);
                deltas.then(move |delta| faults.clone().malform_delta(delta)).boxed()
            }
        }
    }

    /// Replaces the arguments of the tool calls in the last delta if a fault asks for it.
    async fn malform_delta(
        self: Arc<Self>,
        mut delta: Result<Delta, ProviderError>,
    ) -> Result<Delta, ProviderError> {
        if let Ok(Delta::Complete(response)) = &mut delta {
            self.malform(response).await?;
        }
        delta
    }

    /// Replaces the arguments of the tool calls, after a delay, if a fault asks for it.
    async fn malform(&self, response: &mut Response) -> Result<(), ProviderError> {
        let Self { component, context, hash, .. } = self;
        if response.tool_calls.is_empty() {
            return Ok(());
        }
        let Some(fault) = component.fault(Phase::ToolCalls, *hash, context) else { return Ok(()) };
        fault.before_response(context).await?;
        for call in &mut response.tool_calls {
            fault.effect.malform(&mut call.arguments);
        }
        Ok(())
    }
}

fn is_chunk(delta: &Result<Delta, ProviderError>) -> bool {
    matches!(delta, Ok(Delta::Reasoning(_) | Delta::Text(_)))
}

/// Breaks off a stream after this number of chunks.
fn cut(deltas: Deltas, chunks: usize) -> Deltas {
    let texts = deltas.take_while(|delta| future::ready(is_chunk(delta))).take(chunks);
    let end = stream::once(future::ready(Err(ProviderError::broken_off(Delivery::BreakOff))));
    texts.chain(end).boxed()
}
