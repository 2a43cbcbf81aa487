use super::Response;

/// A piece of a streamed answer.
///
/// A stream is any number of texts, which joined are the content byte for byte, then exactly one
/// [`Delta::Complete`].
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// The next piece of the content, never empty.
    Text(String),
    /// The end: what the unary call would have returned. Tool calls come only here.
    ///
    /// In a box, since it comes once, and a text is moved from hand to hand a thousand times.
    Complete(Box<Response>),
}
