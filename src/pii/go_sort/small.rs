//! The simple sorts that the quicksort falls back to.

use super::Sorter;

/// Neighbours out of order that are mended before the items count as unsorted.
const MAX_MENDED: usize = 5;
/// Among fewer items than this none is mended.
const SHORTEST_MENDED: usize = 50;

impl<T, F: Fn(&T, &T) -> bool> Sorter<'_, T, F> {
    pub(super) fn insertion_sort(&mut self, start: usize, end: usize) {
        for item in start + 1..end {
            let mut at = item;
            while at > start && self.less(at, at - 1) {
                self.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    /// Mends a few items out of order. Tells whether all are sorted then.
    pub(super) fn partial_insertion_sort(&mut self, start: usize, end: usize) -> bool {
        let mut at = start + 1;
        for _ in 0..MAX_MENDED {
            while at < end && !self.less(at, at - 1) {
                at += 1;
            }
            if at == end {
                return true;
            }
            if end - start < SHORTEST_MENDED {
                return false;
            }
            self.swap(at, at - 1);
            if at - start >= 2 {
                self.shift_down(at - 1);
            }
            if end - at >= 2 {
                self.shift_up(at + 1, end);
            }
        }
        false
    }

    /// As in Go, this may run past the start of the run; what is there is less.
    fn shift_down(&mut self, mut at: usize) {
        while at >= 1 && self.less(at, at - 1) {
            self.swap(at, at - 1);
            at -= 1;
        }
    }

    fn shift_up(&mut self, mut at: usize, end: usize) {
        while at < end && self.less(at, at - 1) {
            self.swap(at, at - 1);
            at += 1;
        }
    }

    pub(super) fn heap_sort(&mut self, start: usize, end: usize) {
        let len = end - start;
        for root in (0..=(len - 1) / 2).rev() {
            self.sift_down(root, len, start);
        }
        for last in (0..len).rev() {
            self.swap(start, start + last);
            self.sift_down(0, last, start);
        }
    }

    /// Makes a heap of the items below `root`; indexes count from `first`.
    fn sift_down(&mut self, mut root: usize, len: usize, first: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= len {
                return;
            }
            if child + 1 < len && self.less(first + child, first + child + 1) {
                child += 1;
            }
            if !self.less(first + root, first + child) {
                return;
            }
            self.swap(first + root, first + child);
            root = child;
        }
    }
}
