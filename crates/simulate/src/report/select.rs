//! Chooses the conversations that the report shows.

/// Divides `total` among groups of these sizes: small groups are complete, and the others have equal
/// parts.
pub(super) fn divide(total: usize, sizes: &[usize]) -> Vec<usize> {
    let mut by_size: Vec<_> = (0..sizes.len()).collect();
    by_size.sort_by_key(|group| sizes.get(*group));
    let (mut rest, mut groups) = (total, sizes.len());
    let mut parts = vec![0; sizes.len()];
    for group in by_size {
        let size = sizes.get(group).copied().unwrap_or_default();
        // The groups that are left share what is left. The last one gets the remainder.
        let part = size.min(rest / groups);
        if let Some(slot) = parts.get_mut(group) {
            *slot = part;
        }
        rest -= part;
        groups -= 1;
    }
    parts
}

/// Chooses `count` items at equal distances.
pub(super) fn spread<T: Copy>(items: &[T], count: usize) -> Vec<T> {
    (0..count).filter_map(|number| items.get(number * items.len() / count).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_groups_are_complete_and_others_share_the_rest() {
        for (total, sizes, expected) in [
            (200, vec![], vec![]),
            (200, vec![3, 0, 7], vec![3, 0, 7]),
            (200, vec![1_000, 10, 5_000], vec![95, 10, 95]),
            (10, vec![100, 100, 100], vec![3, 3, 4]),
            (2, vec![1, 1, 1], vec![0, 1, 1]),
        ] {
            assert_eq!(divide(total, &sizes), expected, "{sizes:?}");
        }
    }

    #[test]
    fn spreads_over_all_items() {
        assert_eq!(spread(&[0, 1, 2, 3, 4, 5], 3), [0, 2, 4]);
        assert_eq!(spread(&[0, 1], 2), [0, 1]);
        assert_eq!(spread(&[0, 1], 0), [0; 0]);
    }
}
