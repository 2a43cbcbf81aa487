//! The boundaries of gRPC messages, as in gRPC's specification of HTTP/2 ("Length-Prefixed-Message").

/// A flag for compression and the length of the message.
const PREFIX: usize = 5;

/// Follows the data of a body from message to message.
#[derive(Debug)]
pub(super) struct Framing {
    max_message_size: usize,
    /// The part of the current prefix that has arrived.
    prefix: [u8; PREFIX],
    prefix_len: usize,
    /// Bytes of the current message that have not arrived.
    missing: usize,
    /// Whether no complete message follows.
    is_over: bool,
}

impl Framing {
    pub(super) fn new(max_message_size: usize) -> Self {
        Self { max_message_size, prefix: [0; PREFIX], prefix_len: 0, missing: 0, is_over: false }
    }

    /// Takes the next data of the body.
    pub(super) fn advance(&mut self, mut data: &[u8]) {
        while !data.is_empty() && !self.is_over {
            let in_message = self.missing.min(data.len());
            self.missing -= in_message;
            data = &data[in_message..];
            let in_prefix = (PREFIX - self.prefix_len).min(data.len());
            self.prefix[self.prefix_len..][..in_prefix].copy_from_slice(&data[..in_prefix]);
            self.prefix_len += in_prefix;
            data = &data[in_prefix..];
            if self.prefix_len == PREFIX {
                self.start_message();
            }
        }
    }

    fn start_message(&mut self) {
        let [_, length @ ..] = self.prefix;
        let length = u32::from_be_bytes(length) as usize;
        // A message that is too large is rejected because of its prefix.
        self.is_over = length > self.max_message_size;
        self.prefix_len = 0;
        self.missing = length;
    }

    /// Notes that the body ends here.
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }

    /// Whether no message has arrived in part, or it does not need to arrive completely.
    pub(super) fn is_whole(&self) -> bool {
        self.is_over || (self.missing == 0 && self.prefix_len == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns after which bytes the data received so far is whole.
    fn boundaries(data: &[u8], max_message_size: usize) -> Vec<usize> {
        let mut framing = Framing::new(max_message_size);
        let mut whole = Vec::new();
        for (at, byte) in data.iter().enumerate() {
            framing.advance(&[*byte]);
            if framing.is_whole() {
                whole.push(at + 1);
            }
        }
        whole
    }

    #[test]
    fn is_whole_after_each_message() {
        let data = [0, 0, 0, 0, 2, 7, 7, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 7];
        assert_eq!(boundaries(&data, 10), [7, 12, 18]);
        let mut framing = Framing::new(10);
        framing.advance(&data);
        assert!(framing.is_whole());
        framing.advance(&data[..6]);
        assert!(!framing.is_whole());
    }

    #[test]
    fn does_not_wait_for_messages_that_are_rejected() {
        assert_eq!(boundaries(&[0, 0, 0, 0, 2, 7], 1), [5, 6]);
        let mut framing = Framing::new(1);
        framing.advance(&[0, 0]);
        framing.end();
        assert!(framing.is_whole());
    }
}
