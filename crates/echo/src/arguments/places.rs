//! Places with all their words: regions, streets and numbers.

use std::sync::LazyLock;

use regex::Regex;

use super::property::Property;
use crate::{
    facts::{Fact, FactType, Reading, compile},
    text::{
        canonical,
        lexicon::{
            CLAUSE_WORDS, CONNECTIVES, Entry, LIST_JOINTS, PHRASE_ENDS, STREETS, contains,
            is_generic,
        },
    },
};

/// Maximum number of bytes of the number of a house, with what stands around it.
const MAX_HOUSE: usize = 8;
/// Maximum number of lower-case words behind the first of a place.
const MAX_WORDS: usize = 2;

/// Returns a place with the region behind it: "Boston, MA", "Chennai, Tamil Nadu". Other names behind a
/// comma are those of a list.
pub(super) fn region(place: &Fact, reading: &Reading) -> Option<Fact> {
    let captures = REGION.captures(&reading.text[place.range.end..])?;
    let region = captures.get(1)?;
    let is_code =
        (2..4).contains(&region.len()) && region.as_str().bytes().all(|it| it.is_ascii_uppercase());
    let range = place.range.start..place.range.end + region.end();
    let value = reading.text[range.clone()].to_owned();
    let is_listed = captures.get(2).is_some();
    (is_code || !is_listed).then(|| reading.fact(FactType::Name, range, value))
}

/// Returns where the number of a house before the name of a street starts.
pub(super) fn house(name: &Fact, reading: &Reading) -> Option<usize> {
    let is_led = reading.text[..name.range.start].strip_suffix(' ');
    is_led.filter(|it| it.ends_with(|c: char| c.is_ascii_alphanumeric()))?;
    let start = reading.text.floor_char_boundary(name.range.start.saturating_sub(MAX_HOUSE));
    let before = HOUSE_BEFORE.find(&reading.text[start..name.range.start])?;
    Some(start + before.start())
}

/// Returns the name of a street with the number before or behind it: "12 Oak Lane".
pub(super) fn street(name: &Fact, reading: &Reading) -> Option<Fact> {
    let before = house(name, reading);
    let behind = HOUSE_BEHIND.find(&reading.text[name.range.end..]);
    let start = before.unwrap_or(name.range.start);
    let end = name.range.end + behind.filter(|_| before.is_none()).map_or(0, |it| it.end());
    let value = reading.text[start..end].to_owned();
    ((start..end) != name.range).then(|| reading.fact(FactType::Name, start..end, value))
}

/// Returns `true` for a name such as "Mill Lane".
pub(super) fn is_street(name: &Fact) -> bool {
    let last = name.value.rsplit_once(' ').map(|(_, last)| last.to_lowercase());
    last.is_some_and(|last| contains(STREETS, &last))
}

/// The number of a house before the name of its street, and behind it.
static HOUSE_BEFORE: LazyLock<Regex> = LazyLock::new(|| compile(r"\b\d{1,5}[A-Za-z]? $"));
static HOUSE_BEHIND: LazyLock<Regex> = LazyLock::new(|| compile(r"^ \d{1,5}[A-Za-z]?\b"));

/// Returns `true` for a name such as "Study Room" for `room_name`, if a number or a letter may follow.
pub(super) fn ends_with_own_word(property: &Property, name: &Fact, reading: &Reading) -> bool {
    let is_number = |c: char| c.is_ascii_digit() || c.is_ascii_uppercase();
    let rest = reading.text[name.range.end..].strip_prefix(' ');
    let last = || name.value.rsplit(' ').next();
    rest.is_some_and(|rest| rest.starts_with(is_number))
        && last().is_some_and(|last| property.owns(Some(&canonical(last))))
}

/// Returns a place with the number that belongs to it: "from Terminal 1 to Gate B".
pub(super) fn numbered(place: &Fact, reading: &Reading) -> Option<Fact> {
    let captures = NUMBERED.captures(&reading.text[place.range.end..])?;
    let is_apart = captures.get(2).is_none_or(|word| contains(PHRASE_ENDS, word.as_str()));
    let range = place.range.start..place.range.end + captures.get(1)?.end();
    let value = reading.text[range.clone()].to_owned();
    is_apart.then(|| reading.fact(FactType::Name, range, value))
}

/// A short number or a letter, and the word behind it.
static NUMBERED: LazyLock<Regex> =
    LazyLock::new(|| compile(r"^( (?:\d{1,3}|[A-Z]))(?:[.,;?!)](?:\s|$)|$| (\w+))"));

/// Capitalized words behind a comma, and whether a list continues behind them.
static REGION: LazyLock<Regex> =
    LazyLock::new(|| compile(r"^, ?(\p{Lu}\p{L}*(?: \p{Lu}\p{L}*)*)(?:( and |, )\p{Lu})?"));

/// Returns `true` for a word behind "at" or "on", which is a place only for a property that must be there.
pub(super) fn is_at_site(word: &Fact, reading: &Reading) -> bool {
    let before = reading.text[..word.range.start].trim_end_matches("the ");
    [" at ", " on "].iter().any(|it| before.ends_with(it))
}

/// Returns a place of lower-case words, with the number behind them: "the cold store", "dock 2".
pub(super) fn place_words(first: &Fact, reading: &Reading) -> Option<Fact> {
    let mut end = first.range.end;
    for _ in 0..MAX_WORDS {
        let Some(word) = next_word(&reading.text[end..]) else { break };
        end += 1 + word.len();
    }
    let number = PLACE_NUMBER.captures(&reading.text[end..]).and_then(|it| it.get(1));
    let number = number.filter(|it| {
        let rest = &reading.text[end + it.len()..];
        let next = rest.split(' ').nth(1).unwrap_or("");
        !next.starts_with(char::is_lowercase)
            || rest.starts_with([',', '.', ';', ':'])
            || [PHRASE_ENDS, LIST_JOINTS].iter().any(|list| contains(list, next))
    });
    end += number.map_or(0, |it| it.len());
    let range = first.range.start..end;
    let value = reading.text[range.clone()].to_owned();
    (end > first.range.end).then(|| reading.fact(FactType::Word, range, value))
}

/// Returns the word behind a blank that a place may have.
fn next_word(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix(' ')?;
    let word = &rest[..rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(rest.len())];
    let entry = Entry::listed(word);
    let is_verb = ["ing", "ed", "ly"].iter().any(|end| word.ends_with(end));
    let is_listed =
        [PHRASE_ENDS, CLAUSE_WORDS, CONNECTIVES, LIST_JOINTS, "with right only instead"]
            .iter()
            .any(|list| contains(list, word));
    let after = rest[word.len()..].trim_start_matches(['.', '!', '?']);
    let is_whole = !after.starts_with(|c: char| c.is_alphanumeric() || "-_'’@".contains(c));
    (word.len() > 2
        && !is_verb
        && !is_listed
        && is_whole
        && !is_generic(&canonical(word))
        && entry.may_be_name()
        && entry.cue.is_none())
    .then_some(word)
}

static PLACE_NUMBER: LazyLock<Regex> =
    LazyLock::new(|| compile(r"^( (?:\d{1,3}|[A-Z]-?\d{0,3}))\b(?:[^-:/%$\w]|:\s|$)"));
