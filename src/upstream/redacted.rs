//! A model whose errors have no secrets.

use std::sync::Arc;

use futures_util::{FutureExt, StreamExt, TryFutureExt, TryStreamExt, future::BoxFuture};

use crate::{
    chat::{Request, Response},
    provider::{Answering, CallContext, Deltas, Live, Provider, ProviderError},
};

/// A model whose errors have no secrets, because servers quote the keys that they refuse.
pub(crate) struct RedactedProvider(pub(crate) Arc<dyn Provider>);

impl Provider for RedactedProvider {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        Answering::Live(Box::new(RedactedCall { model: self.0.clone(), request, context }))
    }
}

struct RedactedCall {
    model: Arc<dyn Provider>,
    request: Arc<Request>,
    context: CallContext,
}

impl Live for RedactedCall {
    fn whole(self: Box<Self>) -> BoxFuture<'static, Result<Response, ProviderError>> {
        let Self { model, request, context } = *self;
        model.converse(request, context.clone()).map_err(move |it| redacted(it, &context)).boxed()
    }

    fn pieces(self: Box<Self>) -> Deltas {
        let Self { model, request, context } = *self;
        model.stream(request, context.clone()).map_err(move |it| redacted(it, &context)).boxed()
    }
}

fn redacted(mut error: ProviderError, context: &CallContext) -> ProviderError {
    let redactor = context.redactor();
    redactor.redact_text(&mut error.message);
    let metadata = error.details.iter_mut().flat_map(|it| it.metadata.values_mut());
    metadata.for_each(|text| redactor.redact_text(text));
    error
}
