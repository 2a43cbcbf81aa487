//! All lists of words, and what they say of a word.

mod values;
mod verbs;

use std::sync::LazyLock;

use foldhash::fast::FixedState;
use indexmap::IndexMap;
use iso_currency::Currency;

use super::canonical::canonical;
use values::{CURRENCY_NAMES, LANGUAGES, NUMBERS, SEASONS};

pub(crate) use values::{
    AMOUNT_UNITS, DISTANCES, NO_USERS, PARTNERS, PRICES, SITES, STREETS, TIMES, UNITS,
};
pub(crate) use verbs::{
    ADJECTIVES, ARTICLES, BEFORE_VERBS, CHANGE_VERBS, CHANGES, DESCRIBING_VERBS, INFINITIVES,
    JOINTS, NOUNS, OFFERS, PRONOUNS, QUESTIONS, SEARCHES, SUBJECT_VERBS, WISH_VERBS, requests,
    same_verbs,
};

/// Words that do not indicate the purpose of a tool.
const GENERIC: &str = "get fetch list show set do run execute call use perform find look up lookup \
     retrieve read check search query view give tell current tool function api info data detail \
     new latest all the a an of for by id in on to from with and or me my";
/// Words at an end of a name that do not indicate the purpose of the tool, in canonical form.
pub(crate) const GENERIC_ENDS: &str =
    "func fn handler async impl service agent action endpoint task status";
/// Verbs that ask for so many different things that they do not mention a tool alone.
const COMMON_VERBS: &str = "add create delete remove update change send open close start stop cancel save \
     set book order";
/// Common verbs that ask for some number.
const CALCULATIONS: &str = "calculate calc compute estimate determine";
/// Verbs that may ask for some number and say little of what a tool is for, besides generic and common ones.
const VAGUE_VERBS: &str = "predict generate analyze analyse compare";
/// Nouns that any question may have, in canonical form.
pub(crate) const COMMON_NOUNS: &str = "time date day number";
/// Common words of descriptions and requests that say nothing of what a tool is for.
const VAGUE_WORDS: &str = "what when where which that this there their them have has with your into over more most \
     than then will would could should please want need like using used based given specified provided specific \
     certain particular between from some only also make help know number value name type return about different same \
     other another each every";
/// Expressions whose words do not mention tools.
pub(crate) const LEFT_OUT: [&[&str]; 4] =
    [&["in", "order", "to"], &["on", "time"], &["in", "time"], &["at", "the", "same", "time"]];
/// Words before the verb of a request, each with what may stand instead of it.
pub(crate) const OPENINGS: [&[&str]; 11] = [
    &["please"],
    &["can could will would may", "you i we"],
    &["i we", "want need have", "to"],
    &["i we", "want need", "you", "to"],
    &["i we", "would d", "like", "to"],
    &["we", "should"],
    &["i we", "m am re are"],
    &["let", "s"],
    &["help", "me", "to"],
    &["help", "me"],
    &["is", "it", "possible", "to"],
];
/// Verbs that form arithmetic with a number after them, in canonical form.
pub(crate) const ARITHMETIC_VERBS: [&str; 4] = ["add", "subtract", "multipli", "divide"];

/// Words that negate what follows, besides "not" and "n't".
pub(super) const NEGATIONS: [&str; 3] = ["never", "without", "no"];
/// Words of wishes and plans, in canonical form: "I don't want to send it" negates "send", and "should not be
/// sent" does.
const WISHES: [&str; 7] = ["want", "need", "wish", "plan", "intend", "have", "be"];

/// Verbs that ask for what follows if they are negated, in canonical form.
pub(super) const ENCOURAGEMENTS: &str = "forget hesitate neglect fail omit worri mind";

