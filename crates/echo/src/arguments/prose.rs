//! What the description of a property shows: its form, and the values that it lists.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::{facts::compile, text};

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

/// Returns what the code that a description shows as an example starts with: "LC-" of "e.g. LC-10293".
pub(super) fn code_prefix(description: &str) -> Option<&str> {
    CODE_EXAMPLE.captures(description)?.get(1).map(|it| it.as_str())
}

static CODE_EXAMPLE: LazyLock<Regex> = LazyLock::new(|| {
    compile(r#"\b(?:e\.g\.|[Ee]xample|like|such as)[:,]? ['"`“‘]?([A-Z]{1,6}[-_#/]?)[0-9]"#)
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
