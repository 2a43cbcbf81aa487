//! Catches panics of tools, hooks and models.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

use crate::base::panics;

/// Returns the output of `work`, or the message of its panic. The panic itself is logged.
///
/// `work` must not leave anything inconsistent behind that is used after a panic.
pub(super) async fn catch_panic<T>(work: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|panic| panics::message(&*panic))
}
