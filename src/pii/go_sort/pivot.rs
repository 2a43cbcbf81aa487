//! Where to divide.

use super::{Sorter, bit_len};

/// Fewer items than this have the median of three, more the median of three such medians.
const SHORTEST_NINTHER: usize = 50;
/// As many swaps as finding a pivot can take.
const MAX_SWAPS: u32 = 4 * 3;

/// What the choice of a pivot says about the order of the items.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    Unknown,
    Increasing,
    Decreasing,
}

impl<T, F: Fn(&T, &T) -> bool> Sorter<'_, T, F> {
    /// The items from `start` to before `end` are more than twelve.
    pub(super) fn choose_pivot(&self, start: usize, end: usize) -> (usize, Hint) {
        let len = end - start;
        let [mut low, mut middle, mut high] = [1, 2, 3].map(|part| start + len / 4 * part);
        let mut swaps = 0;
        if len >= SHORTEST_NINTHER {
            low = self.median_adjacent(low, &mut swaps);
            middle = self.median_adjacent(middle, &mut swaps);
            high = self.median_adjacent(high, &mut swaps);
        }
        let pivot = self.median(low, middle, high, &mut swaps);
        let hint = match swaps {
            0 => Hint::Increasing,
            MAX_SWAPS => Hint::Decreasing,
            _ => Hint::Unknown,
        };
        (pivot, hint)
    }

    fn median_adjacent(&self, at: usize, swaps: &mut u32) -> usize {
        self.median(at - 1, at, at + 1, swaps)
    }

    fn median(&self, low: usize, middle: usize, high: usize, swaps: &mut u32) -> usize {
        let (low, middle) = self.order(low, middle, swaps);
        let (middle, _) = self.order(middle, high, swaps);
        self.order(low, middle, swaps).1
    }

    fn order(&self, left: usize, right: usize, swaps: &mut u32) -> (usize, usize) {
        if self.less(right, left) {
            *swaps += 1;
            return (right, left);
        }
        (left, right)
    }

    /// Scatters three items in the middle, by Go's own random numbers, whose seed is the length.
    pub(super) fn break_patterns(&mut self, start: usize, end: usize) {
        let len = end - start;
        let mask = (1_usize << bit_len(len)) - 1;
        let mut random = len as u64;
        let middle = start + len / 4 * 2;
        for at in middle - 1..=middle + 1 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let other = random as usize & mask;
            let other = if other >= len { other - len } else { other };
            self.swap(at, start + other);
        }
    }
}
