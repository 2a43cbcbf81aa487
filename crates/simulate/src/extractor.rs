//! The interface of intent extractors.

use futures_util::future::BoxFuture;

use super::{Conversation, DetectorError, Intent};

/// Infers what a participant of a conversation wants.
pub trait IntentExtractor: Send + Sync {
    /// Returns the intent, or `None` if the conversation shows none.
    ///
    /// # Errors
    ///
    /// In a conversation that is being played, an error is the end reason `detector_error`.
    fn extract<'a>(
        &'a self,
        conversation: &'a Conversation,
    ) -> BoxFuture<'a, Result<Option<Intent>, DetectorError>>;

    /// Returns `true` if the extractor is outside of this process. The conversation then follows the real
    /// clock, unless the settings say otherwise.
    fn is_external(&self) -> bool {
        false
    }
}
