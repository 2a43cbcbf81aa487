//! A model that is asked again if it fails.

use std::{ops::Range, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture};
use mynah_core::{
    chat::{Request, Response},
    provider::{Answering, CallContext, Deltas, Live, Provider, ProviderError},
};

/// A model that is asked again if it fails. Streams are not repeated.
#[derive(Clone)]
pub(super) struct RetryingModel {
    pub(super) model: Arc<dyn Provider>,
    /// Maximum number of retries.
    pub(super) retries: u32,
}

struct RetriedCall {
    model: RetryingModel,
    request: Arc<Request>,
    context: CallContext,
}

impl Live for RetriedCall {
    fn whole(self: Box<Self>) -> BoxFuture<'static, Result<Response, ProviderError>> {
        let Self { model: RetryingModel { model, mut retries }, request, context } = *self;
        let ask = async move {
            loop {
                match model.clone().converse(request.clone(), context.clone()).await {
                    Err(_) if retries > 0 => retries -= 1,
                    answer => return answer,
                }
            }
        };
        ask.boxed()
    }

    fn pieces(self: Box<Self>) -> Deltas {
        self.model.model.stream(self.request, self.context)
    }
}

impl Provider for RetryingModel {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        let model = Arc::unwrap_or_clone(self);
        Answering::Live(Box::new(RetriedCall { model, request, context }))
    }

    fn instruction_ranges(&self, text: &str) -> Vec<Range<usize>> {
        self.model.instruction_ranges(text)
    }
}
