//! The model of a run.

use std::sync::Arc;

use futures_util::StreamExt;
use tokio::sync::mpsc::Sender;

use super::LoopEvent;
use crate::{
    chat::{Delta, Request, Response},
    provider::{CallContext, Provider, ProviderError, stream::incomplete},
};

/// The model of a run. If there is an event listener, answers are streamed.
pub(super) struct Model {
    pub(super) provider: Arc<dyn Provider>,
    pub(super) listener: Option<Sender<LoopEvent>>,
}

impl Model {
    /// Requests the next turn.
    pub(super) async fn ask(&self, request: &Arc<Request>) -> Result<Response, ProviderError> {
        let (provider, request) = (self.provider.clone(), request.clone());
        let context = CallContext::default();
        let _cancel = context.cancel_on_drop();
        if self.listener.is_none() {
            return provider.converse(request, context).await;
        }
        let mut deltas = provider.stream(request, context);
        while let Some(delta) = deltas.next().await {
            match delta? {
                Delta::Text(text) => self.emit(|| LoopEvent::Text(text)).await,
                Delta::Complete(response) => return Ok(*response),
            }
        }
        Err(incomplete())
    }

    /// Sends an event to the listener, if there is one. Waits while the listener's queue is full.
    pub(super) async fn emit(&self, event: impl FnOnce() -> LoopEvent) {
        if let Some(listener) = &self.listener {
            // Ignore send errors: if the listener is gone, this future is about to be dropped.
            let _ = listener.send(event()).await;
        }
    }
}
