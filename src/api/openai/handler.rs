//! What the requests of OpenAI's API share.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, request::Parts};

use crate::{
    api::{guard::Guard, http::body::read},
    base::memory::Charge,
    engine::Engine,
    net::RequestBody,
    wire::error::Error,
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
    /// Reads the body of a request.
    pub(super) async fn read(
        &self,
        request: Request<RequestBody>,
        charge: &Charge,
    ) -> Result<(Parts, Bytes), Error> {
        let (head, body) = request.into_parts();
        let body = read(body, self.guard.max_body_size, charge).await?;
        Ok((head, body))
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
