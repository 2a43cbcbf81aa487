//! What a surface accepts: from whom, and how much.

use super::access::Access;

/// The rules that every call must pass before it is read.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Who may call.
    pub access: Access,
    /// Maximum size in bytes of a request, and of a gRPC response.
    pub max_body_size: usize,
}