/// Titles of persons and saints, whose dot ends no sentence.
pub(super) const TITLES: [&str; 6] = ["Mr", "Mrs", "Ms", "Dr", "Prof", "St"];
/// Lower-case words inside names.
pub(crate) const PARTICLES: [&str; 18] = [
    "de", "da", "do", "dos", "del", "di", "la", "le", "van", "von", "der", "of", "am", "im", "en",
    "sur", "sous", "upon",
];
/// Numerals at the end of names.
pub(crate) const NUMERALS: [&str; 4] = ["II", "III", "IV", "VI"];
/// Capital letters that say what a value is.
pub(crate) const ACRONYMS: [&str; 5] = ["API", "ID", "IP", "URL", "UUID"];
/// The beginnings of names before an apostrophe.
pub(crate) const ELISIONS: [&str; 6] = ["O'", "O’", "D'", "D’", "L'", "L’"];

/// The cues of one word: words that say what the fact after them is for.
const CUES: &str = "to cc bcc from on at until till by under over in into near for with since titled called named subject \
     return returning due";
/// Words that mean the same as a cue, each followed by the cue.
const CUE_SYNONYMS: &str = "min over minimum over above over max under maximum under below under featuring with starring \
     with features with feature with stars with around near \
     through until inviting with invite with";
/// Cues of two words.
pub(crate) const CUE_PAIRS: [(&str, &str, &str); 10] = [
    ("up", "to", "up-to"),
    ("check", "in", "check-in"),
    ("check", "out", "check-out"),
    ("at", "least", "over"),
    ("at", "most", "under"),
    ("more", "than", "over"),
    ("less", "than", "under"),
    ("fewer", "than", "under"),
    ("back", "on", "returning"),
    ("out", "of", "from"),
];
/// Words before "to" and a verb, as in "I want to …".
const BEFORE_INFINITIVES: &str =
    "want wants need needs like love wish have has how you able try trying order supposed";
/// Cues that keep their meaning if another cue follows directly: "return on".
pub(crate) const STRONG_CUES: &str = "check-in check-out return returning due";
/// A fact behind one of these cues belongs to properties that have the cue.
const EXCLUSIVE_CUES: &str =
    "from to cc bcc under over up-to until till return returning due check-in check-out";

/// Words, besides generic words, that may stand between a fact and the word that it belongs to.
pub(crate) const FILLERS: [&str; 12] =
    ["number", "no", "nr", "is", "are", "be", "code", "max", "min", "more", "additional", "extra"];

/// Words of a property where something starts, and where it ends.
const START_WORDS: &str =
    "from start begin origin source departure sender checkin pickup old current min minimum";
const END_WORDS: &str = "to end until destination target arrival return due deadline recipient checkout \
     dropoff into new max maximum";
/// Words of a property that do not decide on its kind unless they are alone.
const KIND_FILLERS: &str =
    "from to by count max min maximum minimum start end source target arrival departure return";
/// Words that make an id of a property if they are its last.
const ID_WORDS: &str = "id number code key ref reference";
/// Words of a property beside which none of its facts stands.
pub(crate) const NO_OWN_WORDS: &str = "from to count max min maximum minimum number code key ref";
/// Words that say that a boolean property is true, and nothing more.
pub(crate) const BOOLEAN_FILLERS: &str = "is has include included with by via onli enable enabled allow allowed should need needed want visibility visible";

/// Words between a noun and what is said of it: "the door was not locked".
pub(super) const AUXILIARIES: &str = "is are was were be been not has have had alreadi";
/// Words that start a clause.
pub(crate) const CLAUSE_STARTS: &str = "and then while";
/// The ends of the names of files.
pub(super) const FILE_EXTENSIONS: &str = "pdf txt md csv tsv json yaml yml xml html doc docx xls xlsx ppt pptx odt ods png \
     jpg jpeg gif svg mp3 mp4 wav zip tar gz log py js ts go rs java sql sh";
