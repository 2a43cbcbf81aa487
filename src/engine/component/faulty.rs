//! Calls with faults.

use std::sync::Arc;

use futures_util::{StreamExt, future, stream};

use super::{Component, Deltas, Failure};
use crate::{
    chat::{Delivery, Delta, Request, Response},
    provider::{
        CallContext, ProviderError,
        call::AnsweredBy,
        faults::{Effect, Fault, Phase, request_hash},
    },
};

impl Component {
    /// Returns `true` if a call may have a fault.
    pub(super) fn has_faults(&self) -> bool {
        !self.faults.is_empty() || self.fault_table.is_active()
    }

    /// Returns the whole response, unless the call has a fault.
    pub(super) async fn converse_with_faults(
        self: Arc<Self>,
        request: Request,
        context: CallContext,
    ) -> Result<Response, Failure> {
        let hash = request_hash(&self.name, &request);
        let effect = self.effect_before_response(hash, &context).await?;
        let mut response = self.clone().try_converse(request, context.clone()).await?;
        match effect {
            Some(Effect::CutAfter(_)) => {
                return Err(ProviderError::broken_off(Delivery::BreakOff).into());
            }
            Some(Effect::Empty(part)) => response.missing = Some(part),
            Some(_) => {}
            None => self.malform(&mut response, hash, &context).await?,
        }
        Ok(response)
    }

    /// Returns the response in pieces, unless the call has a fault.
    pub(super) async fn stream_with_faults(
        self: Arc<Self>,
        request: Request,
        context: CallContext,
    ) -> Result<Deltas, Failure> {
        let hash = request_hash(&self.name, &request);
        let effect = self.effect_before_response(hash, &context).await?;
        let deltas = self.clone().try_stream(request, context.clone()).await?;
        let is_text = |delta: &Result<Delta, _>| matches!(delta, Ok(Delta::Text(_)));
        Ok(match effect {
            Some(Effect::CutAfter(chunks)) => cut(deltas, chunks),
            Some(Effect::Empty(part)) => {
                let deltas = deltas.map(move |mut delta| {
                    if let Ok(Delta::Complete(response)) = &mut delta {
                        response.missing = Some(part);
                    }
                    delta
                });
                deltas.filter(move |delta| future::ready(!is_text(delta))).boxed()
            }
            Some(_) => deltas,
            None => deltas
                .then(move |delta| self.clone().malform_delta(delta, hash, context.clone()))
                .boxed(),
        })
    }

    /// Replaces the arguments of the tool calls in the last delta if a fault asks for it.
    async fn malform_delta(
        self: Arc<Self>,
        mut delta: Result<Delta, ProviderError>,
        hash: u64,
        context: CallContext,
    ) -> Result<Delta, ProviderError> {
        if let Ok(Delta::Complete(response)) = &mut delta {
            self.malform(response, hash, &context).await?;
        }
        delta
    }

    /// Performs the fault of a call as far as it needs no response. Returns the rest of it.
    async fn effect_before_response(
        &self,
        hash: u64,
        context: &CallContext,
    ) -> Result<Option<Effect>, Failure> {
        let Some(fault) = self.fault(Phase::Request, hash, context) else { return Ok(None) };
        tracing::debug!(component = self.name, session = context.session_name(), ?fault, "fault");
        if fault.effect.is_failure() {
            context.record_answer(|| AnsweredBy::Fault);
        }
        fault.before_response(context).await?;
        Ok(Some(fault.effect))
    }

    /// Replaces the arguments of the tool calls, after a delay, if a fault asks for it.
    async fn malform(
        &self,
        response: &mut Response,
        hash: u64,
        context: &CallContext,
    ) -> Result<(), ProviderError> {
        if response.tool_calls.is_empty() {
            return Ok(());
        }
        let Some(fault) = self.fault(Phase::ToolCalls, hash, context) else { return Ok(()) };
        fault.before_response(context).await?;
        for call in &mut response.tool_calls {
            fault.effect.malform(&mut call.arguments);
        }
        Ok(())
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

/// Breaks off a stream after this number of chunks.
fn cut(deltas: Deltas, chunks: usize) -> Deltas {
    let is_text = |delta: &Result<Delta, _>| matches!(delta, Ok(Delta::Text(_)));
    let texts = deltas.take_while(move |delta| future::ready(is_text(delta))).take(chunks);
    let end = stream::once(future::ready(Err(ProviderError::broken_off(Delivery::BreakOff))));
    texts.chain(end).boxed()
}
