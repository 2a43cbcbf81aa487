//! Word comparison that ignores the difference between singular and plural.

/// Returns `true` if two lower-case words are equal, or if one is the plural of the other.
pub(super) fn is_same_word(one: &str, other: &str) -> bool {
    // Reject most pairs early: singular and plural have the same first letter.
    one.as_bytes().first() == other.as_bytes().first()
        && (one == other || is_plural(one, other) || is_plural(other, one))
}

/// Returns a prefix that a word shares with its singular and plural, and possibly with other words.
pub(super) fn stem(word: &str) -> &str {
    let is_ending = |byte: &u8| matches!(byte, b's' | b'e' | b'i' | b'y');
    let ending = word.bytes().rev().take_while(is_ending).count();
    &word[..word.len() - ending]
}

fn is_plural(plural: &str, singular: &str) -> bool {
    // Most words fail here, so compare bytes, which is faster.
    let [.., b's'] = plural.as_bytes() else { return false };
    let without_s = &plural[..plural.len() - 1];
    // Excludes "news", "class", "status" and "analysis".
    if plural.chars().nth(4).is_none() || without_s.ends_with(['s', 'u', 'i']) {
        return false;
    }
    without_s == singular
        || ends_in_sibilant(singular) && without_s.strip_suffix('e') == Some(singular)
        || singular.strip_suffix('y').is_some_and(|y| without_s.strip_suffix("ie") == Some(y))
}

/// Returns `true` if the plural of a word ends in "es".
fn ends_in_sibilant(word: &str) -> bool {
    word.ends_with(['s', 'x', 'z']) || word.ends_with("ch") || word.ends_with("sh")
}

#[cfg(test)]
mod tests {
    use super::{is_same_word, stem};
    use proptest::prelude::*;

    #[test]
    fn plurals_equal_their_singulars() {
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
            assert!(
                is_same_word(singular, plural) && is_same_word(plural, singular),
                "{singular} {plural}"
            );
            assert_eq!(stem(singular), stem(plural));
        }
    }

    #[test]
    fn other_words_differ() {
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
            assert!(!is_same_word(one, other) && !is_same_word(other, one), "{one} {other}");
        }
    }

    proptest! {
        #[test]
        fn same_words_have_the_same_stem(one in "[abseiyxhu]{0,6}", ending in "|s|es|ies") {
            for singular in [one.as_str(), one.trim_end_matches('y')] {
                let other = format!("{singular}{ending}");
                prop_assert_eq!(is_same_word(&one, &other), is_same_word(&other, &one));
                prop_assert!(!is_same_word(&one, &other) || stem(&one) == stem(&other));
            }
        }
    }
}
