//! Makes values equal that change from run to run.

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, LazyLock, OnceLock},
};

use memchr::{memchr_iter, memchr2_iter};
use mynah_core::base::{
    pattern::Pattern,
    text_or_mapping::{TextOrMapping, text_or_mapping},
};
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

/// A kind of values that change from run to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Normalization {
    /// UUIDs.
    Uuid,
    /// Dates with a time.
    Datetime,
    /// Dates.
    Date,
    /// Ports of this machine.
    Port,
    /// Paths of temporary files.
    Tmp,
    /// Hexadecimal numbers of at least 16 digits.
    Hex,
}

/// What a file makes equal: a kind of values, or what a pattern matches.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged, rename = "Normalization")]
pub enum NormalizationSource {
    /// A kind of values.
    Kind(Normalization),
    /// A pattern.
    Custom(Custom),
}

/// What replaces the matches of a pattern.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Custom {
    /// A regular expression.
    pattern: String,
    /// The text that replaces each match.
    r#as: String,
}

/// Replaces values that change from run to run.
#[derive(Debug, Clone, Default)]
pub struct Normalizer {
    kinds: Vec<Normalization>,
    /// Patterns, and what replaces their matches.
    custom: Vec<(Pattern, String)>,
}

/// The normalization of files that do not state any.
static USUAL: LazyLock<Arc<Normalizer>> = LazyLock::new(|| {
    let kinds = vec![Normalization::Uuid, Normalization::Datetime];
    Arc::new(Normalizer { kinds, custom: Vec::new() })
});

impl Normalization {
    /// All kinds, in the order in which they are replaced.
    pub const ALL: [Self; 6] =
        [Self::Uuid, Self::Datetime, Self::Date, Self::Port, Self::Tmp, Self::Hex];

    /// Returns the name in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Uuid => "uuid",
            Self::Datetime => "datetime",
            Self::Date => "date",
            Self::Port => "port",
            Self::Tmp => "tmp",
            Self::Hex => "hex",
        }
    }

    /// Returns `false` if a text has no values of this kind. Saves most texts the search.
    fn may_be_in(self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let byte = |at: usize| bytes.get(at).copied();
        let is_digit = |at: usize| byte(at).is_some_and(|byte| byte.is_ascii_digit());
        match self {
            // The groups in the middle have four digits.
            Self::Uuid => memchr_iter(b'-', bytes).any(|at| byte(at + 5) == Some(b'-')),
            // The compact form has a T instead.
            Self::Datetime => {
                let is_between = |at: usize| is_digit(at + 1) && is_digit(at.wrapping_sub(1));
                memchr2_iter(b':', b'T', bytes).any(is_between)
            }
            Self::Port => memchr_iter(b':', bytes).any(|at| is_digit(at + 1)),
            Self::Date | Self::Tmp | Self::Hex => true,
        }
    }

    /// Returns the pattern and what replaces its matches. It is compiled for the first text that may have
    /// such values.
    #[expect(clippy::expect_used, reason = "the patterns are constant and valid")]
    fn rule(self) -> &'static (Regex, &'static str) {
        static RULES: [OnceLock<(Regex, &str)>; Normalization::ALL.len()] =
            [const { OnceLock::new() }; Normalization::ALL.len()];
        RULES[self as usize].get_or_init(|| {
            let (pattern, text) = self.pattern();
            (Regex::new(&format!("(?i){pattern}")).expect("valid pattern"), text)
        })
    }

    fn pattern(self) -> (String, &'static str) {
        let hosts = r"(?P<host>localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])";
        let tmp = r#"(?:(?:/private)?/(?:tmp|var/tmp|var/folders)|[a-z]:\\(?:[^\\\s"']+\\)*temp)(?:[/\\][^\s"'<>|,;]*)?"#;
        match self {
            Self::Uuid => {
                let uuid = [8, 4, 4, 4, 12].map(|digits| format!("[0-9a-f]{{{digits}}}")).join("-");
                (format!("(?-u:\\b){uuid}(?-u:\\b)"), "<uuid>")
            }
            Self::Datetime => (format!("(?-u:\\b)(?:{})", datetime()), "<datetime>"),
            Self::Date => (format!("(?-u:\\b)(?:{})(?-u:\\b)", date()), "<date>"),
            Self::Port => (format!("{hosts}:[0-9]{{2,5}}(?-u:\\b)"), "${host}:<port>"),
            Self::Tmp => (tmp.to_owned(), "<tmp>"),
            Self::Hex => (r"(?-u:\b)(?:0x)?[0-9a-f]{16,}(?-u:\b)".to_owned(), "<hex>"),
        }
    }
}

const DAY: &str = "(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun";
const MONTH: &str = "(?:jan|febr?|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|ember|tember|ober)?";
const ISO_DATE: &str = "[0-9]{4}-[0-9]{2}-[0-9]{2}";
const CLOCK: &str = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?: ?[ap]\.?m\b\.?)?";
const OFFSET: &str = "[+-][0-9]{2}:?[0-9]{2}";

