//! The keys by which the index finds rules.

use std::{cmp::Reverse, collections::BTreeMap};

use mynah_core::base::condition::TextCondition;

use super::{fold::fold, literals::required_literals};
use crate::rules::matching::{Match, Requirement, Searched};

/// Maximum length of a contained text in bytes. A longer one is cut, so that the automaton stays
/// small.
const MAX_PART: usize = 64;

/// Something that a call must have for a rule to match. Texts are folded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// One of the texts is this one.
    Whole(Searched, String),
    /// One of the texts contains this one.
    Part(Searched, String),
    /// The request offers this tool.
    Tool(String),
    /// The normalized request has this hash.
    Request(u64),
}

/// Keys of which a call must have at least one.
type AnyOf = Vec<Key>;

/// Returns keys for each rule: those that the fewest rules have. A rule without keys may match any
/// call.
pub(super) fn choose<'m>(rules: impl Iterator<Item = &'m Match>) -> Vec<AnyOf> {
    let rules: Vec<Vec<AnyOf>> = rules.map(of_match).collect();
    let mut users: BTreeMap<&Key, usize> = BTreeMap::new();
    for key in rules.iter().flatten().flatten() {
        *users.entry(key).or_default() += 1;
    }
    let cost = |keys: &&AnyOf| {
        let sharing: usize = keys.iter().filter_map(|key| users.get(key)).sum();
        let is_searched = keys.iter().any(|key| matches!(key, Key::Part(..)));
        (sharing, is_searched, Reverse(keys.iter().map(Key::len).min()))
    };
    let choose = |rule: &Vec<AnyOf>| rule.iter().min_by_key(cost).cloned();
    rules.iter().map(|rule| choose(rule).unwrap_or_default()).collect()
}

/// Returns all keys of a match. A call must have at least one key of each list.
fn of_match(matched: &Match) -> Vec<AnyOf> {
    matched
        .requirements()
        .flat_map(|requirement| match requirement {
            Requirement::Tool(name) => vec![vec![Key::Tool(name.to_owned())]],
            Requirement::Request(request) => vec![vec![Key::Request(request.hash())]],
            Requirement::Text(searched, condition) => of_text(searched, condition),
        })
        .collect()
}

fn of_text(searched: Searched, condition: &TextCondition) -> Vec<AnyOf> {
    let whole = condition.whole().map(|text| vec![Key::Whole(searched, fold(text).into_owned())]);
    let contained = condition.contained().filter(|text| !text.is_empty());
    let contained = contained.map(|text| vec![part(searched, &fold(text))]);
    let pattern = condition.pattern().and_then(|pattern| {
        let literals = required_literals(pattern.as_str(), condition.ignores_case())?;
        Some(literals.iter().map(|text| part(searched, text)).collect())
    });
    whole.into_iter().chain(contained).chain(pattern).collect()
}

fn part(searched: Searched, text: &str) -> Key {
    let end = (0..=text.len().min(MAX_PART)).rev().find(|end| text.is_char_boundary(*end));
    Key::Part(searched, text[..end.unwrap_or_default()].to_owned())
}

impl Key {
    fn len(&self) -> usize {
        match self {
            Self::Whole(_, text) | Self::Part(_, text) | Self::Tool(text) => text.len(),
            // It is as telling as a long text.
            Self::Request(_) => usize::MAX,
        }
    }
}
