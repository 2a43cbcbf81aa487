//! Whether a fact fits a property: by its cue, by the words beside it, or because it is left.

use super::property::Property;
use crate::{
    facts::{Fact, FactType, Kind, Reading, Role},
    text::{
        canonical,
        lexicon::{
            AMOUNT_UNITS, DISTANCES, PREPOSITIONS, SITES, TIMES, contains, is_exclusive, pairs,
        },
    },
};

/// The cues before a fact that say where something is.
const HERE: &str = "in near at";

/// The cues before a bound.
pub(super) const BOUNDS: &str = "over under up-to";

/// The last words of properties for a time, a distance or a weight, in canonical form.
const MEASURES: &str =
    "second minute hour day days week month year km mile meter metre kg gram liter litre";

/// The number of digits of the shortest phone number that no word leads to.
const SHORTEST_PHONE: usize = 5;

pub(super) fn has_cue(fact: &Fact, cues: &str) -> bool {
    fact.cue.is_some_and(|cue| contains(cues, cue))
}

pub(super) fn is_amount(fact: &Fact) -> bool {
    matches!(fact.of, FactType::Number | FactType::Money | FactType::Share)
}

/// Returns `true` for an amount of money or a percentage, which is no number of minutes or degrees.
pub(super) fn is_other_unit(property: &Property, fact: &Fact) -> bool {
    let is_measure = |word: &String| contains(MEASURES, word);
    matches!(fact.of, FactType::Money | FactType::Share)
        && (property.words.last().is_some_and(|it| is_measure(it) || contains("number id", it))
            || property
                .described_words
                .iter()
                .any(|it| contains("degree kilogram meter metre", it)))
}

/// Returns `true` for a number with a unit, which is no number of a table.
pub(super) fn is_measured(property: &Property, fact: &Fact, reading: &Reading) -> bool {
    let after = reading.text[fact.range.end..].trim_start_matches(' ');
    let unit = after.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
    fact.of == FactType::Number
        && property.words.last().is_some_and(|word| contains("number id", word))
        && contains(AMOUNT_UNITS, unit)
}

/// Returns `true` for capitalized words, also if they name a language, a currency or a day.
pub(super) fn is_name(fact: &Fact) -> bool {
    use FactType::{Capitals, Currency, Language, Name, RelativeDate};
    matches!(fact.of, Name | Capitals | Language | Currency | RelativeDate)
}

/// Returns `true` if a fact stands behind a cue of a property.
pub(super) fn is_behind_own_cue(property: &Property, fact: &Fact) -> bool {
    if fact.of == FactType::Month {
        return true;
    }
    let Some(cue) = fact.cue else { return false };
    if let Some(cues) = property.bound_cues().filter(|_| is_amount(fact)) {
        return contains(cues, cue);
    }
    let is_word = property.has_word(cue);
    match property.kind() {
        Some(Kind::Copy) => is_word,
        // "from comfort to basic" for `new_plan`
        _ if fact.of == FactType::Choice
            && property.role() == Role::End
            && contains("to into onto", cue) =>
        {
            true
        }
        Some(Kind::Label) if is_word => true,
        _ if property.user_cue == Some(cue) => true,
        _ if fact.of == FactType::Word => false,
        Some(Kind::Money) => property.has_cue(cue),
        _ => fact.of != FactType::Number && property.has_cue(cue),
    }
}

/// Returns `true` for a number behind a preposition, which is not the value of a text: "a car for 3 days".
pub(super) fn is_counted(property: &Property, fact: &Fact, reading: &Reading) -> bool {
    !property.is_numeric()
        && matches!(property.kind(), Some(Kind::Label | Kind::Id | Kind::Room))
        && fact.of == FactType::Number
        && contains(PREPOSITIONS, reading.mark_before(fact))
}

/// Returns `true` if a fact stands beside a word of a property.
pub(super) fn is_beside_own_word(property: &Property, fact: &Fact, reading: &Reading) -> bool {
    let [before, after] = reading.beside(fact).map(|word| property.owns(word));
    // "$13 per hour"
    let is_for_each = reading.text[fact.range.end..].starts_with(" per ");
    let after = after && !(is_for_each && fact.of == FactType::Money);
    let is_times = || pairs(TIMES).any(|(word, _)| word == &reading.text[fact.range.clone()]);
    match fact.of {
        FactType::Word => false,
        FactType::Number if property.has_word("age") && is_age(fact, reading) => true,
        // "with Ada Byron as the examiner"
        FactType::Name if is_as_own_word(property, fact, reading) => true,
        FactType::Name | FactType::Quote => before,
        // Only a number of times is offered these words.
        FactType::Number if is_times() => true,
        _ => before || after,
    }
}

/// Returns `true` for a name before "as" and a word of a property.
fn is_as_own_word(property: &Property, name: &Fact, reading: &Reading) -> bool {
    let Some(role) = reading.text[name.range.end..].strip_prefix(" as ") else { return false };
    let mut words = role.split(|c: char| !c.is_alphanumeric()).take(3);
    words.any(|word| !word.is_empty() && property.owns(Some(&canonical(word))))
}

