//! Memory for the bytes of entries, which is used again.

use bytes::{Bytes, BytesMut};

/// The size of a segment in bytes, if the journal may be much larger.
const SEGMENT: usize = 256 * 1024;

/// Appends bytes to segments. A segment is used again when the last entry in it is dropped.
#[derive(Debug)]
pub(super) struct Memory {
    /// The rest of the current segment.
    open: BytesMut,
    /// A segment that is free.
    spare: Option<BytesMut>,
    segment: usize,
}

impl Memory {
    /// Creates the memory of a journal of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { open: BytesMut::new(), spare: None, segment: SEGMENT.min(limit / 8) }
    }

    /// Stores a copy.
    pub(super) fn store(&mut self, bytes: &[u8]) -> Bytes {
        self.store_with(bytes.len(), |memory| memory.extend_from_slice(bytes))
    }

    /// Stores what `write` appends, which has at most `size` bytes.
    pub(super) fn store_with(&mut self, size: usize, write: impl FnOnce(&mut BytesMut)) -> Bytes {
        // Memory of its own, so that little of a segment stays unused.
        if size > self.segment / 16 {
            let mut own = BytesMut::with_capacity(size);
            write(&mut own);
            return own.freeze();
        }
        if self.open.capacity() < size {
            let new = || BytesMut::with_capacity(self.segment);
            self.open = self.spare.take().unwrap_or_else(new);
        }
        write(&mut self.open);
        self.open.split().freeze()
    }

    /// Frees bytes. Their segment is used again if no others are in it.
    pub(super) fn free(&mut self, bytes: Bytes) {
        if let Ok(mut segment) = bytes.try_into_mut() {
            segment.clear();
            // A request that was not copied may have more.
            if segment.try_reclaim(self.segment) && segment.capacity() <= 2 * self.segment {
                self.spare = Some(segment);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_segments_again() {
        let mut memory = Memory::new(SEGMENT);
        let bytes = [7; 1024];
        let stored: Vec<_> = (0..32).map(|_| memory.store(&bytes)).collect();
        assert!(stored.iter().all(|stored| stored[..] == bytes));
        let first = stored[0].as_ptr();
        // The next piece is in another segment, so that nothing but these refers to the first.
        let kept = memory.store(&bytes);
        stored.into_iter().for_each(|bytes| memory.free(bytes));
        let again: Vec<_> = (0..32).map(|_| memory.store(&bytes)).collect();
        assert!(again.iter().any(|bytes| bytes.as_ptr() == first));
        assert_eq!(kept, bytes[..]);
    }

    #[test]
    fn gives_large_pieces_their_own_memory() {
        let mut memory = Memory::new(8 * SEGMENT);
        let large = memory.store(&vec![1; SEGMENT]);
        assert_eq!(memory.open.capacity(), 0);
        memory.free(large);
        assert_eq!(memory.store(b"a"), b"a"[..]);
    }
}
