//! How errors reach clients.

/// How an error reaches a client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Delivery {
    /// As the status of the response.
    #[default]
    Status,
    /// As the status of the response, which gRPC sends after headers even if no message precedes it.
    StatusAfterHeaders,
    /// Not at all: the response breaks off. HTTP/2 resets the stream, and HTTP/1 closes the connection.
    BreakOff,
    /// Not at all: the connection is reset, with all its calls. Unix sockets can only be closed.
    Reset,
}

impl Delivery {
    /// Returns `true` if the response ends before it is complete.
    pub fn is_early(self) -> bool {
        matches!(self, Self::BreakOff | Self::Reset)
    }
}