/// Words that join the items of a list.
pub(crate) const LIST_JOINTS: &str = "and or then as well also";
/// Words of tools whose `subject` is that of a message.
pub(crate) const MAILS: &str = "email mail message send reply ticket notification reminder";
/// Words of properties that count, in canonical form.
pub(crate) const COUNTS: &str = "quantiti qty count number amount copi";
/// Words for people who are counted, in canonical form.
pub(crate) const PEOPLE: &str = "people person participant guest passenger traveler visitor attendee kid kids child \
     children adult friend student member player customer client patient tenant employee";
/// Words before the first word of an item of a list.
pub(crate) const ITEM_STARTS: &str = "a an the some any my our";
/// Words that end a list of phrases.
pub(crate) const PHRASE_ENDS: &str = "for in on at to from by until till since near under over about as into per \
     please then also but because between aside so if when while starting today tomorrow now";
/// Words of another clause than the words before them.
pub(crate) const CLAUSE_WORDS: &str = "i we he she it they me us him her them you this these those there that which who \
     is are was were be has have had will would should could can may do does not thanks thank your his their \
     nobody everybody everyone someone somebody";
/// Words before a number that is not the value of a text.
pub(crate) const PREPOSITIONS: &str = "for in on at to of with from by about";
/// Parts of compounds that are no names, besides prepositions and numbers: "check-up", "self-service".
pub(super) const COMPOUND_PARTS: &str =
    "up off out down back away non self pre post re co anti well half semi all";
/// Words between a value and what it is for.
pub(crate) const CONNECTIVES: &str = "is are was be will should equal equals as of to at set the a an called named exactly \
     over under above below least most more less no not than up";

/// Words of texts about a request, which are not its objects, in canonical form.
pub(crate) const OWN_TEXTS: &str =
    "reason description note comment detail remark problem issue cause title subject";

/// Units, times and other words that are not places even after "in", and not names even if capitalized.
const NOT_PLACES: &str = "i i'm i'd i'll i've celsius fahrenheit kelvin degree degrees meters metres miles kilometers km \
     inches feet kg kilograms grams pounds hours hour minutes minute seconds second days day weeks week months month \
     years year morning afternoon evening night noon midnight now today tomorrow yesterday tonight time order advance \
     general detail details total progress case fact person here there it that this them me him her us you mine stock \
     touch summer winter spring autumn scratch home work upper lower percent cash person order business economy first \
     class be do go make see get have call know help buy";

/// Words after which a lower-case word may be a place.
const BEFORE_PLACES: [(&str, BeforePlace); 3] = [
    ("in near from to", BeforePlace::Preposition),
    ("the", BeforePlace::Article),
    ("at on", BeforePlace::Site),
];

pub(crate) const MONTHS: &str =
    "january february march april may june july august september october november december";
pub(crate) const WEEKDAYS: &str = "monday tuesday wednesday thursday friday saturday sunday";
/// Other words that start a date or a time without digits.
const RELATIVE: &str = "today tonight tomorrow yesterday next noon midnight";
/// What a word before a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BeforePlace {
    Preposition,
    /// It stands between a preposition and the place.
    Article,
    /// A preposition that needs an article or a number as well.
    Site,
}

/// What the lists say of a word, as written or in canonical form.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Entry {
    /// The number that the word stands for.
    pub(crate) number: Option<&'static str>,
    /// The ISO 639-1 code of a language.
    pub(crate) language: Option<&'static str>,
    /// The ISO 4217 code of a currency that has this name.
    currency: Option<&'static str>,
    is_no_name: bool,
    pub(crate) before_place: Option<BeforePlace>,
    /// Whether a date without digits may start with the word, or with "next" or "this" before it.
    pub(crate) is_relative: bool,
    /// The cue that the word is alone.
    pub(crate) cue: Option<&'static str>,
    /// Whether cues of two words end with the word.
    pub(crate) ends_cue: bool,
    /// Whether "to" after the word is no cue.
    pub(crate) is_before_infinitive: bool,
    is_generic: bool,
    is_common_verb: bool,
    is_vague_verb: bool,
    is_calculation: bool,
    is_vague: bool,
    /// Whether something starts at a property with the word, or ends there.
    pub(crate) is_start: bool,
    pub(crate) is_end: bool,
    pub(crate) is_kind_filler: bool,
    pub(crate) makes_id: bool,
    /// Whether an opening may start with the word.
    pub(crate) starts_opening: bool,
    /// Whether the word may be part of a name, although it is none.
    pub(crate) is_in_names: bool,
}

