//! Go's `sort.Slice`, to the swap.
//!
//! Dapr's scrubber sorts with a comparison that calls equal ranges less than each other, so how
//! they end up is up to the algorithm, and no other sort gives daprd's answers. This is a port of
//! `pdqsort_func` in `sort/zsortfunc.go` of Go 1.26, which has been the same since Go 1.19:
//! pattern-defeating quicksort, with insertion sort for up to 12 items and heap sort where the
//! pivots are bad, so at most n log n steps. Go's licence is in the file LICENSE beside this one.

mod pivot;
mod small;

use self::pivot::Hint;

/// Runs of this many items and fewer are sorted by insertion.
const MAX_INSERTION: usize = 12;

/// Sorts as `sort.Slice(data, less)` does in Go, whatever `less` says of equal items.
pub(super) fn sort<T>(data: &mut [T], less: impl Fn(&T, &T) -> bool) {
    let (len, limit) = (data.len(), bit_len(data.len()));
    Sorter { data, less }.quicksort(0, len, limit);
}

/// Go's `bits.Len`: how many bits a number has.
fn bit_len(number: usize) -> u32 {
    usize::BITS - number.leading_zeros()
}

/// The items, by index, since what happens to them depends on where they stand.
struct Sorter<'a, T, F> {
    data: &'a mut [T],
    less: F,
}

impl<T, F: Fn(&T, &T) -> bool> Sorter<'_, T, F> {
    fn less(&self, left: usize, right: usize) -> bool {
        (self.less)(&self.data[left], &self.data[right])
    }

    fn swap(&mut self, left: usize, right: usize) {
        self.data.swap(left, right);
    }

    /// Sorts the items from `start` to before `end`; `limit` bad pivots are allowed.
    fn quicksort(&mut self, mut start: usize, mut end: usize, mut limit: u32) {
        let (mut balanced, mut partitioned) = (true, true);
        while end - start > MAX_INSERTION {
            if limit == 0 {
                return self.heap_sort(start, end);
            }
            if !balanced {
                self.break_patterns(start, end);
                limit -= 1;
            }
            let (pivot, hint) = self.directed_pivot(start, end);
            let looks_sorted = balanced && partitioned && hint == Hint::Increasing;
            if looks_sorted && self.partial_insertion_sort(start, end) {
                return;
            }
            if start > 0 && !self.less(start - 1, pivot) {
                start = self.partition_equal(start, end, pivot);
                continue;
            }
            let (middle, already) = self.partition(start, end, pivot);
            partitioned = already;
            let (left, right) = (middle - start, end - middle);
            balanced = left.min(right) >= (end - start) / 8;
            // The smaller side goes deeper, so the depth is logarithmic.
            if left < right {
                self.quicksort(start, middle, limit);
                start = middle + 1;
            } else {
                self.quicksort(middle + 1, end, limit);
                end = middle;
            }
        }
        self.insertion_sort(start, end);
    }

    /// A pivot; items that seem to be in falling order are turned round first.
    fn directed_pivot(&mut self, start: usize, end: usize) -> (usize, Hint) {
        match self.choose_pivot(start, end) {
            (pivot, Hint::Decreasing) => {
                self.data[start..end].reverse();
                (end - 1 - (pivot - start), Hint::Increasing)
            }
            chosen => chosen,
        }
    }

    /// Items less than the pivot go before it. Tells where it is then, and whether all were in
    /// place already.
    fn partition(&mut self, start: usize, end: usize, pivot: usize) -> (usize, bool) {
        self.swap(start, pivot);
        let (mut low, mut high) = (start + 1, end - 1);
        let mut already = true;
        loop {
            while low <= high && self.less(low, start) {
                low += 1;
            }
            while low <= high && !self.less(high, start) {
                high -= 1;
            }
            if low > high {
                break;
            }
            self.swap(low, high);
            low += 1;
            high -= 1;
            already = false;
        }
        self.swap(high, start);
        (high, already)
    }

    /// Items equal to the pivot go before the greater ones; none is less. Tells where those start.
    fn partition_equal(&mut self, start: usize, end: usize, pivot: usize) -> usize {
        self.swap(start, pivot);
        let (mut low, mut high) = (start + 1, end - 1);
        loop {
            while low <= high && !self.less(start, low) {
                low += 1;
            }
            while low <= high && self.less(start, high) {
                high -= 1;
            }
            if low > high {
                return low;
            }
            self.swap(low, high);
            low += 1;
            high -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::sort;

    /// Keys in disorder, in rows, nearly sorted, and up then down; the same in every language.
    fn patterns(count: u64) -> [Vec<u64>; 4] {
        let disorder = |at: u64| at.wrapping_mul(2_654_435_761) % 1_000_003 % (count / 3);
        let nearly = |at| at / 2 + if at % 97 == 5 { 9 } else { 0 };
        let pipes = |at| if at > count / 2 { count - at } else { at };
        let keys = 0..count;
        [
            keys.clone().map(disorder).collect(),
            keys.clone().map(|at| at % 71).collect(),
            keys.clone().map(nearly).collect(),
            keys.map(pipes).collect(),
        ]
    }

    /// A checksum of the places that the keys came from.
    fn order(keys: &[u64]) -> u64 {
        let mut items: Vec<_> = keys.iter().zip(0_u64..).collect();
        sort(&mut items, |left, right| left.0 <= right.0);
        assert!(items.is_sorted_by_key(|item| item.0));
        items.iter().fold(0, |sum: u64, item| sum.wrapping_mul(31).wrapping_add(item.1))
    }

    /// The sums are those of the same few lines in Go 1.26.
    #[test]
    fn equal_items_stand_as_in_go() {
        #[rustfmt::skip]
        let cases = [
            (12, [152_746_080_863_377_236, 875_180_870_876_166, 25_489_617_988_279_746, 9_050_942_795_486_916]),
            (13, [4_735_128_562_677_450_438, 27_130_606_997_161_158, 790_178_157_636_672_348, 306_014_170_581_318_318]),
            (49, [15_883_769_531_812_476_296, 552_634_825_432_740_632, 9_736_498_595_841_353_554, 6_384_549_384_208_094_010]),
            (50, [172_033_302_417_802_659, 17_131_679_588_414_959_641, 13_732_130_674_830_226_975, 9_508_480_812_205_726_105]),
            (400, [16_256_340_821_501_425_930, 10_709_998_373_006_588_486, 12_818_678_025_602_162_510, 217_211_973_596_399_992]),
            (5000, [18_115_973_729_049_345_672, 16_711_300_604_878_161_372, 8_356_172_330_929_253_046, 11_528_537_861_100_691_716]),
            (100_000, [9_716_839_076_038_667_218, 3_331_784_401_107_260_930, 7_736_420_305_071_104_158, 7_791_143_808_831_797_792]),
        ];
        for (count, expected) in cases {
            assert_eq!(patterns(count).map(|keys| order(&keys)), expected, "{count} items");
        }
    }

    proptest! {
        #[test]
        fn what_comes_out_is_sorted(mut numbers in prop::collection::vec(0..500_u16, 0..400)) {
            let mut expected = numbers.clone();
            expected.sort_unstable();
            sort(&mut numbers, |left, right| left <= right);
            prop_assert_eq!(numbers, expected);
        }
    }
}
