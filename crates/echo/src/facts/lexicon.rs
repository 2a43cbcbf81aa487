//! Words with a fixed meaning.

use std::{collections::BTreeMap, sync::LazyLock};

use iso_currency::Currency;

use crate::text::{WordMap, hash_word};

/// Other ways to write a currency, each followed by its code.
const CURRENCY_NAMES: &str = "$ USD € EUR £ GBP ¥ JPY dollar USD dollars USD bucks USD euro EUR euros EUR pound GBP \
     pounds GBP yen JPY yuan CNY rupee INR rupees INR franc CHF francs CHF";

/// Names of languages, each followed by its ISO 639-1 code.
const LANGUAGES: &str = "afrikaans af albanian sq arabic ar armenian hy basque eu bengali bn bulgarian bg catalan ca \
     chinese zh croatian hr czech cs danish da dutch nl english en estonian et finnish fi french fr galician gl \
     georgian ka german de greek el hebrew he hindi hi hungarian hu icelandic is indonesian id irish ga italian it \
     japanese ja korean ko latin la latvian lv lithuanian lt malay ms maltese mt mandarin zh nepali ne norwegian no \
     persian fa polish pl portuguese pt punjabi pa romanian ro russian ru serbian sr slovak sk slovenian sl spanish es \
     swahili sw swedish sv tagalog tl tamil ta thai th turkish tr ukrainian uk urdu ur vietnamese vi welsh cy";

/// Units, times and other words that are not places even after "in", and not names even if capitalized.
const NOT_PLACES: &str = "i i'm i'd i'll i've celsius fahrenheit kelvin degree degrees meters metres miles kilometers km \
     inches feet kg kilograms grams pounds hours hour minutes minute seconds second days day weeks week months month \
     years year morning afternoon evening night noon midnight now today tomorrow yesterday tonight time order advance \
     general detail details total progress case fact person here there it that this them me him her us you mine stock \
     touch summer winter spring autumn scratch home work upper lower percent cash person order business economy first \
     class be do go make see get have call know help buy";

/// Words after which a lower-case word may be a place.
const BEFORE_PLACES: [(&str, BeforePlace); 5] = [
    ("in", BeforePlace::Preposition),
    ("near", BeforePlace::Preposition),
    ("from", BeforePlace::Preposition),
    ("to", BeforePlace::Preposition),
    ("the", BeforePlace::Article),
];

pub(super) const MONTHS: &str =
    "january february march april may june july august september october november december";
pub(super) const WEEKDAYS: &str = "monday tuesday wednesday thursday friday saturday sunday";
/// Other words that start a date or a time without digits.
const RELATIVE: &str = "today tonight tomorrow yesterday next noon midnight";
const NUMBERS: &str = "one two three four five six seven eight nine ten eleven twelve";

/// What a word before a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BeforePlace {
    Preposition,
    /// It stands between a preposition and the place.
    Article,
}

/// The meanings of a word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meanings {
    /// The value of "one" to "twelve".
    pub(super) number: Option<usize>,
    /// The ISO 639-1 code of a language.
    pub(super) language: Option<&'static str>,
    /// The ISO 4217 code of a currency.
    pub(super) currency: Option<&'static str>,
    is_no_name: bool,
    pub(super) before_place: Option<BeforePlace>,
    /// Whether a date without digits may start with the word, or with "next" or "this" before it.
    pub(super) is_relative: bool,
}

impl Meanings {
    /// The meanings of a word that is not listed.
    pub(super) const NONE: Self = Self {
        number: None,
        language: None,
        currency: None,
        is_no_name: false,
        before_place: None,
        is_relative: false,
    };

    /// Returns the meanings of a word in any case. Codes of currencies must be in capitals.
    pub(super) fn of(word: &str) -> Self {
        Self::listed(word, hash_word(word)).with_code(word)
    }

    /// Returns the meanings of a word with this hash, apart from codes of currencies.
    pub(super) fn listed(word: &str, hash: u32) -> &'static Self {
        LEXICON.get_hashed(word, hash).unwrap_or(&Self::NONE)
    }

    /// Adds the meaning of the word as the code of a currency.
    pub(super) fn with_code(self, word: &str) -> Self {
        let is_like_code = word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        let code = || Some(Currency::from_code(word)?.code());
        Self { currency: is_like_code.then(code).flatten().or(self.currency), ..self }
    }

    /// Returns `true` if the word may be, or be part of, the name of a place or a person.
    pub(super) fn may_be_name(self) -> bool {
        !self.is_no_name && self.language.is_none() && self.currency.is_none()
    }
}

static LEXICON: LazyLock<WordMap<Meanings>> = LazyLock::new(|| {
    let mut lexicon: BTreeMap<&str, Meanings> = BTreeMap::new();
    for (number, word) in NUMBERS.split_ascii_whitespace().enumerate() {
        lexicon.entry(word).or_insert(Meanings::NONE).number = Some(number + 1);
    }
    for (name, code) in pairs(LANGUAGES) {
        lexicon.entry(name).or_insert(Meanings::NONE).language = Some(code);
    }
    for (name, code) in pairs(CURRENCY_NAMES) {
        lexicon.entry(name).or_insert(Meanings::NONE).currency = Some(code);
    }
    for word in [NOT_PLACES, MONTHS, WEEKDAYS].into_iter().flat_map(str::split_ascii_whitespace) {
        lexicon.entry(word).or_insert(Meanings::NONE).is_no_name = true;
    }
    for (word, role) in BEFORE_PLACES {
        lexicon.entry(word).or_insert(Meanings::NONE).before_place = Some(role);
    }
    for word in [RELATIVE, WEEKDAYS].into_iter().flat_map(str::split_ascii_whitespace) {
        lexicon.entry(word).or_insert(Meanings::NONE).is_relative = true;
    }
    WordMap::new(lexicon)
});

/// Splits a list in which each name is followed by its code.
pub(super) fn pairs(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut words = list.split_ascii_whitespace();
    std::iter::from_fn(move || Some((words.next()?, words.next()?)))
}

/// Returns the number of a month by its name or an abbreviation of at least three letters.
pub(super) fn month_of(word: &str) -> Option<u32> {
    let start = word.to_ascii_lowercase();
    let month = MONTHS.split_ascii_whitespace().zip(1..).find(|(name, _)| name.starts_with(&start));
    month.filter(|_| start.len() > 2).map(|(_, month)| month)
}
