//! The facts that fit a property, with the values that they have there.

use std::{cmp::Reverse, ops::Range, rc::Rc, sync::LazyLock};

use regex::Regex;
use serde_json::Value;

use super::{
    clauses::reason,
    fit::{is_measured, is_other_unit},
    forms::LONG_NUMBER,
    months::months,
    number::from_f64,
    participles::participles,
    phrases::phrases,
    places::{
        ends_with_own_word, house, is_at_site, is_street, numbered, place_words, region, street,
    },
    property::{Offer, Property},
    prose::CodeForm,
    statements::{stated_phrases, stated_words},
    user_names::user_names,
    wants::MAX_CHOICES,
};
use crate::{
    facts::{Fact, FactType, Kind, Reading, compile},
    text::{
        canonical, canonical_words,
        lexicon::{CLAUSE_WORDS, COUNTS, TIMES, contains, is_generic, pairs},
    },
};

/// The words of a property for the reason of a request.
const REASONS: [&str; 4] = ["reason", "cause", "problem", "issue"];

/// Returns the facts that a property may take, best first.
pub(super) fn offers<'a>(property: &Property<'a>, reading: &Reading) -> Vec<Offer> {
    let mut chosen = choices(property, reading);
    if chosen.is_empty() {
        chosen = participles(property, reading);
    }
    if !chosen.is_empty() {
        return chosen;
    }
    let Some(meaning) = property.meaning else { return Vec::new() };
    let is_value = |fact: &Rc<Fact>| match fact.of {
        FactType::RelativeDate => property.format.is_none() && property.date_form.is_none(),
        FactType::Number if is_measured(property, fact, reading) => false,
        FactType::Number if !property.is_numeric() => {
            let is_code = || meaning.row.takes.contains(&FactType::Code);
            !(counts(fact, reading) || is_code() && code(fact, reading).is_some())
        }
        // "the api-gateway deployment", but not "a high-priority ticket"
        FactType::Identifier => {
            reading.is_alone(fact) || property.is_wanted && property.owns(reading.beside(fact)[1])
        }
        FactType::Money | FactType::Share => !is_other_unit(property, fact),
        FactType::Word => {
            (property.is_wanted || !is_at_site(fact, reading))
                && !property.words.contains(&canonical(&fact.value))
        }
        FactType::Name if property.kind() == Some(Kind::Person) => house(fact, reading).is_none(),
        _ => true,
    };
    let takes = meaning.row.takes;
    // A statement may quote the value of any property.
    let quote = (!takes.contains(&FactType::Quote)).then_some(FactType::Quote);
    let word = takes_words(property, reading).then_some(FactType::Word);
    let codes = reading
        .facts()
        .iter()
        .filter(|it| takes.contains(&FactType::Code) && it.of == FactType::Number);
    let codes = codes.filter_map(|it| code(it, reading));
    let dotted = property.shown.code.into_iter().flat_map(|form| dotted_codes(form, reading));
    let codes = codes.chain(dotted).map(Rc::new);
    let facts = takes
        .iter()
        .copied()
        .chain(quote)
        .chain(word)
        .flat_map(|of| reading.facts().iter().filter(move |fact| fact.of == of));
    let value = |fact: &Rc<Fact>| {
        let longer = match fact.of {
            // A name alone is no address, unless it is that of a street.
            FactType::Name if property.kind() == Some(Kind::Address) => {
                let street = street(fact, reading).map(Rc::new);
                return street.or_else(|| is_street(fact).then(|| Rc::clone(fact)));
            }
            FactType::Name if property.has_region => region(fact, reading),
            FactType::Name if property.is_part_of_name() => part_of_name(property, fact, reading),
            FactType::Name
                if ends_with_own_word(property, fact, reading)
                    || property.kind() == Some(Kind::Title) =>
            {
                numbered(fact, reading)
            }
            FactType::Name if matches!(property.kind(), Some(Kind::Place | Kind::Room)) => {
                numbered(fact, reading)
                    .or_else(|| street(fact, reading).filter(|_| is_street(fact)))
            }
            FactType::Name if property.is_any_text() && reading.mark_before(fact) == "about" => {
                topic(fact, reading)
            }
            FactType::Word if matches!(property.kind(), Some(Kind::Place | Kind::Room)) => {
                place_words(fact, reading)
            }
            _ => None,
        };
        Some(longer.map_or_else(|| Rc::clone(fact), Rc::new))
    };
    let facts = facts.filter(|fact| is_value(fact)).filter_map(value);
    let phrases = stated_phrases(property, reading);
    let words = stated_words(property, reading).filter(|_| phrases.is_empty());
    let words: Vec<Fact> = words.collect();
    let phrases = phrases.into_iter().chain(stated_reason(property, reading));
    let phrases = phrases.chain(user_names(property, reading)).chain(months(property, reading));
    phrases
        .map(Rc::new)
        .chain(codes)
        .chain(facts)
        .chain(words.into_iter().chain(times(property, reading)).map(Rc::new))
        .map(|fact| Offer { fact, choice: None })
        .collect()
}

