//! When two words are the same: equal, or one the plural of the other.

/// Whether two lower-case words are the same.
pub(super) fn same(one: &str, other: &str) -> bool {
    // A plural begins like its singular. Most words differ here already.
    one.as_bytes().first() == other.as_bytes().first()
        && (one == other || is_plural(one, other) || is_plural(other, one))
}

/// What words that are the same have in common; words that differ may have it in common too.
pub(super) fn stem(word: &str) -> &str {
    let ends = |byte: &u8| matches!(byte, b's' | b'e' | b'i' | b'y');
    let ending = word.bytes().rev().take_while(ends).count();
    &word[..word.len() - ending]
}

fn is_plural(plural: &str, singular: &str) -> bool {
    // Byte for byte, since most words end here.
    let [.., b's'] = plural.as_bytes() else { return false };
    let without_s = &plural[..plural.len() - 1];
    // "news" has four letters; class, status and analysis are no plurals.
    if plural.chars().nth(4).is_none() || without_s.ends_with(['s', 'u', 'i']) {
        return false;
    }
    without_s == singular
        || hisses(singular) && without_s.strip_suffix('e') == Some(singular)
        || singular.strip_suffix('y').is_some_and(|y| without_s.strip_suffix("ie") == Some(y))
}

fn hisses(word: &str) -> bool {
    word.ends_with(['s', 'x', 'z']) || word.ends_with("ch") || word.ends_with("sh")
}

#[cfg(test)]
mod tests {
    use super::{same, stem};
    use proptest::prelude::*;

    #[test]
    fn plurals_are_the_same_as_their_singulars() {
        let pairs = [
            ("user", "users"),
            ("file", "files"),
            ("address", "addresses"),
            ("box", "boxes"),
            ("branch", "branches"),
            ("hash", "hashes"),
            ("query", "queries"),
            ("city", "cities"),
            ("movie", "movies"),
            ("alias", "aliases"),
            ("database", "databases"),
        ];
        for (singular, plural) in pairs {
            assert!(same(singular, plural) && same(plural, singular), "{singular} {plural}");
            assert_eq!(stem(singular), stem(plural));
        }
    }

    #[test]
    fn other_words_are_not() {
        let pairs = [
            ("new", "news"),
            ("i", "is"),
            ("clas", "class"),
            ("statu", "status"),
            ("analysi", "analysis"),
            ("rain", "training"),
            ("use", "user"),
            ("do", "does"),
            ("tim", "times"),
        ];
        for (one, other) in pairs {
            assert!(!same(one, other) && !same(other, one), "{one} {other}");
        }
    }

    proptest! {
        #[test]
        fn the_same_words_have_one_stem(one in "[abseiyxhu]{0,6}", ending in "|s|es|ies") {
            for singular in [one.as_str(), one.trim_end_matches('y')] {
                let other = format!("{singular}{ending}");
                prop_assert_eq!(same(&one, &other), same(&other, &one));
                prop_assert!(!same(&one, &other) || stem(&one) == stem(&other));
            }
        }
    }
}
