//! Finds facts that consist of words: names, abbreviations, languages, number words, …

use std::ops::Range;

use super::{Bare, FactType};
use crate::text::{
    Sentence, canonical, ends_with_title,
    lexicon::{
        ACRONYMS, BeforePlace, CLAUSE_WORDS, ELISIONS, Entry, INFINITIVES, NUMERALS, PARTICLES,
        PARTNERS, PEOPLE, SUBJECT_VERBS, contains, is_generic, is_telling,
    },
    words,
};

/// What joins the words of the name of a thing with an article.
const THING_JOINTS: [&str; 3] = [" at the ", " in the ", " on the "];

/// Adds the facts that do not overlap those already found, which must be sorted.
pub(super) fn find(source: &str, sentence: &Sentence, found: &mut Vec<Bare>) {
    let taken: Vec<Range<usize>> = found.iter().map(|(_, range, _)| range.clone()).collect();
    let is_free = |range: &Range<usize>| {
        let next = taken.partition_point(|it| it.end <= range.start);
        taken.get(next).is_none_or(|it| it.start >= range.end)
    };
    let mut name: Option<Range<usize>> = None;
    for (index, word) in sentence.words.iter().enumerate() {
        // The run of letters was read with its first word.
        if word.is_quoted || !word.starts_run() || !is_free(&word.run()) {
            continue;
        }
        let (text, range) = (&source[word.run()], word.run());
        let entry = word.run_entry;
        let may_start = || index > 0 || name.is_some() || starts_with_subject(source, sentence);
        let is_name = is_name(text, entry) && may_start()
            || name.is_some() && NUMERALS.contains(&text)
            || index > 0 && is_part_of_name(text, entry, &source[range.end..], name.is_some());
        name = name.and_then(|name| join(source, name, &range, is_name, found));
        if is_name && name.is_none() {
            name = Some(range.clone());
        }
        let rest = &source[range.end..];
        if let Some(number) = entry.number.filter(|_| !is_pronoun(text, rest)) {
            found.push((FactType::Number, range, number.to_owned()));
        } else if let Some(code) = entry.language {
            found.push((FactType::Language, range, code.to_owned()));
        } else if let Some(code) = entry.currency(text) {
            found.push((FactType::Currency, range, code.to_owned()));
        } else if is_capitals(text) && !is_name && !ACRONYMS.contains(&text) {
            found.push((FactType::Capitals, range, text.to_owned()));
        } else if let Some(identifier) = sentence.identifier_of(index) {
            let last = &sentence.words[identifier.words.end - 1];
            let range = range.start..last.range().end;
            if identifier.words.start == index {
                let text = source[range.clone()].to_owned();
                found.push((FactType::Identifier, range, text));
            }
        } else if may_be_place(source, sentence, index, entry) {
            found.push((FactType::Word, range, text.to_owned()));
        }
    }
    found.extend(name.and_then(|range| named(source, range)));
}

/// Returns `true` for "one" in "one for Ada" and "one of them", and for "half of it".
fn is_pronoun(word: &str, rest: &str) -> bool {
    let is = |pronoun: &str| word.eq_ignore_ascii_case(pronoun);
    is("one") && [" for ", " of "].iter().any(|it| rest.starts_with(it))
        || is("half") && [" of it", " of them"].iter().any(|it| rest.starts_with(it))
}

/// Returns the fact of a name, or `None` if it is only a generic word. It includes a final "'s", unless what belongs to the name follows.
fn named(source: &str, range: Range<usize>) -> Option<Bare> {
    // "The"
    if is_generic(&canonical(&source[range.clone()])) {
        return None;
    }
    let elision = ELISIONS.into_iter().find(|it| source[..range.start].ends_with(it)).unwrap_or("");
    let range = range.start - elision.len()..range.end;
    let rest = &source[range.end..];
    let suffix = ["'s", "’s"].into_iter().find(|suffix| rest.starts_with(suffix)).unwrap_or("");
    let after = &rest[suffix.len()..];
    let is_last = words(after).next().is_none_or(|next| {
        let word = &after[next.range.clone()];
        let follows = after[..next.range.start].trim().is_empty();
        !follows || is_generic(word) || Entry::listed(word).cue.is_some()
    });
    let end = if is_last { range.end + suffix.len() } else { range.end };
    Some((FactType::Name, range.start..end, source[range.start..end].to_owned()))
}

/// Extends a name by the next word. If the word does not continue the name, adds the name to the
/// facts and returns `None`.
fn join(
    source: &str,
    name: Range<usize>,
    next: &Range<usize>,
    is_name: bool,
    found: &mut Vec<Bare>,
) -> Option<Range<usize>> {
    let gap = source.get(name.end..next.start).unwrap_or(",");
    // "Miller & Sons"
    if is_name && gap == " & " && contains(PARTNERS, &source[next.clone()].to_lowercase()) {
        return Some(name.start..next.end);
    }
    let is_particle = |gap: &str| {
        let gap = gap.trim();
        let joins = |word: &str| PARTICLES.contains(&word) || ELISIONS.contains(&word);
        gap.split([' ', '-']).all(|word| word.is_empty() || joins(word))
    };
    // "the Night at the Planetarium", "Members' Summer Evening"
    let is_thing = THING_JOINTS.contains(&gap) && may_be_at(source, &name);
    let is_owner = ["' ", "’ "].contains(&gap) && source[..name.end].ends_with('s');
    if is_name && (is_thing || is_owner) {
        return Some(name.start..next.end);
    }
    if joins_thing(source, &name, next) {
        return Some(name);
    }
    let follows_title = gap == ". " && ends_with_title(&source[..name.end]);
    if is_name && (follows_title || is_particle(gap)) && !gap.contains('\n') {
        return Some(name.start..next.end);
    }
    let text = &source[next.clone()];
    let starts_elision = || ELISIONS.into_iter().any(|it| source[next.start..].starts_with(it));
    if [" ", "-"].contains(&gap) && (PARTICLES.contains(&text) || starts_elision()) {
        return Some(name);
    }
    found.extend(named(source, name));
    None
}

