//! Work that may burn a core, where it cannot hold up other calls.

use tokio::task::spawn_blocking;

/// What goes through more bytes than this is worked on off the serving threads.
pub(crate) const LARGE: usize = 64 * 1024;

/// The work panicked, and the log says how.
#[derive(Debug)]
pub(crate) struct Panicked;

/// Runs `work` on a thread of its own.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Panicked> {
    spawn_blocking(work).await.map_err(|_| Panicked)
}
