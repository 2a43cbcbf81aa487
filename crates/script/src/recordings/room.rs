//! How much a recording has, so that it can be read again.

use crate::rules::text_files::MAX_TOTAL_MIB;

/// Maximum size of a file in MiB.
pub const MAX_MIB: u64 = 64;

/// How much a recording has.
#[derive(Debug, Default)]
pub(super) struct Used {
    /// The size of the file in bytes.
    text: usize,
    /// The size of the texts in files of their own, each as often as it is used.
    long_texts: usize,
}

impl Used {
    pub(super) fn new(text: usize, long_texts: usize) -> Self {
        Self { text, long_texts }
    }

    /// Adds sizes.
    ///
    /// # Errors
    ///
    /// Fails if the recording would be too large to be read. Then nothing is added.
    pub(super) fn add(&mut self, text: usize, long_texts: usize) -> Result<(), String> {
        let added = Self::new(self.text + text, self.long_texts + long_texts);
        if added.text as u64 > MAX_MIB << 20 {
            return Err(format!("the file would have more than {MAX_MIB} MiB"));
        }
        if added.long_texts > MAX_TOTAL_MIB << 20 {
            return Err(format!("its texts in files would have more than {MAX_TOTAL_MIB} MiB"));
        }
        *self = added;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_cannot_be_read() {
        const LIMIT: usize = 64 << 20;
        let mut used = Used::new(LIMIT - 1, LIMIT - 2);
        assert_eq!(used.add(2, 0).unwrap_err(), "the file would have more than 64 MiB");
        assert_eq!(used.add(0, 3).unwrap_err(), "its texts in files would have more than 64 MiB");
        assert_eq!(used.add(1, 2), Ok(()));
        assert!(used.add(0, 1).is_err() && used.add(1, 0).is_err());
    }
}
