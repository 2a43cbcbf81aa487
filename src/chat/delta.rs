//! Pieces of a streamed response.

use super::Response;

/// A piece of a streamed response.
///
/// A stream has any number of texts, then exactly one [`Delta::Complete`]. The texts joined are the
/// content of the response, byte for byte.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// The next piece of the content, never empty.
    Text(String),
    /// The whole response, as the unary call returns it. Tool calls are only here.
    ///
    /// Boxed to keep the enum small: there is one of these and up to thousands of texts.
    Complete(Box<Response>),
}
