//! What a surface accepts: from whom, and how much.

use super::access::Access;

/// The rules that every call must pass before it is read.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Who may call.
    pub access: Access,
    /// Maximum size of a request or response in bytes.
    pub max_body_size: usize,
}
