//! Runs long computations on blocking threads, so that they do not delay other calls.

use std::{any::Any, cell::Cell, sync::Arc};

use tokio::{runtime::Handle, sync::Semaphore, task::spawn_blocking};
use tokio_util::task::AbortOnDropHandle;

/// Work that processes more bytes than this runs on a blocking thread.
pub const LARGE: usize = 64 * 1024;

/// The error for work that panicked. The panic itself is logged.
#[derive(Debug)]
pub struct Panicked;

thread_local! {
    static IS_BLOCKING: Cell<bool> = const { Cell::new(false) };
}

/// Returns `true` if this thread serves no calls, so that long work can be done at once.
pub fn is_blocking_thread() -> bool {
    IS_BLOCKING.get()
}

/// Makes the current thread a blocking one until it is dropped.
struct OnBlockingThread;

impl OnBlockingThread {
    fn enter() -> Self {
        IS_BLOCKING.set(true);
        Self
    }
}

impl Drop for OnBlockingThread {
    fn drop(&mut self) {
        IS_BLOCKING.set(false);
    }
}

/// Runs `work` on a blocking thread, or on this thread outside of a Tokio runtime. If the future is
/// dropped before the work starts, the work is dropped too.
pub async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Panicked> {
    if Handle::try_current().is_err() {
        return Ok(work());
    }
    let done = run_any(Box::new(|| Box::new(work()))).await?;
    // It always has this type.
    done.downcast().map(|done| *done).map_err(|_| Panicked)
}

/// Work of any type, so that Tokio's code for a task is compiled only once.
type AnyWork = Box<dyn FnOnce() -> Box<dyn Any + Send> + Send>;

async fn run_any(work: AnyWork) -> Result<Box<dyn Any + Send>, Panicked> {
    let work = || {
        let _until_done = OnBlockingThread::enter();
        work()
    };
    AbortOnDropHandle::new(spawn_blocking(work)).await.map_err(|_| Panicked)
}

/// Runs `work` on a blocking thread when it has a permit of `turns`, which it keeps until it ends, even if
/// the future is dropped.
pub async fn run_blocking_in_turn<T: Send + 'static>(
    turns: &Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Panicked> {
    // Fails only if the semaphore is closed, and then nothing limits the work.
    let turn = turns.clone().acquire_owned().await.ok();
    let work = move || {
        let _until_done = turn;
        work()
    };
    run_blocking(work).await
}

/// Runs `work` on a blocking thread if it is large, otherwise on this thread.
pub async fn run_blocking_if<T: Send + 'static>(
    is_large: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Panicked> {
    if is_large { run_blocking(work).await } else { Ok(work()) }
}
