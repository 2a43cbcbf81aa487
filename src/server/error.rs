//! Startup errors.

use std::{io, path::PathBuf};

use thiserror::Error as ThisError;

use tokio::task::JoinError;

use crate::{
    base::{blocking::Panicked, diagnostics::Diagnostic, endpoint::Endpoint},
    net::BindError,
    upstream::RecorderError,
};

/// The reason why a sidecar cannot start.
#[derive(Debug, ThisError)]
pub(crate) enum StartError {
    /// The components have errors.
    #[error("the configuration cannot be loaded")]
    Components(Vec<Diagnostic>),
    /// No component follows rules or instruction chains.
    #[error(
        "--strict has no effect, because no component follows rules or instruction chains: use \
         --rules, --stand-in scripted for other types, or a component of type conversation.scripted"
    )]
    UselessStrict,
    /// There is no component whose recording may answer.
    #[error(
        "--replay has no effect, because there is no component that a recording answers for: give the folder of \
         your components with --resources-path"
    )]
    UselessReplay,
    /// An address cannot be bound.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The addresses file cannot be written.
    #[error("cannot write the addresses to {}", .path.display())]
    AddressesFile {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The journal file cannot be written.
    #[error("cannot write the journal to {}", .path.display())]
    JournalFile {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Nothing can be recorded.
    #[error("cannot record")]
    Record(#[from] RecorderError),
    /// The folder with the recordings cannot be read.
    #[error("cannot read the recordings in {}", .path.display())]
    ReplayFolder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The folder of the component sockets cannot be made.
    #[error("cannot make the folder {}", .path.display())]
    SocketFolder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Loading the components panicked. The panic is in the log.
    #[error("loading the components panicked; see the log")]
    Panicked,
    /// The worker threads cannot be started.
    #[error("cannot start the worker threads")]
    Threads(#[source] io::Error),
}

/// The reason why a sidecar stops serving before it is told to.
#[derive(Debug, ThisError)]
pub(crate) enum ServeError {
    /// A socket is no longer listening.
    #[error("no longer listening on {address}")]
    Accept {
        /// The address of the socket.
        address: Endpoint,
        /// The cause.
        source: io::Error,
    },
    /// A task that accepts connections panicked.
    #[error("no longer listening")]
    Panicked(#[source] JoinError),
}

impl From<Panicked> for StartError {
    fn from(_: Panicked) -> Self {
        Self::Panicked
    }
}

impl StartError {
    /// Returns the errors of the components.
    pub(crate) fn diagnostics(&self) -> &[Diagnostic] {
        if let Self::Components(errors) = self { errors } else { &[] }
    }
}
