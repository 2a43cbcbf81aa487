//! The limit on the work of one call.

/// Word comparisons in one call. A long prompt with a hundred tools needs far fewer, and this many
/// take well under a second.
const MAX_COMPARISONS: usize = 5_000_000;

/// The work that is left.
#[derive(Debug)]
pub(super) struct WorkBudget {
    left: Option<usize>,
}

/// The work budget is exhausted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Exhausted;

impl WorkBudget {
    /// Creates the budget of one call.
    pub(super) fn for_one_call() -> Self {
        Self::new(MAX_COMPARISONS)
    }

    /// Creates a budget of some comparisons.
    pub(super) fn new(comparisons: usize) -> Self {
        Self { left: Some(comparisons) }
    }

    /// Charges for work before it is done. An exhausted budget stays exhausted.
    pub(super) fn spend(&mut self, comparisons: usize) -> Result<(), Exhausted> {
        self.left = self.left.and_then(|left| left.checked_sub(comparisons));
        self.left.map(|_| ()).ok_or(Exhausted)
    }

    /// Whether more work was needed than was left.
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
    use super::{Exhausted, WorkBudget};

    #[test]
    fn stays_exhausted() {
        let mut budget = WorkBudget::new(5);
        assert_eq!(budget.spend(5), Ok(()));
        assert_eq!(budget.spend(1), Err(Exhausted));
        assert_eq!(budget.spend(0), Err(Exhausted));
        assert!(budget.is_exhausted());
    }
}
