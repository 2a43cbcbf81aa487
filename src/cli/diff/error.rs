//! The reasons why nothing is compared.

use std::path::PathBuf;

use thiserror::Error as ThisError;

use crate::{base::diagnostics::Diagnostic, cli::args::NoDaprd, client};

/// The reason why nothing is compared.
#[derive(Debug, ThisError)]
pub(crate) enum Error {
    /// The components or the recordings have errors.
    #[error("the configuration cannot be loaded")]
    Invalid(Vec<Diagnostic>),
    /// There is nothing to compare.
    #[error("{}: no recording of a component in --resources-path", .0.display())]
    Nothing(PathBuf),
    /// There is no daprd.
    #[error(transparent)]
    NoDaprd(#[from] NoDaprd),
    /// The components of daprd cannot be listed.
    #[error("daprd at {0} is not available: {1}")]
    Daprd(String, client::Error),
    /// The counters of tools cannot be created.
    #[error("cannot count calls: {0}")]
    Metrics(String),
}

impl Error {
    pub(crate) fn diagnostics(&self) -> &[Diagnostic] {
        if let Self::Invalid(errors) = self { errors } else { &[] }
    }
}
