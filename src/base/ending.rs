//! The ways in which responses end.

/// The way in which a response ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With its trailers.
    Trailers,
    /// Before it is complete: HTTP/2 resets the stream, and HTTP/1 closes the connection.
    BreakOff,
    /// Before it is complete: the connection is reset, with all its calls. Unix sockets can only be
    /// closed.
    Reset,
}

impl Ending {
    /// The trailer that selects how a response ends. It is never sent.
    pub(crate) const HEADER: &str = "mynah-ending";

    /// Returns the value of the trailer.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Trailers => "trailers",
            Self::BreakOff => "break-off",
            Self::Reset => "reset",
        }
    }
}
