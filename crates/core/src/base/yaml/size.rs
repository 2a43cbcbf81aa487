//! The size of a document.

use std::ops::Add;

/// How large a document is, with aliases expanded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Number of values, including keys.
    pub values: usize,
    /// Size of the scalars, including keys, in bytes.
    pub text: usize,
}

impl Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { values: self.values + other.values, text: self.text + other.text }
    }
}

impl Size {
    /// Maximum size of most documents.
    pub const MAX: Self = Self { values: 500_000, text: 16 << 20 };

    /// Fails if this is larger than `max`.
    ///
    /// # Errors
    ///
    /// The reason, with the limit.
    pub fn check(self, max: Self) -> Result<(), String> {
        let Self { values, text } = max;
        if self.values > values {
            return Err(format!("more than {values} values in one document (aliases expanded)"));
        }
        if self.text > text {
            let mib = text >> 20;
            return Err(format!("more than {mib} MiB of text in one document (aliases expanded)"));
        }
        Ok(())
    }
}
