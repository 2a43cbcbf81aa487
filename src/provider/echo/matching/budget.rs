//! The work that one call may take, whatever a client sends.

/// Word comparisons of one call: far more than a long prompt with a hundred tools takes, and done
/// in well under a second.
const COMPARISONS: usize = 5_000_000;

/// Work that is left.
#[derive(Debug)]
pub(super) struct Budget {
    left: Option<usize>,
}

/// No work is left.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Exhausted;

impl Budget {
    /// The budget of one call.
    pub(super) fn of_one_call() -> Self {
        Self::new(COMPARISONS)
    }

    /// A budget of so many comparisons.
    pub(super) fn new(comparisons: usize) -> Self {
        Self { left: Some(comparisons) }
    }

    /// Takes work off, before it is done. Once exhausted, a budget stays so.
    pub(super) fn spend(&mut self, comparisons: usize) -> Result<(), Exhausted> {
        self.left = self.left.and_then(|left| left.checked_sub(comparisons));
        self.left.map(|_| ()).ok_or(Exhausted)
    }

    /// Whether more was asked for than there was.
    pub(super) fn is_exhausted(&self) -> bool {
        self.left.is_none()
    }

    #[cfg(test)]
    pub(super) fn left(&self) -> usize {
        self.left.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Exhausted};

    #[test]
    fn stays_exhausted() {
        let mut budget = Budget::new(5);
        assert_eq!(budget.spend(5), Ok(()));
        assert_eq!(budget.spend(1), Err(Exhausted));
        assert_eq!(budget.spend(0), Err(Exhausted));
        assert!(budget.is_exhausted());
    }
}
