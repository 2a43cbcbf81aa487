//! The limit of open files.

/// Raises the soft limit of open files to the hard one: every connection and every address of a session
/// takes some.
#[cfg(unix)]
pub(crate) fn raise_open_files_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum {
        return;
    }
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::debug!(%error, "cannot raise the limit of open files");
    }
}

#[cfg(not(unix))]
pub(crate) fn raise_open_files_limit() {}
