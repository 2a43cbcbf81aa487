//! How long the program waits for its clients.

use std::time::Duration;

/// Time in which the whole body of a request, or its message, must arrive.
pub(crate) const BODY_TIMEOUT: Duration = Duration::from_secs(30);
