//! Finds the sets of values in a message that asks for several calls of one tool.
//!
//! A set is in a clause of its own, as in "one with a radius of 5 and the other with a radius of 10", or
//! its values are items of lists, as in "in London, Paris and Rome".

use std::{ops::Range, rc::Rc, slice};

use super::{
    generator::Generator,
    lists::{Call, MAX_CALLS, facts_alike},
    property::{Offer, Property},
    search::Scope,
};
use crate::{
    facts::{Fact, Reading},
    text::lexicon::{contains, is_common_verb, is_generic},
};

/// What ends a sentence, or a part of it.
const ENDS: [&str; 5] = [". ", "? ", "! ", "\n", ";"];
/// What stands between clauses of a sentence.
const JOINTS: [&str; 4] = [" and ", " or ", " then ", " while "];
/// What stands between them if there is nothing better.
const WEAK_JOINTS: [&str; 2] = [",", " with the "];
/// The cues that only lead to facts in the same clause.
const CUES: &str = "from to in at";
/// Maximum number of words between a cue and its fact.
const MAX_CUE_DISTANCE: usize = 16;
/// Number of comparisons that take the time of a step.
const COMPARISONS_PER_STEP: usize = 32;

impl<'a> Generator<'a> {
    /// Returns the calls that a message asks for, from a call that took its values from the whole message.
    pub(super) fn several(&mut self, whole: Call<'a>, reading: &Reading) -> Vec<Call<'a>> {
        if self.spend_comparisons(&whole, reading).is_none() {
            return vec![whole];
        }
        let in_reach = self.by_list(whole, reading, &self.context.reach);
        let [whole] = in_reach.as_slice() else { return in_reach };
        let (clauses, has_noun) = self.clauses(whole, reading);
        let Some(calls) = self.by_clause(whole, reading, &clauses, has_noun) else {
            return in_reach;
        };
        let calls = calls.into_iter().zip(&clauses);
        let calls = calls.flat_map(|(call, clause)| self.by_list(call, reading, clause));
        calls.take(MAX_CALLS).collect()
    }

    /// Spends the steps for comparing facts, unless no property could have taken another one.
    pub(super) fn spend_comparisons(&mut self, call: &Call, reading: &Reading) -> Option<()> {
        let facts = reading.facts();
        let has_choice = |it: &&Property| {
            it.fact.as_ref().is_some_and(|fact| {
                facts.iter().filter(|it| it.of == fact.of).nth(1).is_some()
                    || it.offers.iter().filter(|it| it.fact.of == fact.of).nth(1).is_some()
            })
        };
        let comparisons = call.iter().filter(has_choice).count() * call.len() * (1 + facts.len());
        let is_possible = comparisons > 0 && !self.context.reach.is_empty();
        let steps = 1 + comparisons / COMPARISONS_PER_STEP;
        is_possible.then(|| self.budget.spend_steps(steps).ok())?
    }

    /// Returns the parts of the message that state a set of values each: from one of several facts alike,
    /// or from one noun of the tool to the next, and whether it is the noun.
    fn clauses(&self, call: &Call, reading: &Reading) -> (Vec<Range<usize>>, bool) {
        let reach = &self.context.reach;
        let wanted = call.iter().filter(|it| it.is_wanted && !it.is_array);
        let mut rows: Vec<_> = wanted.map(|it| facts_alike(it, call, reading, reach)).collect();
        let has_noun = rows.iter().all(|row| row.len() < 2);
        if has_noun {
            rows = vec![self.mentions(reading)];
        }
        let count = rows.iter().map(Vec::len).max().unwrap_or(0);
        rows.retain(|row| row.len() == count);
        let mut starts = vec![reach.start];
        for next in 1..count {
            let end = rows.iter().map(|row| row[next - 1].end).max().unwrap_or(0);
            let start = rows.iter().map(|row| row[next].start).min().unwrap_or(0);
            match reading.text.get(end..start).and_then(boundary) {
                Some(boundary) => starts.push(end + boundary),
                None => return (vec![reach.clone()], false),
            }
        }
        let ends = starts[1..].iter().copied().chain([reach.end]);
        let clauses = starts.iter().zip(ends).map(|(start, end)| *start..end);
        (clauses.take(MAX_CALLS).collect(), has_noun && self.is_alone(reading))
    }

    /// Returns `true` if the whole message is about this tool.
    fn is_alone(&self, reading: &Reading) -> bool {
        self.context.reach == (0..reading.text.len())
    }

    /// Returns where the last word of the tool's name stands, if all words stand there equally often. If the
    /// message mentions no other tool, only words that are repeated count.
    fn mentions(&self, reading: &Reading) -> Vec<Range<usize>> {
        let is_in_reach = |it: &(Range<usize>, bool)| self.context.reach.contains(&it.0.start);
        let is_alone = self.is_alone(reading);
        let tells = |word: &&String| !(is_generic(word) || is_alone && is_common_verb(word));
        let words = self.described.subject.canonical.iter().filter(tells);
        let found = words.map(|word| reading.find(slice::from_ref(word)).into_iter());
        let found: Vec<Vec<_>> = found.map(|it| it.filter(is_in_reach).collect()).collect();
        let found: Vec<_> = found.into_iter().filter(|it| it.len() > 1 || !is_alone).collect();
        let is_even = found.windows(2).all(|it| it[0].len() == it[1].len());
        let last = found.into_iter().next_back().filter(|_| is_even).unwrap_or_default();
        last.into_iter().map(|(range, _)| range).collect()
    }

    /// Fills the properties from each clause. What a clause does not state is as in the clause before.
    /// Returns `None` unless all clauses state one of the properties.
    fn by_clause(
        &mut self,
        whole: &Call<'a>,
        reading: &Reading,
        clauses: &[Range<usize>],
        has_noun: bool,
    ) -> Option<Vec<Call<'a>>> {
        if clauses.len() < 2 {
            return None;
        }
        let mut calls: Vec<Call> = Vec::new();
        for clause in clauses {
            self.budget.spend_steps(whole.len() * (1 + reading.facts().len() / 16)).ok()?;
            let mut call = whole.clone();
            for property in &mut call {
                property.repeat(None);
                property.offers = offers_in(clause, &property.offers, &reading.text);
            }
            let mut scope = Scope::new(reading, &call, clause.clone());
            self.fill(&mut call, &mut scope);
            calls.push(call);
        }
        let stated = calls.iter().flat_map(|call| call.iter().enumerate());
        let stated = stated.filter_map(|(at, it)| Some((at, it.fact.as_ref()?.range.clone())));
        let stated: Vec<_> = stated.collect();
        for (index, clause) in clauses.iter().enumerate() {
            let (earlier, rest) = calls.split_at_mut(index);
            let earlier = earlier.last().unwrap_or(whole);
            let taken: Vec<_> = rest[0].iter().filter_map(|it| it.fact.clone()).collect();
            let is_repeated = |fact: &Rc<Fact>| {
                fact.range.start < clause.end && taken.iter().all(|it| it.range != fact.range)
            };
            for (at, (property, earlier)) in rest[0].iter_mut().zip(earlier).enumerate() {
                let is_of_another = |fact: &Rc<Fact>| {
                    stated.iter().any(|(other, range)| *other != at && *range == fact.range)
                };
                // What only a later clause states is for all: "a lesson at 9:00 and one at 13:00 on May 5, 2025".
                let is_common = index == 0
                    && property.is_wanted
                    && !earlier.fact.as_ref().is_some_and(is_of_another);
                if property.is_open()
                    && (is_common || earlier.fact.as_ref().is_none_or(is_repeated))
                {
                    property.repeat(Some(earlier));
                }
            }
        }
        is_parallel(&calls, clauses, has_noun).then_some(calls)
    }
}

