//! What the description of a property shows: its form, and the values that it lists.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::{
    facts::compile,
    text::{self, canonical},
};

/// Maximum number of characters of a value in a description.
const MAX_CHOICE: usize = 40;

/// Returns the values that a description lists: in quotation marks, or after words such as "one of".
pub(super) fn choices(description: &str) -> Vec<String> {
    let quoted = text::quotes(description).into_iter().map(|quote| &description[quote]);
    let mut found: Vec<String> = quoted.map(str::to_owned).collect();
    if found.len() < 2 {
        let list = LIST.captures(description).and_then(|it| it.get(1)).map_or("", |it| it.as_str());
        let items = SEPARATOR.split(list).map(str::trim);
        found = items.filter(|it| it.split(' ').count() < 3).map(str::to_owned).collect();
    }
    found.retain(|it| (2..MAX_CHOICE).contains(&it.len()));
    if found.len() < 2 { Vec::new() } else { found }
}

/// The form of the dates of a property, such as "DD/MM/YYYY".
pub(super) struct DateForm(String);

impl DateForm {
    /// Returns the form that a description shows.
    pub(super) fn of(description: &str) -> Option<Self> {
        let form = DATE_FORM.find(description).map(|it| it.as_str().to_ascii_uppercase());
        form.or_else(|| ISO_DATE.is_match(description).then(|| "YYYY-MM-DD".to_owned())).map(Self)
    }

    /// Writes a date, given in ISO 8601 and as stated, in this form.
    pub(super) fn write(&self, date: &str, stated: &str) -> String {
        let (year, rest) = date.split_at(4);
        let (mut month, mut day) = (&rest[1..3], &rest[4..]);
        let is_ambiguous = stated[..stated.len().min(3)].contains(['/', '.', '-']) && day <= "12";
        if is_ambiguous && self.0.starts_with("DD") {
            (month, day) = (day, month);
        }
        self.0.replace("YYYY", year).replace("MM", month).replace("DD", day)
    }
}

/// Returns `true` for a description that shows the form YYYY-MM.
pub(super) fn shows_month(description: &str) -> bool {
    MONTH_FORM.is_match(description)
}

/// Returns the format in JSON Schema of the dates or times that a description shows the form of.
pub(super) fn shown_format(description: &str) -> Option<&'static str> {
    let has_date = DATE_FORM.is_match(description);
    match TIME_FORM.is_match(description) {
        true => Some(if has_date { "date-time" } else { "time" }),
        false => has_date.then_some("date"),
    }
}

/// Returns `true` if the description, the default or an example of a schema shows a place with its region.
pub(super) fn has_region(schema: &Value) -> bool {
    let texts = ["description", "default"].iter().filter_map(|key| schema.get(key));
    let examples = schema.get("examples").and_then(Value::as_array).into_iter().flatten();
    texts.chain(examples).filter_map(Value::as_str).any(|text| REGION.is_match(text))
}

/// What the descriptions of a property show of its value.
#[derive(Default)]
pub(super) struct Shown<'a> {
    /// The form of the code that is an example.
    pub(super) code: Option<CodeForm<'a>>,
    /// Whether the example is a name ("e.g. North Meadow") or another text ("e.g. wheat").
    pub(super) name: Option<bool>,
    /// Whether the value is said to be a name: "Name of the field".
    pub(super) says_name: bool,
    /// What is true, and what is false, of a boolean: "true if it can be ordered".
    pub(super) truths: Vec<(bool, &'a str)>,
}

impl<'a> Shown<'a> {
    pub(super) fn new(descriptions: impl Iterator<Item = &'a str>) -> Self {
        descriptions.fold(Self::default(), |shown, text| Self {
            code: shown.code.or_else(|| CodeForm::of(text)),
            name: shown.name.or_else(|| shows_name(text)),
            says_name: shown.says_name || is_of_name(text),
            truths: shown.truths.into_iter().chain(truths(text)).collect(),
        })
    }
}

/// The code that a description shows as an example, such as "LC-10293", "LX318" or "1987.45.2".
#[derive(Clone, Copy)]
pub(super) struct CodeForm<'a>(&'a str);

