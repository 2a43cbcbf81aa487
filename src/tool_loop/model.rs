//! The model of a run, and whoever listens.

use std::sync::Arc;

use futures_util::StreamExt;
use tokio::sync::mpsc::Sender;

use super::LoopEvent;
use crate::{
    chat::{Delta, Request, Response},
    provider::{Provider, ProviderError},
};

/// Answers the turns of one run. Somebody may listen; then the answers are streamed.
pub(super) struct Model {
    pub(super) provider: Arc<dyn Provider>,
    pub(super) listener: Option<Sender<LoopEvent>>,
}

impl Model {
    /// The next turn.
    pub(super) async fn ask(&self, request: &Arc<Request>) -> Result<Response, ProviderError> {
        let (provider, request) = (self.provider.clone(), request.clone());
        if self.listener.is_none() {
            return provider.converse(request).await;
        }
        let mut deltas = provider.stream(request);
        while let Some(delta) = deltas.next().await {
            match delta? {
                Delta::Text(text) => self.tell(|| LoopEvent::Text(text)).await,
                Delta::Complete(response) => return Ok(*response),
            }
        }
        Err(no_end())
    }

    /// Tells whoever listens, and waits until they can hear it.
    pub(super) async fn tell(&self, event: impl FnOnce() -> LoopEvent) {
        if let Some(listener) = &self.listener {
            // Where the listener is gone, so is this future, soon.
            let _ = listener.send(event()).await;
        }
    }
}

fn no_end() -> ProviderError {
    ProviderError::internal("the answer broke off: the stream ended without its last delta")
}