impl Entry {
    /// Returns the entry of a word in any case.
    pub(crate) fn listed(word: &str) -> &'static Self {
        let is_lower = !word.bytes().any(|byte| byte.is_ascii_uppercase());
        let entry =
            if is_lower { LEXICON.get(word) } else { LEXICON.get(&*word.to_ascii_lowercase()) };
        entry.unwrap_or(&NONE)
    }

    /// Returns the ISO 4217 code of the currency that the word of the entry means. Codes must be in capitals.
    pub(crate) fn currency(&self, word: &str) -> Option<&'static str> {
        let is_like_code = word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        let code = || Some(Currency::from_code(word)?.code());
        is_like_code.then(code).flatten().or(self.currency)
    }

    /// Returns `true` if the word may be, or be part of, the name of a place or a person.
    pub(crate) fn may_be_name(&self) -> bool {
        !self.is_no_name && self.language.is_none() && self.currency.is_none()
    }
}

/// Marks the entry of a word.
type Mark = fn(&mut Entry);

/// Lists whose words are also compared in canonical form, each with what it says of a word.
const MARKS: [(&str, Mark); 19] = [
    (NOT_PLACES, |entry| entry.is_no_name = true),
    (NOT_PLACES, |entry| entry.is_in_names = true),
    (MONTHS, |entry| entry.is_no_name = true),
    (SEASONS, |entry| entry.is_in_names = true),
    (MONTHS, |entry| entry.is_in_names = true),
    (WEEKDAYS, |entry| entry.is_no_name = true),
    (WEEKDAYS, |entry| entry.is_relative = true),
    (RELATIVE, |entry| entry.is_relative = true),
    (BEFORE_INFINITIVES, |entry| entry.is_before_infinitive = true),
    (GENERIC, |entry| entry.is_generic = true),
    (COMMON_VERBS, |entry| entry.is_common_verb = true),
    (CALCULATIONS, |entry| entry.is_common_verb = true),
    (CALCULATIONS, |entry| entry.is_calculation = true),
    (VAGUE_VERBS, |entry| entry.is_vague_verb = true),
    (VAGUE_WORDS, |entry| entry.is_vague = true),
    (START_WORDS, |entry| entry.is_start = true),
    (END_WORDS, |entry| entry.is_end = true),
    (KIND_FILLERS, |entry| entry.is_kind_filler = true),
    (ID_WORDS, |entry| entry.makes_id = true),
];

/// The entry of a word that is not listed.
pub(super) static NONE: LazyLock<Entry> = LazyLock::new(Entry::default);

static LEXICON: LazyLock<IndexMap<String, Entry, FixedState>> = LazyLock::new(|| {
    let mut lexicon: IndexMap<String, Entry, FixedState> = IndexMap::default();
    let mut add = |word: &str, set: &dyn Fn(&mut Entry)| {
        set(lexicon.entry(word.to_owned()).or_default());
    };
    pairs(NUMBERS).for_each(|(word, number)| add(word, &|entry| entry.number = Some(number)));
    pairs(LANGUAGES).for_each(|(word, code)| add(word, &|entry| entry.language = Some(code)));
    pairs(CURRENCY_NAMES).for_each(|(word, code)| add(word, &|entry| entry.currency = Some(code)));
    for (words, role) in BEFORE_PLACES {
        list(words).for_each(|word| add(word, &|entry| entry.before_place = Some(role)));
    }
    for (word, cue) in list(CUES).map(|cue| (cue, cue)).chain(pairs(CUE_SYNONYMS)) {
        add(word, &|entry| entry.cue = Some(cue));
    }
    CUE_PAIRS.iter().for_each(|(_, last, _)| add(last, &|entry| entry.ends_cue = true));
    for word in OPENINGS.iter().filter_map(|opening| opening.first()).flat_map(|it| list(it)) {
        add(word, &|entry| entry.starts_opening = true);
    }
    for (words, mark) in MARKS {
        for word in list(words) {
            add(word, &mark);
            add(&canonical(word), &mark);
        }
    }
    lexicon
});

