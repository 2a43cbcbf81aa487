//! Lower-case words that are names of users: "user dchen", "tbrown's password".

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::property::Property;
use crate::{
    facts::{Fact, FactType, Reading, compile},
    text::{
        canonical,
        lexicon::{
            ARTICLES, CLAUSE_WORDS, CONNECTIVES, Entry, LIST_JOINTS, NO_USERS, PEOPLE, PHRASE_ENDS,
            SUBJECT_VERBS, contains, is_generic,
        },
    },
};

/// Maximum number of names in a list.
const MAX_NAMES: usize = 8;
/// Words that stand behind a verb rather than a name: "the user forgot his password".
const OBJECT_STARTS: &str = "a an the my our his her their it them to not";

/// Returns the names of users that a message states behind "user" or a word of the property, as if this were their
/// cue, and for a property that must be there, other words that may be one.
pub(super) fn user_names(property: &Property, reading: &Reading) -> Vec<Fact> {
    let Some(cue) = property.user_cue else { return Vec::new() };
    let (text, mut found) = (&reading.text, Vec::new());
    for it in STARTS.captures_iter(text) {
        let start = it.get(2).map_or(it.get_match().end(), |owner| owner.start());
        let led = it.get(1).map(|word| word.as_str());
        let max = if led.is_some_and(|word| !word.ends_with('s')) { 1 } else { MAX_NAMES };
        for name in names(reading, start).into_iter().take(max) {
            if led.is_some() || property.is_wanted && may_be_left(text, &name) {
                let of = led.map_or(FactType::Word, |_| FactType::Code);
                let mut fact = reading.fact(of, name.clone(), text[name].to_owned());
                fact.cue = led.map(|_| cue);
                found.push(fact);
            }
        }
    }
    found
}

/// Returns the names in the list that starts at a position.
fn names(reading: &Reading, mut at: usize) -> Vec<Range<usize>> {
    let mut names = Vec::new();
    while let Some(name) = NAME.captures(&reading.text[at..]).and_then(|it| it.get(1)) {
        let range = at + name.start()..at + name.end();
        if !is_name(reading, &range) {
            break;
        }
        at = range.end;
        names.push(range);
        let Some(joint) = JOINT.find(&reading.text[at..]) else { break };
        at += joint.len();
    }
    names
}

/// Returns `true` for a word that has no other meaning.
fn is_name(reading: &Reading, range: &Range<usize>) -> bool {
    let (written, rest) = (&reading.text[range.clone()], &reading.text[range.end..]);
    let form = canonical(written);
    let lists =
        [CLAUSE_WORDS, PHRASE_ENDS, CONNECTIVES, LIST_JOINTS, SUBJECT_VERBS, NO_USERS, PEOPLE];
    let is_known = lists.iter().any(|it| contains(it, written) || contains(it, &form));
    let of = reading.fact_in(range).map(|fact| fact.of);
    let next = rest.split_whitespace().next().unwrap_or("");
    let is_verb = !written.contains(|c: char| !c.is_alphabetic()) && contains(OBJECT_STARTS, next);
    let entry = Entry::listed(written);
    !is_known
        && !is_verb
        && !is_generic(&form)
        && entry.cue.or(entry.number).is_none()
        && matches!(of, None | Some(FactType::Code | FactType::Identifier | FactType::Word))
        && !rest.starts_with(['@', '/'])
}

/// Returns `true` for a name that no noun follows, or that has something: "for jwolfe", but not "for security reasons".
fn may_be_left(text: &str, name: &Range<usize>) -> bool {
    let led = text[..name.start].split_whitespace().next_back().unwrap_or("");
    let rest = &text[name.end..];
    let next = rest.split_whitespace().next().unwrap_or("");
    !contains(ARTICLES, led)
        && !contains(OBJECT_STARTS, led)
        && (!rest.starts_with(' ')
            || [LIST_JOINTS, PHRASE_ENDS].iter().any(|it| contains(it, next)))
}

/// What names stand behind, or the name of one who has something.
static STARTS: LazyLock<Regex> = LazyLock::new(|| {
    let own =
        "(?i:(user ?names?|users?|logins?|handles?|account names?))(?: is| called| named|:)? ";
    compile(&format!(r"\b(?:{own}|(?:for|of) |([a-z][\w.-]*)['’]s )"))
});

static NAME: LazyLock<Regex> =
    LazyLock::new(|| compile(r"^@?([a-z][a-z0-9]*(?:[._-][a-z0-9]+)*)\b"));

static JOINT: LazyLock<Regex> = LazyLock::new(|| compile("^(?:, and |, | and | or )"));
