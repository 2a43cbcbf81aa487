//! Lists of names in messages.

/// Maximum number of names in a list.
const MAX_NAMES: usize = 10;

/// Joins the first of `count` names, and counts the others.
pub(super) fn listed<'a>(
    names: impl Iterator<Item = &'a str>,
    count: usize,
    separator: &str,
) -> String {
    let first: Vec<_> = names.take(MAX_NAMES).collect();
    let joined = first.join(separator);
    match count.saturating_sub(MAX_NAMES) {
        0 => joined,
        more => format!("{joined}{separator}… ({more} more)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_the_first_names() {
        let listed = |count| listed(["a"; 20].into_iter().take(count), count, " ");
        assert_eq!(listed(2), "a a");
        assert_eq!(listed(10), "a a a a a a a a a a");
        assert_eq!(listed(12), "a a a a a a a a a a … (2 more)");
    }
}
