//! How much a recording has, so that it can be read again.

use crate::rules::{rules_text::MAX_RECORDING, text_files::MAX_TOTAL_MIB};

/// Maximum size of a file in MiB.
pub const MAX_MIB: u64 = 64;

/// How much a recording or one of its rules has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Used {
    /// The size of the file in bytes.
    pub(super) bytes: usize,
    /// The number of values in the file.
    pub(super) values: usize,
    /// The size of the texts in files of their own, each as often as it is used.
    pub(super) long_texts: usize,
}

impl Used {
    /// Replaces a part.
    ///
    /// # Errors
    ///
    /// Fails if the recording would be too large to be read. Then nothing is changed.
    pub(super) fn replace(&mut self, old: Self, new: Self) -> Result<(), String> {
        let sum = |all: usize, old, new| all.saturating_sub(old) + new;
        let changed = Self {
            bytes: sum(self.bytes, old.bytes, new.bytes),
            values: sum(self.values, old.values, new.values),
            long_texts: sum(self.long_texts, old.long_texts, new.long_texts),
        };
        if changed.bytes as u64 > MAX_MIB << 20 {
            return Err(format!("the file would have more than {MAX_MIB} MiB"));
        }
        if changed.values > MAX_RECORDING.values {
            let max = MAX_RECORDING.values;
            return Err(format!("the file would have more than {max} values"));
        }
        if changed.long_texts > MAX_TOTAL_MIB << 20 {
            return Err(format!("its texts in files would have more than {MAX_TOTAL_MIB} MiB"));
        }
        *self = changed;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_cannot_be_read() {
        const LIMIT: usize = 64 << 20;
        let mut used = Used { bytes: LIMIT - 1, values: 7_999_999, long_texts: LIMIT - 2 };
        let of = |bytes, values, long_texts| Used { bytes, values, long_texts };
        let mut add = |old, new| used.replace(old, new);
        let none = Used::default();
        let bytes = "the file would have more than 64 MiB";
        assert_eq!(add(none, of(2, 0, 0)).unwrap_err(), bytes);
        let values = "the file would have more than 8000000 values";
        assert_eq!(add(none, of(0, 2, 0)).unwrap_err(), values);
        let texts = "its texts in files would have more than 64 MiB";
        assert_eq!(add(none, of(0, 0, 3)).unwrap_err(), texts);
        assert_eq!(add(none, of(1, 1, 2)), Ok(()));
        for one_more in [of(1, 0, 0), of(0, 1, 0), of(0, 0, 1)] {
            assert!(add(none, one_more).is_err());
            assert_eq!(add(one_more, one_more), Ok(()));
        }
    }
}
