//! Calls with faults.

use std::sync::Arc;

use futures_util::{StreamExt, future, stream};

use super::{Component, Deltas, Failure};
use crate::{
    chat::{Delivery, Delta, Request, Response},
    provider::{
        CallContext, ProviderError,
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
            None => self.malform(&mut response, hash, &context),
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
        let changes_response = move |mut change: Box<dyn FnMut(&mut Response) + Send>| {
            let deltas = deltas.map(move |mut delta| {
                if let Ok(Delta::Complete(response)) = &mut delta {
                    change(response);
                }
                delta
            });
            deltas.boxed()
        };
        Ok(match effect {
            Some(Effect::CutAfter(chunks)) => cut(changes_response(Box::new(|_| {})), chunks),
            Some(Effect::Empty(part)) => {
                let deltas =
                    changes_response(Box::new(move |response| response.missing = Some(part)));
                let is_text = |delta: &Result<Delta, _>| matches!(delta, Ok(Delta::Text(_)));
                deltas.filter(move |delta| future::ready(!is_text(delta))).boxed()
            }
            Some(_) => changes_response(Box::new(|_| {})),
            None => changes_response(Box::new(move |response| {
                self.malform(response, hash, &context);
            })),
        })
    }

    /// Performs the fault of a call as far as it needs no response. Returns the rest of it.
    async fn effect_before_response(
        &self,
        hash: u64,
        context: &CallContext,
    ) -> Result<Option<Effect>, Failure> {
        let Some(fault) = self.fault(Phase::Request, hash, context) else { return Ok(None) };
        tracing::debug!(component = self.name, session = context.session_name(), ?fault, "fault");
        fault.before_response(context).await?;
        Ok(Some(fault.effect))
    }

    /// Replaces the arguments of the tool calls if a fault asks for it.
    fn malform(&self, response: &mut Response, hash: u64, context: &CallContext) {
        if response.tool_calls.is_empty() {
            return;
        }
        let Some(fault) = self.fault(Phase::ToolCalls, hash, context) else { return };
        for call in &mut response.tool_calls {
            fault.effect.malform(&mut call.arguments);
        }
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
