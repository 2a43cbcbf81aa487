//! The components of mynah in daprd's metadata.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use axum::BoxError;
use bytes::Bytes;
use http_body_util::{BodyExt, Collected, Limited};
use hyper::body::Body;

use crate::{
    api::dapr::metadata::registered_component,
    engine::Engine,
    wire::{
        error::Error,
        metadata::{add_components, add_components_to_json},
        proto::RegisteredComponents,
    },
};

/// Maximum size of daprd's metadata.
const MAX_METADATA: usize = 4 << 20;

/// Adds mynah's components to daprd's metadata. Clones share the names that were warned about.
#[derive(Debug, Clone)]
pub(crate) struct Listing {
    engine: Arc<Engine>,
    replaced: Arc<Mutex<BTreeSet<String>>>,
}

impl Listing {
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        Self { engine, replaced: Arc::default() }
    }

    /// Adds the components to an encoded message. Returns `None` if the message is malformed.
    pub(super) fn add_to_message(&self, message: &[u8]) -> Option<Vec<u8>> {
        let components = self.components();
        add_components(message, &components, |name| self.replaces(name))
    }

    /// Adds the components to a JSON body. Returns `None` if the body is malformed.
    pub(super) fn add_to_json(&self, body: &[u8]) -> Option<String> {
        let components = self.components();
        add_components_to_json(body, &components, |name| self.replaces(name))
    }

    /// Returns mynah's components, without those that only daprd has and lists itself.
    fn components(&self) -> Vec<RegisteredComponents> {
        let own = self.engine.components.all().into_iter().filter(|it| !it.is_of_daprd);
        own.map(|component| registered_component(&component)).collect()
    }

    /// Returns `true` if a component of daprd has the name of one of mynah's. Warns the first time.
    fn replaces(&self, name: &str) -> bool {
        if self.engine.components.find(name).map_or(true, |it| it.is_of_daprd) {
            return false;
        }
        let mut replaced = self.replaced.lock().unwrap_or_else(PoisonError::into_inner);
        // The components of mynah have limited numbers and names, and so do the warnings.
        if replaced.insert(name.to_owned()) {
            tracing::warn!("mynah and daprd both have a component {name:?}; mynah answers for it");
        }
        true
    }
}

/// Reads the metadata of the daprd at this address.
pub(super) async fn read_metadata<B>(body: B, address: &str) -> Result<Collected<Bytes>, Error>
where
    B: Body<Data = Bytes, Error: Into<BoxError>>,
{
    Limited::new(body, MAX_METADATA).collect().await.map_err(|error| {
        let reason = format!("cannot read its metadata: {error}");
        Error::DaprdUnavailable { address: address.to_owned(), reason }
    })
}