/// Returns the reason of a request behind "because", as if the word of the property were its cue.
fn stated_reason(property: &Property, reading: &Reading) -> Option<Fact> {
    let is_reason = property.is_any_text() && !property.is_array;
    let word = REASONS.into_iter().find(|word| is_reason && property.has_word(word))?;
    let mut fact = reading.phrase(reason(&reading.text)?);
    fact.cue = Some(word);
    Some(fact)
}

/// Returns a long number, or one with a letter that may be a unit, as a code: "class 5C".
fn code(number: &Fact, reading: &Reading) -> Option<Fact> {
    let stated = &reading.text[number.range.clone()];
    let letter = stated.strip_suffix(|c: char| c.is_ascii_uppercase());
    let (digits, min) = letter.map_or((stated, LONG_NUMBER), |digits| (digits, 1));
    let is_code = digits.len() >= min && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_code.then(|| reading.fact(FactType::Code, number.range.clone(), stated.to_owned()))
}

/// Returns what something is about, with the words behind a name: "Roman glass".
fn topic(name: &Fact, reading: &Reading) -> Option<Fact> {
    let item = phrases(reading, name.range.start..reading.text.len()).into_iter().next()?;
    (item.end > name.range.end).then(|| {
        let value = reading.text[item.clone()].to_owned();
        reading.fact(FactType::Name, item, value)
    })
}

/// Returns the dates that are codes in the form of the example: "2003.12.8".
fn dotted_codes<'r>(form: CodeForm<'r>, reading: &'r Reading) -> impl Iterator<Item = Fact> + 'r {
    let dates = reading.facts().iter().filter(|it| it.of == FactType::Date);
    let codes = dates.filter(move |it| form.has(&reading.text[it.range.clone()]));
    codes.map(|it| {
        let range = it.range.clone();
        reading.fact(FactType::Code, range.clone(), reading.text[range].to_owned())
    })
}

/// Returns `true` for a number that only counts: "two parcels", "2 x PD-540".
fn counts(number: &Fact, reading: &Reading) -> bool {
    let [stated, after] = [&reading.text[number.range.clone()], &reading.text[number.range.end..]];
    stated.starts_with(char::is_alphabetic) || after.starts_with(" x ")
}

/// Returns the numbers of "once", "twice" and "thrice" for a number of times, but not of "at once", "once it is done"
/// and "twice the price".
fn times(property: &Property, reading: &Reading) -> Vec<Fact> {
    let numbers = pairs(TIMES).filter(|_| property.is_times).flat_map(|(word, number)| {
        let found = reading.find(&[word.to_owned()]).into_iter();
        found.map(move |(range, _)| reading.fact(FactType::Number, range, number.to_owned()))
    });
    let counts = |it: &Fact| {
        let next = reading.text[it.range.end..].split_whitespace().next().unwrap_or("");
        !["", ".", "at"].contains(&reading.mark_before(it))
            && !contains(CLAUSE_WORDS, next)
            && !["the", "my", "our"].contains(&next)
    };
    numbers.filter(counts).collect()
}

/// Returns `true` for a property with "from" or "to" in its name if the message says both, as in "from
/// checking to savings".
fn takes_words(property: &Property, reading: &Reading) -> bool {
    let is_said = |cue| reading.facts().iter().any(|fact| fact.cue == Some(cue));
    let is_end = property.has_word("from") || property.has_word("to");
    property.kind() == Some(Kind::Label) && is_end && is_said("from") && is_said("to")
}

