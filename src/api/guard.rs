//! Limits on the calls that a surface accepts: who may call, and how large a request may be.

use std::sync::Arc;

use super::access::Access;
use crate::base::memory::MemoryBudget;

/// The checks that every call must pass.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Who may call.
    pub access: Access,
    /// Maximum size in bytes of a request and of a gRPC response.
    pub max_body_size: usize,
    /// The memory for the requests and responses of all calls.
    pub memory: Arc<MemoryBudget>,
}
