//! Runs long computations on blocking threads, so that they do not delay other calls.

use tokio::task::spawn_blocking;

/// Work that processes more bytes than this runs on a blocking thread.
pub(crate) const LARGE: usize = 64 * 1024;

/// The error for work that panicked. The panic itself is logged.
#[derive(Debug)]
pub(crate) struct Panicked;

/// Runs `work` on a blocking thread.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Panicked> {
    spawn_blocking(work).await.map_err(|_| Panicked)
}
