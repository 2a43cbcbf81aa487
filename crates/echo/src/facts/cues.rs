//! Words that say what the fact after them is for.

use std::{collections::BTreeMap, ops::Range, sync::LazyLock};

use super::{
    Fact, FactType,
    lexicon::pairs,
    words::{Word, Words},
};
use crate::text::WordMap;

/// The cues of one word.
const CUES: &str = "to cc bcc from on at until till by under over in into near for with since titled called named subject return returning due";
/// Words that mean the same as a cue, each followed by the cue.
const SYNONYMS: &str = "min over minimum over above over max under maximum under below under";
/// Cues of two words.
const PAIRS: [(&str, &str, &str); 9] = [
    ("up", "to", "up-to"),
    ("check", "in", "check-in"),
    ("check", "out", "check-out"),
    ("at", "least", "over"),
    ("at", "most", "under"),
    ("more", "than", "over"),
    ("less", "than", "under"),
    ("fewer", "than", "under"),
    ("back", "on", "returning"),
];
/// Words before "to" and a verb, as in "I want to …".
const BEFORE_INFINITIVES: &str =
    "want wants need needs like love wish have has how you able try trying order supposed";
/// Cues that keep their meaning if another cue follows directly: "return on".
const STRONG: &str = "check-in check-out return returning due";
/// A fact behind one of these cues belongs to properties that have the cue.
const EXCLUSIVE: [&str; 14] = [
    "from",
    "to",
    "cc",
    "bcc",
    "under",
    "over",
    "up-to",
    "until",
    "till",
    "return",
    "returning",
    "due",
    "check-in",
    "check-out",
];

/// What a word is as a cue.
#[derive(Default)]
struct CueWord {
    /// The cue that the word is alone.
    single: Option<&'static str>,
    /// The cues that end with the word, each with the word before it.
    pairs: Vec<(&'static str, &'static str)>,
}

static CUE_WORDS: LazyLock<WordMap<CueWord>> = LazyLock::new(|| {
    let mut words: BTreeMap<&str, CueWord> = BTreeMap::new();
    let single = CUES.split_ascii_whitespace().map(|cue| (cue, cue));
    for (word, cue) in single.chain(pairs(SYNONYMS)) {
        words.entry(word).or_default().single = Some(cue);
    }
    for (first, last, cue) in PAIRS {
        words.entry(last).or_default().pairs.push((first, cue));
    }
    WordMap::new(words)
});

static INFINITIVES: LazyLock<WordMap<()>> = LazyLock::new(|| {
    WordMap::new(BEFORE_INFINITIVES.split_ascii_whitespace().map(|word| (word, ())))
});

/// Returns `true` if a list of words contains a word.
pub(crate) fn contains(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}

/// Returns `true` if a fact behind the cue is only for properties that have the cue.
pub(crate) fn is_exclusive(cue: &str) -> bool {
    EXCLUSIVE.contains(&cue)
}

/// The cues in a text, in order.
pub(super) struct Cues(Vec<(usize, &'static str)>);

impl Cues {
    /// Finds the cues among the words of a text.
    pub(super) fn find(text: &str, words: &Words) -> Self {
        let mut cues: Vec<(usize, &'static str)> = Vec::new();
        for (index, word) in words.iter().enumerate() {
            let cue_word = CUE_WORDS.get_hashed(&text[word.range()], word.hash);
            let Some(cue) = cue_word.and_then(|it| it.cue(text, words, index)) else { continue };
            let strong =
                cues.last().filter(|(last, cue)| last + 1 == index && contains(STRONG, cue));
            cues.push((index, strong.map_or(cue, |(_, cue)| cue)));
        }
        Self(cues)
    }

    /// Returns the last cue before a fact, in the same sentence.
    pub(super) fn before(&self, fact: &Range<usize>, words: &Words) -> Option<&'static str> {
        self.word_before(fact, words).map(|(_, cue)| cue)
    }

    /// Returns `true` if a place stands between a date and its cue, as in "to Rome, 2025-06-01".
    /// The cue is then for the place.
    pub(super) fn is_for_place(&self, place: &Fact, date: &Fact, words: &Words) -> bool {
        let is_date = matches!(date.of, FactType::Date | FactType::RelativeDate | FactType::Time);
        let is_place = matches!(place.of, FactType::Name | FactType::Word);
        let is_before_place = |(word, cue): (&Word, &str)| {
            ["from", "to"].contains(&cue) && word.range().end <= place.range.start
        };
        is_date && is_place && self.word_before(&date.range, words).is_some_and(is_before_place)
    }

    fn word_before<'w>(
        &self,
        fact: &Range<usize>,
        words: &'w Words,
    ) -> Option<(&'w Word, &'static str)> {
        let next = self.0.partition_point(|(index, _)| words[*index].range().end <= fact.start);
        let (index, cue) = self.0.get(next.checked_sub(1)?)?;
        let word = &words[*index];
        (word.sentence() == words.sentence_at(fact.start)).then_some((word, cue))
    }
}

impl CueWord {
    /// Returns the cue that ends with the word at `index`.
    fn cue(&self, text: &str, words: &Words, index: usize) -> Option<&'static str> {
        let word = &words[index];
        let before = index.checked_sub(1).map(|index| &words[index]);
        let is = |word: &Word, other: &str| text[word.range()].eq_ignore_ascii_case(other);
        let is_pair = |(first, _): &&(&str, _)| before.is_some_and(|before| is(before, first));
        if let Some((_, cue)) = self.pairs.iter().find(is_pair) {
            let is_not = |word: &Word| is(word, "no") || is(word, "not");
            let is_negated = index.checked_sub(2).is_some_and(|index| is_not(&words[index]));
            return Some(if is_negated { opposite(cue) } else { cue });
        }
        let is_infinitive =
            |it: &Word| INFINITIVES.get_hashed(&text[it.range()], it.hash).is_some();
        // "5 min", "$200 max"
        let follows_number = || {
            let before = text[..word.range().start].strip_suffix(' ');
            before.is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()))
        };
        match self.single? {
            "to" if before.is_some_and(is_infinitive) => None,
            cue @ ("over" | "under") if !is(word, cue) && follows_number() => None,
            cue => Some(cue),
        }
    }
}

/// Returns the cue of what is "not more" or "no less".
fn opposite(cue: &'static str) -> &'static str {
    match cue {
        "over" => "under",
        "under" => "over",
        cue => cue,
    }
}
