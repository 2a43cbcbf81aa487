//! Checked components.

use std::{any::Any, fmt, sync::Arc};

use super::stand_in::StandIn;
use crate::{pii::Scrubber, provider::Provider};

/// A checked component.
#[derive(Debug, Clone)]
pub struct ComponentSpec {
    /// The name that clients use.
    pub name: String,
    /// The type as it is written, such as `conversation.echo`.
    pub kind: String,
    /// The version as it is written; may be empty.
    pub version: String,
    /// Scrubs personal data if a request asks for it.
    pub scrubber: Scrubber,
    /// The settings of the provider.
    pub provider: Arc<dyn ProviderSpec>,
    /// The component that the provider falls back to.
    pub fallback: Option<Arc<Self>>,
    /// Set if the provider stands in for that of the type.
    pub stand_in: Option<StandIn>,
}

impl ComponentSpec {
    /// Builds the provider.
    pub fn build_provider(&self) -> Arc<dyn Provider> {
        let fallback = self.fallback.as_ref().map(|fallback| fallback.build_provider());
        self.provider.build(&self.name, fallback)
    }
}

// Not derived, since that does not compile for `Arc<dyn …>` (rust-lang/rust#31740).
impl PartialEq for ComponentSpec {
    fn eq(&self, other: &Self) -> bool {
        let Self { name, kind, version, scrubber, provider, fallback, stand_in } = self;
        *name == other.name
            && *kind == other.kind
            && *version == other.version
            && *scrubber == other.scrubber
            && **provider == *other.provider
            && *fallback == other.fallback
            && *stand_in == other.stand_in
    }
}

impl Eq for ComponentSpec {}

/// The checked settings of a provider.
///
/// Implemented for a type that compares equal if its providers give the same answers: a reload
/// builds only the providers whose settings have changed.
pub trait ProviderSpec: DynEq + fmt::Debug + Send + Sync {
    /// Builds the provider of the component `name`.
    fn build(&self, name: &str, fallback: Option<Arc<dyn Provider>>) -> Arc<dyn Provider>;
}

impl PartialEq for dyn ProviderSpec {
    fn eq(&self, other: &Self) -> bool {
        self.dyn_eq(other)
    }
}

impl Eq for dyn ProviderSpec {}

/// Equality of trait objects.
pub trait DynEq: Any {
    /// Whether both are of the same type and equal.
    fn dyn_eq(&self, other: &dyn Any) -> bool;
}

impl<T: Any + PartialEq> DynEq for T {
    fn dyn_eq(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}
