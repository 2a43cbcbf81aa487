//! What the requests of OpenAI's API share.

use std::sync::Arc;

use bytes::Bytes;
use http::Request;

use crate::{
    api::{guard::Guard, http::body::read, pipeline},
    engine::Engine,
    net::{RequestBody, TransportCall},
    provider::{CallContext, call::Surface},
    wire::{
        error::Error,
        headers::call_context,
        openai::{self, DecodedBody, ModelRequest},
        sent::SentRequest,
    },
};

/// Answers requests.
#[derive(Debug, Clone)]
pub(super) struct Handler {
    pub(super) engine: Arc<Engine>,
    pub(super) guard: Arc<Guard>,
    /// The component for models that are not components.
    pub(super) default_component: Option<Arc<str>>,
}

impl Handler {
    /// Reads a request. Returns its body, its call and what its headers tell of the call.
    pub(super) async fn read(
        &self,
        request: Request<RequestBody>,
    ) -> Result<(Bytes, TransportCall, CallContext), Error> {
        let (head, body) = request.into_parts();
        let call = body.call().clone();
        let body = read(body, self.guard.max_body_size, call.charge()).await?;
        let context = call_context(Surface::OpenAi, &head.headers, call.charge());
        Ok((body, call, context))
    }

    /// Decodes a request and finds its component. `deployment` is the model in the path, if it has one.
    pub(super) async fn decode<M: ModelRequest>(
        &self,
        body: Bytes,
        deployment: Option<&str>,
        context: &mut CallContext,
    ) -> Result<DecodedBody<M>, Error> {
        // Only the journal needs the body after it was decoded.
        let mut sent = self.engine.journal.is_some().then(|| M::sent(&body));
        let mut request = match pipeline::decode(openai::Body(body), context, Box::<M>::new).await {
            Ok(request) => request,
            Err(error) => return Err(self.reject(error, sent, context)),
        };
        sent.iter_mut().for_each(|sent| sent.summarize(request.large_attachments()));
        match self.component(deployment.unwrap_or(request.model())) {
            Ok(component) => request.set_component(component),
            Err(error) => return Err(self.reject(error, sent, context)),
        }
        Ok(DecodedBody { request, sent })
    }

    /// Records a call that has reached no component. Returns its error.
    #[cold]
    pub(super) fn reject(
        &self,
        error: Error,
        sent: Option<SentRequest>,
        context: &mut CallContext,
    ) -> Error {
        self.engine.record(context, false, || sent).rejected(error, context)
    }

    /// Returns the name of the component that a model stands for: the one of that name, or else the
    /// default, or else the only one.
    pub(super) fn component(&self, model: &str) -> Result<String, Error> {
        let components = &self.engine.components;
        let names = [Some(model), self.default_component.as_deref()];
        let named = names.into_iter().flatten().find_map(|name| components.find(name).ok());
        if let Some(component) = named {
            return Ok(component.name.clone());
        }
        match components.all().as_slice() {
            [only] => Ok(only.name.clone()),
            all => {
                let served = all.iter().map(|component| component.name.clone()).collect();
                Err(Error::UnknownModel { model: model.to_owned(), served })
            }
        }
    }
}