/// Returns a pattern of dates without a time.
fn date() -> String {
    let ordinal = "[0-9]{1,2}(?:st|nd|rd|th)?";
    let short = format!("[0-9]{{1,2}}-(?:{MONTH})-(?:[0-9]{{4}}|[0-9]{{2}})");
    let written = format!(
        r"(?:(?:{DAY}),? )?(?:(?:{MONTH})\.? {ordinal},? [0-9]{{4}}|{ordinal} (?:{MONTH})\.?,? [0-9]{{4}}|{short})"
    );
    format!("{ISO_DATE}|{written}|[0-9]{{1,2}}[/.][0-9]{{1,2}}[/.][0-9]{{4}}")
}

/// Returns a pattern of dates with a time.
fn datetime() -> String {
    let date = date();
    // Go adds the name of the zone and the reading of a monotonic clock.
    let go = r"(?:(?: (?:[a-z]{1,5}|[+-][0-9]{2,4}))? m=[+-][0-9]+\.[0-9]+)?";
    let usual = format!("(?:{date})(?:T|,? (?:at )?){CLOCK}(?: ?(?:Z|UTC|GMT|{OFFSET}))?{go}");
    // The form of C's ctime, and with a zone that of date and Java.
    let zone = "(?: (?:[a-z]{1,5}|[+-][0-9]{2,4}))?";
    let ctime =
        format!(r"(?:(?:{DAY}) )?(?:{MONTH}) {{1,2}}[0-9]{{1,2}} {CLOCK}{zone} [0-9]{{4}}(?-u:\b)");
    let day = "[0-9]{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])";
    let time = r"(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9](?:[.,][0-9]+)?)?";
    let compact = format!(r"{day}(?-i:T){time}(?:Z|{OFFSET})?(?-u:\b)");
    format!("{usual}|{ctime}|{compact}")
}

impl Normalizer {
    /// Returns the normalization of files that do not state any: UUIDs, and dates with a time.
    pub fn usual() -> &'static Arc<Self> {
        &USUAL
    }

    /// Returns the normalization that a file states.
    ///
    /// # Errors
    ///
    /// Fails if a pattern is invalid.
    pub fn new(sources: Vec<NormalizationSource>) -> Result<Self, String> {
        let mut normalizer = Self::default();
        for source in sources {
            match source {
                NormalizationSource::Kind(kind) => normalizer.kinds.push(kind),
                NormalizationSource::Custom(Custom { pattern, r#as: text }) => {
                    normalizer.custom.push((Pattern::compile(&pattern, false)?, text));
                }
            }
        }
        normalizer.kinds.sort_by_key(|kind| *kind as usize);
        normalizer.kinds.dedup();
        Ok(normalizer)
    }

    /// Returns the same normalization with another kind.
    pub(super) fn with(&self, added: Normalization) -> Self {
        let kinds = Normalization::ALL.into_iter();
        let kinds = kinds.filter(|kind| *kind == added || self.kinds.contains(kind));
        Self { kinds: kinds.collect(), custom: self.custom.clone() }
    }

    /// Replaces the values in a text that change from run to run.
    pub fn apply_to(&self, text: &mut String) {
        let replace = |text: &mut String, pattern: &Regex, replacement: &str| {
            if let Cow::Owned(replaced) = pattern.replace_all(text, replacement) {
                *text = replaced;
            }
        };
        for (pattern, replacement) in &self.custom {
            replace(text, pattern.regex(), replacement);
        }
        for kind in &self.kinds {
            if kind.may_be_in(text) {
                let (pattern, replacement) = kind.rule();
                replace(text, pattern, replacement);
            }
        }
    }
}

/// Writes the list of kinds as in a file, with dots for its patterns.
impl fmt::Display for Normalizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.kinds.iter().map(|kind| kind.as_str());
        let patterns = (!self.custom.is_empty()).then_some("…");
        write!(f, "[{}]", kinds.chain(patterns).collect::<Vec<_>>().join(", "))
    }
}

impl PartialEq for Normalizer {
    fn eq(&self, other: &Self) -> bool {
        let custom = |it: &Self| -> Vec<_> {
            let texts = it.custom.iter();
            texts.map(|(pattern, text)| (pattern.regex().to_string(), text.clone())).collect()
        };
        self.kinds == other.kinds && custom(self) == custom(other)
    }
}

impl TextOrMapping for NormalizationSource {
    type Parts = Custom;

    const EXPECTED: &'static str =
        "uuid, datetime, date, port, tmp, hex, or a mapping of pattern and as";

    fn from_text(text: &str) -> Result<Self, String> {
        let kind = Normalization::ALL.into_iter().find(|kind| kind.as_str() == text);
        let unknown = || format!("unknown normalization {text:?}; expected {}", Self::EXPECTED);
        kind.map(Self::Kind).ok_or_else(unknown)
    }
}

impl TryFrom<Custom> for NormalizationSource {
    type Error = String;

    fn try_from(custom: Custom) -> Result<Self, String> {
        Ok(Self::Custom(custom))
    }
}

impl<'de> Deserialize<'de> for NormalizationSource {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        text_or_mapping(source)
    }
}