/// Returns the first name, or the last, that a name has: "Ada Byron".
fn part_of_name(property: &Property, name: &Fact, reading: &Reading) -> Option<Fact> {
    let (first, last) = name.value.split_once(' ')?;
    let range = match property.is_first_name() {
        true => name.range.start..name.range.start + first.len(),
        false => name.range.end - last.len()..name.range.end,
    };
    let value = reading.text[range.clone()].to_owned();
    Some(reading.fact(FactType::Name, range, value))
}

/// Returns the values of an `enum` that the message states, the earliest and longest first.
fn choices<'a>(property: &Property<'a>, reading: &Reading) -> Vec<Offer> {
    let mut offers = Vec::new();
    let listed = property.choices.iter().map(|&choice| choice.clone());
    for choice in listed.chain(property.prose_choices.iter().cloned().map(Value::String)) {
        let text = match &choice {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string().trim_end_matches(".0").to_owned(),
            _ => continue,
        };
        let offer = |fact| Offer { fact, choice: Some(choice.clone()) };
        let words = canonical_words(&text);
        let plurals = plural(&words).map(|plural| reading.find(&plural));
        let mut found = reading.find(&words);
        found.extend(plurals.into_iter().flatten());
        // "I changed my mind" for `changed_mind`
        if found.is_empty() && words.len() > 1 && property.choices.len() < MAX_CHOICES {
            found.extend(reading.find_apart(&words, 1));
        }
        let every = frequency(&text).map(|word| ["every", word].map(canonical));
        found.extend(every.and_then(|every| reading.find_apart(&every, 0)));
        // "a berth" does not say "A".
        let is_said = |range: &Range<usize>| text.len() > 1 || reading.text[range.clone()] == text;
        // "River Paddock" says no `river`.
        let is_in_name = |range: &Range<usize>| {
            let fact = reading.fact_in(range).filter(|it| it.of == FactType::Name);
            !property.is_wanted && fact.is_some_and(|it| it.range != *range)
        };
        for (range, is_negated) in found {
            if !is_negated && is_said(&range) && !is_in_name(&range) {
                let fact = reading.fact(FactType::Choice, range, text.clone());
                offers.push(offer(Rc::new(fact)));
            }
        }
        let named = reading.facts().iter().filter(|fact| {
            matches!(fact.of, FactType::Currency | FactType::Language)
                && fact.value.eq_ignore_ascii_case(&text)
        });
        offers.extend(named.map(|fact| offer(Rc::clone(fact))));
    }
    // "Show all my open tickets"
    let is_generic = |fact: &Fact| is_generic(&fact.value);
    // "pay the fine on card LC-7 in cash"
    let is_label = |fact: &Fact| {
        let code = fact.range.end + 1..fact.range.end + 2;
        reading.fact_in(&code).is_some_and(|it| it.of == FactType::Code)
    };
    offers.sort_by_key(|Offer { fact, .. }| {
        (is_generic(fact) || is_label(fact), fact.range.start, Reverse(fact.range.end))
    });
    offers
}

/// Returns what something happens every: "week" for "weekly".
fn frequency(choice: &str) -> Option<&'static str> {
    let of = |it: &(&str, &'static str)| it.0.eq_ignore_ascii_case(choice);
    let words = [
        ("hourly", "hour"),
        ("daily", "day"),
        ("weekly", "week"),
        ("monthly", "month"),
        ("yearly", "year"),
    ];
    words.into_iter().find(|it| of(it)).map(|(_, word)| word)
}

/// Returns the plural of a short word, which differs from it in the canonical form: "cats".
fn plural(words: &[String]) -> Option<[String; 1]> {
    let [word] = words else { return None };
    let is_short = word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    is_short.then(|| [format!("{word}s")])
}