/// Returns `true` for a word within what joins the name of a thing: "at the" in "the Night at the Planetarium".
fn joins_thing(source: &str, name: &Range<usize>, word: &Range<usize>) -> bool {
    let rest = &source[name.end..];
    let is_within = |joint: &str| word.start < name.end + joint.len();
    may_be_at(source, name) && thing_joint(rest).is_some_and(is_within)
}

/// Returns what joins a text to the capitalized word behind it, as in the name of a thing.
fn thing_joint(rest: &str) -> Option<&'static str> {
    let is_upper = |rest: &str| rest.starts_with(char::is_uppercase);
    THING_JOINTS.into_iter().find(|it| rest.strip_prefix(*it).is_some_and(is_upper))
}

/// Returns `true` for a word for a time that starts the name of a thing: "the Night at the Planetarium", but not "the
/// Harvest Supper at the Village Hall".
fn may_be_at(source: &str, name: &Range<usize>) -> bool {
    source[..name.start].ends_with("the ") && Entry::listed(&source[name.clone()]).is_in_names
}

/// Returns `true` for a sentence about whom its first words name: "Rex weighs 31 kg", "Ada Byron would like a
/// room". Other first words are capitalized, too.
fn starts_with_subject(source: &str, sentence: &Sentence) -> bool {
    let runs = sentence.words.iter().filter(|word| word.starts_run() && !word.is_quoted);
    let mut written = runs.map(|word| &source[word.run()]);
    let Some(first) = written.next().map(str::to_lowercase) else { return false };
    let end = sentence.words.first().map_or(0, |word| word.run().end);
    let is_name = |word: &&str| word.starts_with(char::is_uppercase) || *word == "and";
    let verb = written.find(|word| !is_name(word));
    // "Customer Ada Byron would like a room"
    !contains(PEOPLE, &first)
        && !contains(CLAUSE_WORDS, &first)
        && (is_telling(&first) || ends_with_title(&source[..end]))
        && verb.is_some_and(|verb| contains(SUBJECT_VERBS, verb) || is_past(verb))
}

/// Returns `true` for verbs such as "scored".
fn is_past(verb: &str) -> bool {
    verb.len() > 4 && verb.ends_with("ed")
}

fn is_name(word: &str, entry: &Entry) -> bool {
    word.starts_with(char::is_uppercase)
        && !is_capitals(word)
        && word.len() > 1
        && entry.may_be_name()
}

/// Returns `true` for a season or a month that is part of a name: "Spring Flea Market", "Cape May", "Chiang Mai",
/// but not "Ada May 5". `rest` is the text behind the word.
fn is_part_of_name(word: &str, entry: &Entry, rest: &str, has_name: bool) -> bool {
    if !entry.is_in_names || !word.starts_with(char::is_uppercase) || word.len() < 2 {
        return false;
    }
    let next = rest.strip_prefix(' ').and_then(|rest| rest.split(' ').next()).unwrap_or("");
    let next = next.trim_end_matches(|c: char| !c.is_alphanumeric());
    has_name && !next.starts_with(|c: char| c.is_ascii_digit())
        || is_name(next, Entry::listed(next))
        || thing_joint(rest).is_some()
}

/// Returns `true` for two to five capital letters.
fn is_capitals(word: &str) -> bool {
    (2..=5).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Returns `true` for a lower-case word that is not a name of something else, directly after a
/// preposition.
fn may_be_place(source: &str, sentence: &Sentence, index: usize, entry: &Entry) -> bool {
    let word = &sentence.words[index];
    let text = &source[word.run()];
    let follows = |index: usize, expected: BeforePlace| {
        let Some(before) = index.checked_sub(1).map(|index| &sentence.words[index]) else {
            return false;
        };
        let after = &sentence.words[index];
        let is_before_verb = index > 1
            && &source[before.range()] == "to"
            && sentence.words[index - 2].entry.is_before_infinitive;
        before.entry.before_place == Some(expected)
            && !is_before_verb
            && source[before.range().end..after.range().start].trim().is_empty()
    };
    let follows_preposition = |index| follows(index, BeforePlace::Preposition);
    // "at the lake", "at pitch C14"
    let follows_site = |index| follows(index, BeforePlace::Site);
    let is_numbered = || {
        let rest = source[word.run().end..].strip_prefix(' ').unwrap_or("");
        rest.trim_start_matches(|c: char| c.is_ascii_uppercase())
            .starts_with(|c: char| c.is_ascii_digit())
    };
    (follows_preposition(index)
        || follows(index, BeforePlace::Article)
            && (follows_preposition(index - 1) || follows_site(index - 1))
        || follows_site(index) && is_numbered())
        && text.starts_with(char::is_lowercase)
        && text.chars().all(char::is_alphabetic)
        && !is_generic(sentence.form(word))
        && !contains(INFINITIVES, text)
        && entry.may_be_name()
}
