//! The model of a run.

use std::sync::Arc;

use futures_util::StreamExt;
use mynah_core::{
    base::blocking::{LARGE, run_blocking_if},
    chat::{Delta, Request, Response},
    provider::{CallContext, Provider, ProviderError, stream::incomplete},
};
use tokio::sync::{Semaphore, mpsc::UnboundedSender};

use super::{LoopEvent, panics::catch_panic};

/// The model of a run. If there is an event listener, answers are streamed.
pub(super) struct Model {
    pub(super) provider: Arc<dyn Provider>,
    /// The context of each turn.
    pub(super) context: CallContext,
    pub(super) listener: Option<Listener>,
}

/// Where the events of a run go.
pub(super) struct Listener {
    pub(super) events: UnboundedSender<LoopEvent>,
    /// Whether the listener wants the events of calls, which have their results.
    pub(super) hears_calls: bool,
    /// A permit for each piece of an answer that may be sent before the listener has received others.
    pub(super) room: Arc<Semaphore>,
}

impl Model {
    /// Requests the next turn. A panic of the provider is returned as an error.
    pub(super) async fn ask(&self, request: &Arc<Request>) -> Result<Response, ProviderError> {
        let panicked =
            |message| ProviderError::internal(format!("the provider panicked: {message}"));
        // Boxed, so that the future of a run stays small.
        let answer = Box::pin(self.answer(request));
        catch_panic(answer).await.unwrap_or_else(|message| Err(panicked(message)))
    }

    async fn answer(&self, request: &Arc<Request>) -> Result<Response, ProviderError> {
        let (provider, request) = (self.provider.clone(), request.clone());
        let context = self.context.clone();
        let is_large = request.size() > LARGE;
        let start = move || provider.answer(request, context);
        let answering = run_blocking_if(is_large, start).await?;
        if self.listener.is_none() {
            return answering.whole(&self.context).await.map(|response| *response);
        }
        let mut deltas = answering.pieces(&self.context);
        while let Some(delta) = deltas.next().await {
            match delta? {
                Delta::Reasoning(text) => self.emit_piece(LoopEvent::Reasoning(text)).await,
                Delta::Text(text) => self.emit_piece(LoopEvent::Text(text)).await,
                Delta::Complete(response) => return Ok(*response),
            }
        }
        Err(incomplete())
    }

    /// Sends a piece of an answer to the listener, if there is one. Waits while too many wait already.
    async fn emit_piece(&self, piece: LoopEvent) {
        if let Some(Listener { room, .. }) = &self.listener
            && let Ok(permit) = room.acquire().await
        {
            permit.forget();
            self.emit(|| piece);
        }
    }

    /// Sends an event of a call to the listener, if there is one that wants it.
    pub(super) fn emit_call(&self, event: impl FnOnce() -> LoopEvent) {
        if self.listener.as_ref().is_some_and(|listener| listener.hears_calls) {
            self.emit(event);
        }
    }

    /// Sends an event to the listener, if there is one. Does not wait, because tools may be running.
    pub(super) fn emit(&self, event: impl FnOnce() -> LoopEvent) {
        if let Some(Listener { events, .. }) = &self.listener {
            // Ignore send errors: if the listener is gone, this task is about to be aborted.
            let _ = events.send(event());
        }
    }
}