/// Returns the offers in a clause. Prepositions in an earlier clause are not for them.
fn offers_in(clause: &Range<usize>, offers: &[Offer], text: &str) -> Rc<[Offer]> {
    let offers = offers.iter().filter(|it| clause.contains(&it.fact.range.start)).cloned();
    let without_cue = |mut offer: Offer| {
        let before = text[clause.start..offer.fact.range.start].split_whitespace().rev();
        let mut before = before.take(MAX_CUE_DISTANCE);
        let is_earlier = |cue: &&str| contains(CUES, cue) && !before.any(|it| it == *cue);
        if offer.fact.cue.as_ref().is_some_and(is_earlier) {
            Rc::make_mut(&mut offer.fact).cue = None;
        }
        offer
    };
    offers.map(without_cue).collect()
}

/// Returns `true` if all clauses state a property, with facts of one type that are not all the same. It must
/// be one that should be there, unless the noun of the tool is repeated.
fn is_parallel(calls: &[Call], clauses: &[Range<usize>], has_noun: bool) -> bool {
    (0..calls[0].len()).any(|at| {
        let facts = calls.iter().zip(clauses).filter_map(|(call, clause)| {
            call[at].fact.as_ref().filter(|fact| clause.contains(&fact.range.start))
        });
        let facts: Vec<_> = facts.collect();
        (has_noun || calls[0][at].is_wanted)
            && facts.len() == calls.len()
            && facts.iter().all(|fact| fact.of == facts[0].of)
            && facts.iter().any(|fact| fact.value != facts[0].value)
    })
}

/// Returns where a clause begins in the text between the facts of two clauses.
fn boundary(gap: &str) -> Option<usize> {
    let last = |joints: &[&str]| joints.iter().filter_map(|joint| gap.rfind(joint)).max();
    last(&ENDS).or_else(|| last(&JOINTS)).or_else(|| last(&WEAK_JOINTS))
}
