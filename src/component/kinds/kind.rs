//! Component types.

use std::sync::Arc;

use super::common;
use crate::component::{
    report::Report,
    settings::{Metadata, ResolvedValue},
    spec::ProviderSpec,
};

/// A component type.
pub(crate) struct Kind {
    /// The name in lower case, such as `conversation.echo`.
    pub(crate) name: &'static str,
    /// The metadata keys of this type, excluding those that all types have.
    pub(crate) keys: &'static [&'static str],
    /// Reads the values of the keys.
    pub(crate) read: fn(&Metadata<'_>, &mut Report) -> Configured,
}

/// A configured provider.
pub(crate) struct Configured {
    pub(crate) provider: Arc<dyn ProviderSpec>,
    /// The name of the component to fall back to.
    pub(crate) fallback: Option<ResolvedValue>,
}

impl Kind {
    /// Checks the keys and reads their values.
    pub(crate) fn configure(&self, metadata: &Metadata<'_>, report: &mut Report) -> Configured {
        let known = [self.keys, &common::KEYS].concat();
        metadata.check_keys(self.name, &known, report);
        (self.read)(metadata, report)
    }
}