/// Returns the values that an offer may have for a property, best first.
pub(super) fn values(property: &Property, offer: &Offer, reading: &Reading) -> Vec<Value> {
    let fact = &offer.fact;
    if let Some(choice) = &offer.choice {
        return vec![choice.clone()];
    }
    let stated = &reading.text[fact.range.clone()];
    let is_date_time = property.format == Some("date-time");
    let text = match fact.of {
        FactType::Number if !property.is_numeric() && is_decimal(stated) => stated.to_owned(),
        FactType::Number | FactType::Money | FactType::Share => return numbers(property, fact),
        FactType::Quote if property.is_numeric() => return numbers(property, fact),
        FactType::Language => return vec![stated.into(), fact.value.as_str().into()],
        FactType::Code => return vec![fact.value.as_str().into(), stated.into()],
        FactType::Date if let Some(form) = &property.date_form => form.write(&fact.value, stated),
        FactType::Date if is_date_time => {
            let time = complement(property, fact, reading).map_or("00:00", |time| &time.value);
            format!("{}T{}Z", fact.value, with_seconds(time))
        }
        FactType::Time if is_date_time => {
            let date = complement(property, fact, reading).map_or("2024-01-15", |date| &date.value);
            format!("{date}T{}Z", with_seconds(&fact.value))
        }
        FactType::Time if property.format.is_some() => format!("{}Z", with_seconds(&fact.value)),
        _ => fact.value.clone(),
    };
    vec![text.into()]
}

/// Returns a time with seconds.
fn with_seconds(time: &str) -> String {
    if time.len() > "12:00".len() { time.to_owned() } else { format!("{time}:00") }
}

/// Returns `true` for a number with a point, which a text keeps as written: "version 2.0".
fn is_decimal(stated: &str) -> bool {
    stated.contains('.') && stated.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Returns the time for a date, or the date for a time, that makes it a `date-time`: one right next to
/// it, otherwise the first.
pub(super) fn complement<'r>(
    property: &Property,
    fact: &Fact,
    reading: &'r Reading,
) -> Option<&'r Fact> {
    let of = match fact.of {
        FactType::Date => FactType::Time,
        FactType::Time => FactType::Date,
        _ => return None,
    };
    let is_next_to = |other: &&Fact| {
        let (first, last) =
            (fact.range.end.min(other.range.end), fact.range.start.max(other.range.start));
        let gap = reading.text.get(first..last).unwrap_or_default();
        ["", "at", "on", "T", "@"].contains(&gap.trim_matches([' ', ',']))
    };
    let facts = || reading.facts().iter().map(Rc::as_ref).filter(|it| it.of == of);
    let next = facts().find(is_next_to).or_else(|| facts().next());
    next.filter(|_| property.format == Some("date-time"))
}

/// Returns the values of a number. A share may be divided by 100.
fn numbers(property: &Property, fact: &Fact) -> Vec<Value> {
    let text = (!property.is_numeric()).then(|| Value::from(fact.value.as_str()));
    let number = fact.value.parse().ok().map(Value::Number);
    let share = fact.value.parse::<f64>().ok().filter(|_| fact.of == FactType::Share);
    let share = share.map(|share| from_f64(share / 100.0)).into_iter();
    match property.has_decimals {
        true => share.chain(number).collect(),
        false => text.into_iter().chain(number).chain(share).collect(),
    }
}

/// Returns the number that an article before a word of a property says: "a bed", "a couple of beds". For a
/// property that counts, it may be a word of the tool: "a ticket" for `book_tickets`.
pub(super) fn stated_article(
    property: &Property,
    tool: &[String],
    reading: &Reading,
) -> Option<Value> {
    let counts = property.has_any_word(COUNTS);
    let is_own = |word: &str| {
        let form = canonical(word);
        property.owns(Some(&form))
            || property.owns(Some(&format!("{word}s")))
            || counts && !is_generic(&form) && tool.contains(&form)
    };
    let mut articles = ARTICLE.captures_iter(&reading.text);
    let article = articles.find(|it| it[2].split(' ').any(is_own))?;
    Some(Value::from(if article.get(1).is_some() { 2 } else { 1 }))
}

/// An article and the words of what there is one of.
static ARTICLE: LazyLock<Regex> =
    LazyLock::new(|| compile(r"\b[Aa]n? ((?:pair|couple) of )?([a-z]+(?: [a-z]+)?)"));
