//! Catches panics of tools, hooks and models.

use std::panic::AssertUnwindSafe;

use futures_util::{FutureExt, TryFutureExt};
use mynah_core::base::panics;

/// Returns the output of `work`, or the message of its panic. The panic itself is logged.
///
/// `work` must not leave anything inconsistent behind that is used after a panic.
// Not an async function, whose future would have room for `work` twice.
pub(super) fn catch_panic<T>(
    work: impl Future<Output = T>,
) -> impl Future<Output = Result<T, String>> {
    AssertUnwindSafe(work).catch_unwind().map_err(|panic| panics::message(&*panic))
}
