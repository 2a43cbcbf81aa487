//! A model that is asked again if it fails.

use std::{ops::Range, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture, stream::BoxStream};
use mynah_core::{
    chat::{Delta, Request, Response},
    provider::{CallContext, Provider, ProviderError},
};

/// A model that is asked again if it fails. Streams are not repeated.
pub(super) struct RetryingModel {
    pub(super) model: Arc<dyn Provider>,
    /// Maximum number of retries.
    pub(super) retries: u32,
}

impl Provider for RetryingModel {
    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        self.model.clone().stream(request, context)
    }

    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        let ask = async move {
            let mut retries = self.retries;
            loop {
                let model = self.model.clone();
                match model.converse(request.clone(), context.clone()).await {
                    Err(_) if retries > 0 => retries -= 1,
                    answer => return answer,
                }
            }
        };
        ask.boxed()
    }

    fn instruction_ranges(&self, text: &str) -> Vec<Range<usize>> {
        self.model.instruction_ranges(text)
    }
}