/// Returns `true` for a number of years of somebody: "a 63-year-old applicant".
pub(super) fn is_age(fact: &Fact, reading: &Reading) -> bool {
    let rest = reading.text[fact.range.end..].trim_start_matches(['-', ' ']);
    fact.of == FactType::Number
        && ["year-old", "years old", "years of age"].iter().any(|it| rest.starts_with(it))
}

/// Returns `true` if the cue before a fact is not one of certain properties, or does not hold the fact
/// back: quotes, amounts after "from" and "to", and the currencies of other amounts.
pub(super) fn is_bare(fact: &Fact) -> bool {
    fact.of == FactType::Quote
        || fact.of == FactType::Currency && has_cue(fact, BOUNDS)
        || is_amount(fact) && has_cue(fact, "from to")
        // "call back on +44 20 7946 0311"
        || fact.of == FactType::Phone && has_cue(fact, "returning")
        || !fact.cue.is_some_and(is_exclusive)
}

/// Returns `true` for a code such as "1.8.0", "v2" or "2.0.0-rc.1".
pub(super) fn is_version(fact: &Fact) -> bool {
    let number = fact.value.strip_prefix(['v', 'V']);
    let rest = number.unwrap_or(&fact.value);
    fact.of == FactType::Code
        && rest.starts_with(|c: char| c.is_ascii_digit())
        && (number.is_some() || rest.contains('.'))
}

/// Returns `true` for the name of something that must be there, such as `pet_name`.
pub(super) fn is_name_of_something(property: &Property) -> bool {
    let is_title = property.kind() == Some(Kind::Title)
        && (property.words.len() > 1 || property.has_any_word("name title"));
    property.is_wanted && (is_title || is_named_label(property))
}

/// Returns `true` for a text that the description says is a name.
fn is_named_label(property: &Property) -> bool {
    property.shown.name == Some(true)
        && !property.has_choices()
        && property.meaning.is_some_and(|it| it.is_unlisted())
}

/// Returns `true` for a person that must be there.
pub(super) fn is_wanted_person(property: &Property) -> bool {
    property.kind() == Some(Kind::Person) && property.is_wanted
}

/// Returns `true` if a property may take a fact to which no word leads.
pub(super) fn is_left_for(property: &Property, fact: &Fact, reading: &Reading) -> bool {
    let is_start = property.role() == Role::Start;
    match fact.of {
        FactType::Word => return false,
        FactType::Quote if !property.takes(FactType::Quote) => return false,
        FactType::Choice => return true,
        FactType::Share if property.kind() == Some(Kind::Share) => return true,
        // "Register Rex", "for Rex", "£800 from Ada": the name of whom or what the tool is for.
        FactType::Name if is_name_of_something(property) || is_wanted_person(property) => {
            return fact.cue.is_none() || has_cue(fact, "for to from by");
        }
        _ => {}
    }
    if !is_bare(fact) && !fact.cue.is_some_and(|cue| property.names_cue(cue)) {
        return false;
    }
    match property.kind() {
        // "Is it in stock in Leeds?"
        Some(Kind::Label) if property.has_any_word(SITES) => is_at_place(fact),
        Some(Kind::Copy | Kind::Question | Kind::Sample | Kind::Number | Kind::Label) => false,
        Some(Kind::Date | Kind::Moment | Kind::Time) => fact.of != FactType::Name,
        // "12 kW" is no discount.
        Some(Kind::Share) if !property.is_wanted => fact.of == FactType::Share,
        // Short numbers are more likely counts.
        Some(Kind::Phone) => fact.of == FactType::Phone || fact.value.len() >= SHORTEST_PHONE,
        Some(Kind::Id) => {
            fact.of == FactType::Code || property.is_wanted && fact.of == FactType::Capitals
        }
        Some(Kind::Version) => is_version(fact),
        Some(Kind::Address) => property.is_wanted && fact.of == FactType::Name,
        Some(Kind::Title | Kind::Event) => {
            let may_be_left = property.is_wanted || !property.is_array;
            may_be_left && matches!(fact.of, FactType::Quote | FactType::File)
        }
        Some(Kind::Place) if is_start => fact.of == FactType::Name && has_cue(fact, HERE),
        Some(Kind::Person) if !property.is_wanted => {
            fact.of == FactType::Name && fact.cue.is_none() && !property.is_array
        }
        // "the lecture hall H-2"
        Some(Kind::Room) if fact.of == FactType::Code => property.is_wanted,
        Some(Kind::Place | Kind::Room) => {
            let is_led = has_cue(fact, HERE)
                || has_cue(fact, "from to for on")
                || is_near(&reading.text[..fact.range.start]);
            fact.of == FactType::Name && (is_led || fact.ends_sentence)
        }
        kind => kind.is_some(),
    }
}

/// Returns `true` for a name behind a word for where something is.
pub(super) fn is_at_place(fact: &Fact) -> bool {
    fact.of == FactType::Name && has_cue(fact, HERE)
}

/// Returns `true` for words that end like "within 5 km of".
fn is_near(before: &str) -> bool {
    let mut words = before.trim_end().rsplit(' ');
    words.next() == Some("of") && words.next().is_some_and(|word| contains(DISTANCES, word))
}
