//! Months without a day: "in May 2026".

use std::sync::LazyLock;

use regex::Regex;

use super::property::Property;
use crate::{
    facts::{Fact, FactType, Reading, SHORT_MONTHS, compile, date},
    text::lexicon::MONTHS,
};

/// Returns the months that a message states, as YYYY-MM, for a property that is a month.
pub(super) fn months(property: &Property, reading: &Reading) -> Vec<Fact> {
    if !property.is_month {
        return Vec::new();
    }
    let found = MONTH.captures_iter(&reading.text).filter_map(|it| {
        let range = it.get_match().range();
        let is_dated = reading.fact_in(&range).is_some_and(|fact| fact.of == FactType::Date);
        let (year, month) = (it.get(1).or(it.get(4))?, it.get(2).or(it.get(3))?);
        let day = date(year.as_str(), month.as_str(), "1").filter(|_| !is_dated)?;
        Some(reading.fact(FactType::Month, range, day[..day.len() - 3].to_owned()))
    });
    found.collect()
}

static MONTH: LazyLock<Regex> = LazyLock::new(|| {
    let names = MONTHS.replace(' ', "|");
    compile(&format!(
        r"\b(?:([0-9]{{4}})-(0[1-9]|1[0-2])|((?i:{names}|{SHORT_MONTHS})) ([0-9]{{4}}))\b"
    ))
});
