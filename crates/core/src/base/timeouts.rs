//! Timeouts for clients.

use std::time::Duration;

/// Time that a client has to send the whole body of a request.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(30);
