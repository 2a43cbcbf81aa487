//! The reasons why nothing is compared.

use std::{io, path::PathBuf};

use thiserror::Error as ThisError;

use crate::{base::diagnostics::Diagnostic, cli::args::NoDaprd, client};

/// The reason why nothing is compared.
#[derive(Debug, ThisError)]
pub(crate) enum Error {
    /// The components or the recordings have errors.
    #[error("the configuration cannot be loaded")]
    Invalid(Vec<Diagnostic>),
    /// The folder with the recordings cannot be read.
    #[error("cannot read the recordings in {}", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The folder has no recordings.
    #[error("{}: no recordings; record with --record first", .0.display())]
    Empty(PathBuf),
    /// No component has the name in `--component`.
    #[error("--component: no component {name:?} in --resources-path; expected one of: {known}")]
    UnknownComponent {
        /// The name.
        name: String,
        /// The names of the components.
        known: String,
    },
    /// The folder has no recordings of these components.
    #[error(
        "{}: no recorded request of a component in --resources-path; expected one in {files}",
        .folder.display()
    )]
    Nothing {
        /// The folder.
        folder: PathBuf,
        /// The files that they would have.
        files: String,
    },
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