/// Returns `true` if a canonical word does not indicate the purpose of a tool.
pub(crate) fn is_generic(canonical: &str) -> bool {
    Entry::listed(canonical).is_generic || is_number(canonical)
}

/// Returns `true` if a canonical verb asks for too many different things to mention a tool alone.
pub(crate) fn is_common_verb(canonical: &str) -> bool {
    Entry::listed(canonical).is_common_verb
}

/// Returns `true` if a canonical verb says little of what a tool is for.
pub(crate) fn is_vague_verb(canonical: &str) -> bool {
    let entry = Entry::listed(canonical);
    entry.is_vague_verb || entry.is_common_verb
}

/// Returns `true` if a canonical verb may ask for some number.
pub(crate) fn is_calculation(canonical: &str) -> bool {
    let entry = Entry::listed(canonical);
    entry.is_calculation || entry.is_vague_verb
}

/// Returns `true` if a canonical word of a name is likely its verb.
pub(crate) fn is_verb(canonical: &str) -> bool {
    is_generic(canonical) || is_vague_verb(canonical) || same_verbs(canonical).next().is_some()
}

/// Returns `true` if a canonical word of a description or a request may say what a tool is for.
pub(crate) fn is_telling(canonical: &str) -> bool {
    canonical.len() > 2 && !is_generic(canonical) && !Entry::listed(canonical).is_vague
}

/// Returns `true` if a negation before a canonical word also reaches the next word: "without running
/// migrations".
pub(super) fn passes_on_negation(canonical: &str) -> bool {
    is_generic(canonical) || WISHES.contains(&canonical) || canonical.ends_with("ing")
}

/// Returns `true` if a canonical word is a whole number or a version, such as "v2".
pub(crate) fn is_number(canonical: &str) -> bool {
    let number = canonical.strip_prefix('v').unwrap_or(canonical);
    !number.is_empty() && number.chars().all(char::is_numeric)
}

/// Returns `true` if a fact behind the cue is only for properties that have the cue.
pub(crate) fn is_exclusive(cue: &str) -> bool {
    contains(EXCLUSIVE_CUES, cue)
}

/// Returns the words of a list.
pub(crate) fn list(words: &'static str) -> impl Iterator<Item = &'static str> {
    words.split_ascii_whitespace()
}

/// Returns `true` if a list of words contains a word.
pub(crate) fn contains(list: &str, word: &str) -> bool {
    list.as_bytes().split(|byte| *byte == b' ').any(|one| one == word.as_bytes())
}

/// Splits a list in which each name is followed by its code.
pub(crate) fn pairs(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut words = list.split_ascii_whitespace();
    std::iter::from_fn(move || Some((words.next()?, words.next()?)))
}

#[cfg(test)]
mod tests {
    use super::{canonical, is_generic};

    #[test]
    fn recognizes_generic_words() {
        for word in ["get", "details", "queries", "fetches", "v1", "V22", "2024", "The", "my", "by"]
        {
            assert!(is_generic(&canonical(word)), "{word}");
        }
        for word in ["send", "weather", "v", "vx", "news", "gets", "s3", ""] {
            assert!(!is_generic(&canonical(word)), "{word}");
        }
    }
}
