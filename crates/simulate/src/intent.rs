//! What participants want.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ParticipantRole;

/// A goal of a participant in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Intent {
    /// Who has the intent.
    pub role: ParticipantRole,
    /// One or two sentences about what the participant wants to achieve.
    pub description: String,
}

impl Intent {
    /// Creates an intent.
    pub fn new(role: ParticipantRole, description: impl Into<String>) -> Self {
        Self { role, description: description.into() }
    }
}
