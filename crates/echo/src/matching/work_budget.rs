//! The limit on the matching work in one call.

use crate::effort::{Effort, Unfinished};

/// The maximum number of word comparisons in one call. This many comparisons take well under a
/// second. A long prompt with a hundred tools needs far fewer.
const MAX_COMPARISONS: usize = 5_000_000;
/// The maximum number of word comparisons in a brief effort.
const MAX_BRIEF_COMPARISONS: usize = 5_000;

/// The number of comparisons that a call may still make.
#[derive(Debug)]
pub(super) struct WorkBudget {
    left: Option<usize>,
    effort: Effort,
}

impl WorkBudget {
    /// Creates the budget for one call.
    pub(super) fn for_one_call(effort: &Effort) -> Self {
        let comparisons = match effort {
            Effort::Brief => MAX_BRIEF_COMPARISONS,
            Effort::Full(_) => MAX_COMPARISONS,
        };
        Self { left: Some(comparisons), effort: effort.clone() }
    }

    /// Creates a budget of `comparisons`.
    #[cfg(test)]
    pub(super) fn new(comparisons: usize) -> Self {
        Self { left: Some(comparisons), effort: Effort::Brief }
    }

    /// Charges the budget for comparisons before they are made. An exhausted budget stays
    /// exhausted, and so is that of a cancelled call.
    pub(super) fn spend(&mut self, comparisons: usize) -> Result<(), Unfinished> {
        if self.effort.is_cancelled() {
            self.left = None;
        }
        self.left = self.left.and_then(|left| left.checked_sub(comparisons));
        self.left.map(|_| ()).ok_or(Unfinished)
    }

    /// Exhausts the budget.
    pub(super) fn exhaust(&mut self) {
        self.left = None;
    }

    /// Returns `true` if a charge has exceeded the budget.
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
    use super::{Unfinished, WorkBudget};

    #[test]
    fn stays_exhausted() {
        let mut budget = WorkBudget::new(5);
        assert_eq!(budget.spend(5), Ok(()));
        assert_eq!(budget.spend(1), Err(Unfinished));
        assert_eq!(budget.spend(0), Err(Unfinished));
        assert!(budget.is_exhausted());
    }
}
