//! Limits on the calls that a surface accepts: who may call, and how large a request may be.

use super::access::Access;

/// The checks that every call must pass.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Who may call.
    pub access: Access,
    /// Maximum size in bytes of a request and of a gRPC response.
    pub max_body_size: usize,
}