impl<'a> CodeForm<'a> {
    fn of(description: &'a str) -> Option<Self> {
        let example = CODE_EXAMPLE.captures(description)?.get(1)?.as_str();
        let example = example.trim_end_matches(['.', '-', '/']);
        (example.contains(char::is_alphabetic) || example.matches('.').count() > 1)
            .then_some(Self(example))
    }

    /// Returns `true` for a code with letters, numbers and marks in the same places. What stands before a mark is the
    /// same.
    pub(super) fn has(self, code: &str) -> bool {
        prefix(self.0) == prefix(code) && shape(self.0).eq(shape(code))
    }
}

/// Returns what stands before the first mark of a code, if it has letters.
fn prefix(code: &str) -> Option<&str> {
    let (prefix, _) = code.split_once(['-', '_', '#', '/'])?;
    prefix.contains(char::is_alphabetic).then_some(prefix)
}

/// Returns the characters of a code, with "A" for each capital letter and "9" for each number.
fn shape(code: &str) -> impl Iterator<Item = char> + '_ {
    let classes = code.chars().map(|c| match c {
        'A'..='Z' => 'A',
        '0'..='9' => '9',
        other => other,
    });
    let mut last = ' ';
    classes.filter(move |class| {
        let is_first = *class != '9' || last != '9';
        last = *class;
        is_first
    })
}

/// Returns whether the example in a description is a name ("e.g. North Meadow") or another text ("e.g. wheat").
fn shows_name(description: &str) -> Option<bool> {
    let example = TEXT_EXAMPLE.captures(description)?.get(1)?;
    Some(example.as_str().starts_with(char::is_uppercase))
}

static TEXT_EXAMPLE: LazyLock<Regex> = LazyLock::new(|| {
    compile(r#"\b(?:e\.g\.|[Ee]xample|such as)[:,]? ['"`“‘]?(\p{Lu}\p{Ll}|\p{Ll}{2})"#)
});

/// Returns `true` for the description of a name: "Names of the people attending".
fn is_of_name(description: &str) -> bool {
    let mut words = text::words(description).map(|it| canonical(&description[it.range]));
    words.any(|word| word == "name")
}

/// Returns what a description says of when a boolean is true, and when it is false: "true if it can be ordered".
fn truths(description: &str) -> impl Iterator<Item = (bool, &str)> {
    TRUTH.captures_iter(description).filter_map(|it| {
        Some((it.get(1)?.as_str().eq_ignore_ascii_case("true"), it.get(2)?.as_str()))
    })
}

static TRUTH: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?i)\b(true|false) (?:if|when|for|to) ([^,.;()]+)"));

static CODE_EXAMPLE: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r#"\b(?:e\.g\.|[Ee]xample|like|such as)[:,]? ['"`“‘]?([A-Z]{0,6}[-_#/]?[0-9][A-Z0-9./-]*)"#,
    )
});

static DATE_FORM: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?i)\b(?:YYYY([-/.])MM[-/.]DD|(?:MM[-/.]DD|DD[-/.]MM)[-/.]YYYY)\b"));

static TIME_FORM: LazyLock<Regex> = LazyLock::new(|| compile(r"\bHH:MM(?::SS)?\b"));

static ISO_DATE: LazyLock<Regex> = LazyLock::new(|| compile(r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b"));

static MONTH_FORM: LazyLock<Regex> =
    LazyLock::new(|| compile(r"\b(?:YYYY-MM|[0-9]{4}-[0-9]{2})(?:[^-\w]|$)"));

/// A list of values.
static LIST: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?i)\b(?:one of|can be|either|options?(?: are)?|choices?(?: are)?|values?(?: are)?|e\.g\.|such as)[:,]? ([^.;)\n]+)",
    )
});

/// What stands between the values of a list.
static SEPARATOR: LazyLock<Regex> = LazyLock::new(|| compile(r",? (?:or|and) |, ?"));

/// A place and its region, as in "San Francisco, CA", "City, State" or "city and state".
static REGION: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?:\b[Cc]ity|\b[A-Z]\w+), ?(?:state|country|[A-Z])|\b[Cc]ity and (?:the )?(?:state|country)",
    )
});
