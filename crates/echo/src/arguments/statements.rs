//! The words that statements give to a property: "color: red", "the injury is a sprained knee".

use std::{ops::Range, slice, sync::LazyLock};

use regex::Regex;

use super::{phrases::phrases, property::Property, words_left::whole};
use crate::{
    facts::{Fact, Kind, Reading, compile},
    text::{canonical, lexicon::is_generic},
};

/// Maximum number of places where a statement for a property is looked for.
const MAX_STATEMENTS: usize = 16;

/// Returns the words that statements such as "color: red" and "a database called inventory" give to a
/// property.
pub(super) fn stated_words<'r>(
    property: &'r Property,
    reading: &'r Reading,
) -> impl Iterator<Item = Fact> + 'r {
    use Kind::{Id, Label, Place, Room, Title, Uuid, Version};
    let takes = matches!(property.kind(), Some(Label | Title | Id | Uuid | Version | Place | Room));
    let words = property.words.iter().filter(move |_| takes);
    said(property, reading, words).filter_map(|(Range { end, .. }, _)| {
        let captures = STATEMENT.captures(&reading.text[end..])?;
        let word = captures.get(1).or(captures.get(2))?;
        let range = end + word.start()..end + word.end();
        let is_free = reading.fact_in(&range).is_none();
        // "the order should be shipped"
        let is_value =
            is_free && !is_generic(&canonical(word.as_str())) && !word.as_str().ends_with("ed");
        is_value.then(|| reading.phrase(range))
    })
}

/// Returns where words of a property stand, if not in the identifier of something else.
fn said<'r>(
    property: &'r Property,
    reading: &'r Reading,
    words: impl Iterator<Item = &'r String> + 'r,
) -> impl Iterator<Item = (Range<usize>, bool)> + 'r {
    let found = words.flat_map(|word| reading.find(slice::from_ref(word))).take(MAX_STATEMENTS);
    found.filter(|(range, _)| property.has_word(reading.whole_form(range.start)))
}

/// Returns the phrases that statements give to a property: "the injury is a sprained knee", "items: skis and
/// boots".
pub(super) fn stated_phrases(property: &Property, reading: &Reading) -> Vec<Fact> {
    let words = || property.own_words.iter().filter(|_| property.is_any_text());
    let ends = said(property, reading, words()).map(|(range, _)| (range.end, false));
    let is_list = property.is_array && property.is_any_text();
    let participles =
        if is_list { reading.ends_of(|word| property.has_participle(word)) } else { Vec::new() };
    let participles = participles.into_iter().map(|end| (end, true)).take(MAX_STATEMENTS);
    let lists = ends.chain(participles).filter_map(|(end, is_participle)| {
        let lead = LEADS_TO_PHRASE.find(&reading.text[end..])?.len();
        let items = phrases(reading, end + lead..reading.text.len());
        // "with the items skis and boots"
        let is_led = lead > 1 || property.is_array && (is_participle || items.len() > 1);
        is_led.then_some(items)
    });
    let mut lists = lists.map(|items| phrase_facts(property, reading, items));
    lists.find(|list| !list.is_empty()).unwrap_or_default()
}

/// Returns the facts of phrases: one for each item of an array, or one of several words.
fn phrase_facts(property: &Property, reading: &Reading, items: Vec<Range<usize>>) -> Vec<Fact> {
    let text = |item: &Range<usize>| &reading.text[item.clone()];
    // "the crew members Luis and Dana", "order numbers 30114 and 30115"
    let name = |item: Range<usize>| {
        let led =
            text(&item).split_inclusive(' ').take_while(|it| it.starts_with(char::is_lowercase));
        let start = item.start + led.map(str::len).sum::<usize>();
        let is_name = text(&(start..item.end))
            .split(' ')
            .all(|it| it.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()));
        if property.is_array && is_name { start..item.end } else { item }
    };
    let facts = items.into_iter().map(|item| reading.phrase(name(item)));
    if property.is_array {
        let facts = facts.enumerate();
        let in_list = |(index, mut fact): (usize, Fact)| {
            fact.continues_list = index > 0;
            fact
        };
        return facts.map(in_list).collect();
    }
    whole(reading, facts).into_iter().filter(|it| it.value.contains(' ')).collect()
}

/// What stands between the word of a property and a phrase.
static LEADS_TO_PHRASE: LazyLock<Regex> =
    LazyLock::new(|| compile(r"^(?: (?:is|are|was|were) | ?[:=] ?| )"));

/// A statement of one word, after the word that it is for. Names of files and hosts, and a letter as in "zone
/// B", need no sign.
static STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^(?:(?: (?:called|named|should be|must be)| ?[=:]) ?(\w[\w./@+-]*\w)| (?:is )?([A-Z]|[\w~-]*[./_-][\w./~-]*\w))(?:[.,;)]|\s+(?:and|with|in|on|for|to|from|at|by|until|before|after|starting)\b|\s*$)",
    )
});
