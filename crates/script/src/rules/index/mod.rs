//! An index of rules, so that a call is compared only with the few rules that may match it.
//!
//! Each rule is filed under keys that a call must have for the rule to match: the whole of a text, a
//! part of it, or an offered tool. Of a rule's keys, the index uses those that the fewest rules have.
//! All contained texts are found in one pass over a text. Rules without keys may match any call.

// keys      the keys of rules
// fold      makes the case of letters irrelevant
// literals  finds texts that a pattern requires

mod fold;
mod keys;
mod literals;
#[cfg(test)]
mod tests;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    slice,
    sync::Arc,
};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use self::{
    fold::fold,
    keys::{Key, choose},
};
use super::matching::{
    Match, MatchedCall, Searched,
    request::{NormalizedForm, Normalizer, RequestCondition},
};

/// The numbers of rules, in order.
type RuleNumbers = Vec<usize>;

/// An index of rules. Rules have numbers in the order in which they are tried.
#[derive(Debug, Default)]
pub struct Index {
    /// Rules that may match any call.
    unindexed: RuleNumbers,
    /// The number of patterns of these rules.
    searches: usize,
    tools: BTreeMap<String, RuleNumbers>,
    /// By the hash of the request, for each normalization.
    requests: Vec<(Arc<Normalizer>, BTreeMap<u64, RuleNumbers>)>,
    texts: BTreeMap<Searched, TextIndex>,
}

/// An index of the conditions on some texts of a call.
#[derive(Debug, Default)]
struct TextIndex {
    whole: BTreeMap<String, RuleNumbers>,
    parts: Option<PartIndex>,
}

/// Finds all contained texts in one pass.
#[derive(Debug)]
struct PartIndex {
    automaton: AhoCorasick,
    /// The rules for each of the automaton's patterns.
    rules: Vec<RuleNumbers>,
}

impl Index {
    /// Creates the index of rules with these conditions, in the order in which they are tried.
    pub fn new<'m>(rules: impl IntoIterator<Item = &'m Match>) -> Self {
        let mut index = Self::default();
        let mut parts: BTreeMap<Searched, BTreeMap<String, RuleNumbers>> = BTreeMap::new();
        let rules: Vec<_> = rules.into_iter().collect();
        for (rule, keys) in choose(rules.iter().copied()).into_iter().enumerate() {
            if keys.is_empty() {
                index.unindexed.push(rule);
                index.searches += rules[rule].patterns().count();
            }
            for key in keys {
                let rules = match key {
                    Key::Tool(name) => index.tools.entry(name).or_default(),
                    Key::Request(hash) => {
                        let normalizer = rules[rule].request().map(RequestCondition::normalizer);
                        index.requests_with(normalizer).entry(hash).or_default()
                    }
                    Key::Whole(texts, whole) => {
                        index.texts.entry(texts).or_default().whole.entry(whole).or_default()
                    }
                    Key::Part(texts, part) => {
                        parts.entry(texts).or_default().entry(part).or_default()
                    }
                };
                rules.push(rule);
            }
        }
        for (texts, parts) in parts {
            index.add_parts(texts, parts);
        }
        index.unindexed.sort_unstable();
        index
    }

    /// Returns the rules by the hash of the request with this normalization.
    fn requests_with(
        &mut self,
        normalizer: Option<&Arc<Normalizer>>,
    ) -> &mut BTreeMap<u64, RuleNumbers> {
        let normalizer = normalizer.unwrap_or(Normalizer::usual());
        let known = self.requests.iter().position(|(own, _)| Arc::ptr_eq(own, normalizer));
        let at = known.unwrap_or_else(|| {
            self.requests.push((normalizer.clone(), BTreeMap::new()));
            self.requests.len() - 1
        });
        &mut self.requests[at].1
    }

    fn add_parts(&mut self, texts: Searched, parts: BTreeMap<String, RuleNumbers>) {
        // Dense automata are faster, but take too much memory for many rules.
        let kind = Some(AhoCorasickKind::ContiguousNFA);
        match AhoCorasick::builder().kind(kind).build(parts.keys()) {
            Ok(automaton) => {
                let rules = parts.into_values().collect();
                self.texts.entry(texts).or_default().parts = Some(PartIndex { automaton, rules });
            }
            // The texts are too long for an automaton.
            Err(_) => self.unindexed.extend(parts.into_values().flatten()),
        }
    }

    /// Returns the number of patterns that are searched in every call.
    pub fn searches(&self) -> usize {
        self.searches
    }

    /// Returns the rules that may match a call, in order. No other rule matches it.
    pub fn candidates(&self, call: &MatchedCall<'_>) -> Candidates<'_> {
        let mut lists = vec![self.unindexed.as_slice()];
        if !self.tools.is_empty() {
            let tools = call.request.tools.iter().filter_map(|tool| self.tools.get(&tool.name));
            lists.extend(tools.map(Vec::as_slice));
        }
        for (normalizer, rules) in &self.requests {
            let rules_of = |form: &NormalizedForm| rules.get(&form.hash());
            // Most requests have no secrets, and removing them takes longer than all else.
            let found = rules_of(&call.normalized(normalizer));
            let found = found.or_else(|| rules_of(&call.redacted(normalizer)));
            lists.extend(found.map(Vec::as_slice));
        }
        for (searched, index) in &self.texts {
            for text in searched.of(call) {
                index.find(&fold(&text), &mut lists);
            }
        }
        Candidates::new(lists)
    }
}

impl TextIndex {
    /// Adds the rules that a folded text may match.
    fn find<'i>(&'i self, text: &str, lists: &mut Vec<&'i [usize]>) {
        lists.extend(self.whole.get(text).map(Vec::as_slice));
        if let Some(PartIndex { automaton, rules }) = &self.parts {
            let found = automaton.find_overlapping_iter(text).map(|found| found.pattern());
            let found: BTreeSet<_> = found.collect();
            lists.extend(
                found.into_iter().filter_map(|it| rules.get(it.as_usize())).map(Vec::as_slice),
            );
        }
    }
}

/// Iterates over the rules that may match a call, in order.
#[derive(Debug)]
pub struct Candidates<'i> {
    /// The rest of each list.
    lists: Vec<slice::Iter<'i, usize>>,
    /// The first rule of each list that has one, with the number of the list.
    heads: BinaryHeap<Reverse<(usize, usize)>>,
    last: Option<usize>,
}

impl<'i> Candidates<'i> {
    fn new(lists: Vec<&'i [usize]>) -> Self {
        let mut lists: Vec<_> = lists.into_iter().map(<[usize]>::iter).collect();
        let heads = lists.iter_mut().enumerate();
        let heads = heads.filter_map(|(at, list)| Some(Reverse((*list.next()?, at)))).collect();
        Self { lists, heads, last: None }
    }
}

impl Iterator for Candidates<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            let Reverse((rule, list)) = self.heads.pop()?;
            if let Some(next) = self.lists[list].next() {
                self.heads.push(Reverse((*next, list)));
            }
            if self.last.replace(rule) != Some(rule) {
                return Some(rule);
            }
        }
    }
}
