//! Filler text.

#[rustfmt::skip]
const WORDS: [&str; 69] = [
    "lorem", "ipsum", "dolor", "sit", "amet", "consectetur", "adipiscing", "elit", "sed", "do",
    "eiusmod", "tempor", "incididunt", "ut", "labore", "et", "dolore", "magna", "aliqua", "ut",
    "enim", "ad", "minim", "veniam", "quis", "nostrud", "exercitation", "ullamco", "laboris",
    "nisi", "ut", "aliquip", "ex", "ea", "commodo", "consequat", "duis", "aute", "irure", "dolor",
    "in", "reprehenderit", "in", "voluptate", "velit", "esse", "cillum", "dolore", "eu", "fugiat",
    "nulla", "pariatur", "excepteur", "sint", "occaecat", "cupidatat", "non", "proident", "sunt",
    "in", "culpa", "qui", "officia", "deserunt", "mollit", "anim", "id", "est", "laborum",
];

/// Returns the first `words` words of lorem ipsum, starting over after the last one.
pub(crate) fn filler(words: usize) -> String {
    WORDS.iter().copied().cycle().take(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_the_words_in_order() {
        assert_eq!(filler(0), "");
        assert_eq!(filler(6), "lorem ipsum dolor sit amet consectetur");
        assert!(filler(69).ends_with("mollit anim id est laborum"));
        assert!(filler(71).ends_with("est laborum lorem ipsum"));
    }
}
