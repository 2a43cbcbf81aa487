//! Selects the rule and the step that answer a call.

use std::sync::Arc;

use mynah_core::{
    chat::{ErrorKind, Request, Role},
    provider::{ProviderError, Unseen, turns::count_turns},
};

use super::{
    Rules,
    call_rules::CallRules,
    matching::MatchedCall,
    rule::{Answers, Rule, Sequence},
    uses::Uses,
};
use crate::{
    EXHAUSTED,
    chains::{Chain, NumberedStep, Turns},
    settings::OnExhausted,
    steps::{MAX_TEXT, Step, long_answer},
};

/// Maximum size of a request in bytes whose texts a template can use within a millisecond.
const MAX_BRIEF_VARIABLES: usize = 8 * 1024;

/// The rule that answers a call, and its step.
pub(crate) struct Selection {
    /// The source of the rule.
    pub(super) rules: Arc<Rules>,
    pub(super) rule: Arc<Rule>,
    pub(super) step: NumberedStep,
}

/// What follows the last entry of a rule.
enum Exhausted {
    /// The entry with this index again.
    Entry(u64),
    Message,
    /// The fallback answers.
    Fallback,
}

/// A call, and what else selects the step of a rule.
pub(super) struct SelectionContext<'a, 'c> {
    pub(super) call: &'a MatchedCall<'c>,
    /// What the caller does not see, if the component owns tools.
    pub(super) unseen: Option<&'a Unseen>,
    /// What follows the last entry of a chain without a setting of its own.
    pub(super) on_exhausted: OnExhausted,
    pub(super) uses: Uses<'a>,
}

/// What a rule has for a call.
pub(super) struct Plan<'r> {
    /// The steps that fail a number of times before anything else.
    pub(super) failures: &'r [NumberedStep],
    /// The step, or `None` if the fallback answers.
    pub(super) step: Result<Option<NumberedStep>, ProviderError>,
}

impl CallRules<'_> {
    /// Returns the rule for a call, and counts its use.
    pub(super) fn select(
        &self,
        context: &SelectionContext<'_, '_>,
    ) -> Result<Option<Selection>, ProviderError> {
        for rules in self.sources() {
            for rule in rules.matching(context.call) {
                match context.uses.count_rule(rule) {
                    Some(uses) => {
                        let step = rule.step(context, uses)?;
                        let (rules, rule) = (rules.clone(), rule.clone());
                        return Ok(step.map(|step| Selection { rules, rule, step }));
                    }
                    None if rule.max_uses().is_some_and(|max| rule.is_spent(max)) => {}
                    // The sequence is exhausted.
                    None => return Ok(None),
                }
            }
        }
        Ok(None)
    }
}

impl Selection {
    /// Returns the maximum size of the answer in bytes, if it may take longer than a millisecond.
    pub(super) fn long_answer(&self, request: &Request) -> Option<usize> {
        // A template may read the whole request.
        let is_long = self.rule.has_templates && request.size() > MAX_BRIEF_VARIABLES;
        if is_long { Some(MAX_TEXT) } else { long_answer(&self.step.step, request) }
    }
}

impl Rule {
    /// Returns the step for a call, if the rule was used this often before. Returns `None` if the
    /// fallback answers.
    fn step(
        &self,
        context: &SelectionContext<'_, '_>,
        uses: u64,
    ) -> Result<Option<NumberedStep>, ProviderError> {
        let Plan { failures, step } = self.plan(context, uses);
        match context.uses.next_failure(self, failures, context.call.request) {
            Some(failure) => Ok(Some(failure)),
            None => step,
        }
    }

    /// Returns what the rule has for a call, if it was used this often before. Counts nothing.
    pub(super) fn plan(&self, context: &SelectionContext<'_, '_>, uses: u64) -> Plan<'_> {
        match &self.answers {
            Answers::Respond(step) => {
                let step = NumberedStep { number: 1, step: step.clone() };
                Plan { failures: &[], step: Ok(Some(step)) }
            }
            Answers::Chain { chain, on_exhausted } => {
                let turn = turns(chain, context);
                let on_exhausted = on_exhausted.unwrap_or(context.on_exhausted);
                self.turn_of_chain(chain, turn, on_exhausted)
            }
            Answers::Sequence { steps, on_exhausted } => {
                Plan { failures: &[], step: self.entry_of(steps, uses, *on_exhausted) }
            }
        }
    }

    fn turn_of_chain<'r>(
        &self,
        chain: &'r Chain,
        index: usize,
        on_exhausted: OnExhausted,
    ) -> Plan<'r> {
        if let Some(turn) = chain.turns.get(index) {
            return Plan { failures: &turn.failures, step: Ok(Some(turn.step.clone())) };
        }
        let failures = if index == chain.turns() { chain.last_failures.as_slice() } else { &[] };
        let index = index as u64;
        let step = self.exhausted(index, chain.turns() as u64, on_exhausted);
        let step = step.map(|exhausted| match exhausted {
            Exhausted::Entry(entry) => {
                let entry = usize::try_from(entry).ok().and_then(|entry| chain.turns.get(entry));
                Some(entry.map_or_else(|| exhausted_message(index), |turn| turn.step.clone()))
            }
            Exhausted::Message => Some(exhausted_message(index)),
            Exhausted::Fallback => None,
        });
        Plan { failures, step }
    }

    fn entry_of(
        &self,
        steps: &Sequence,
        index: u64,
        on_exhausted: OnExhausted,
    ) -> Result<Option<NumberedStep>, ProviderError> {
        if let Some(step) = steps.get(index) {
            return Ok(Some(step.clone()));
        }
        Ok(match self.exhausted(index, steps.len(), on_exhausted)? {
            Exhausted::Entry(entry) => {
                Some(steps.get(entry).map_or_else(|| exhausted_message(index), NumberedStep::clone))
            }
            Exhausted::Message => Some(exhausted_message(index)),
            Exhausted::Fallback => None,
        })
    }

    /// Returns what follows the last of `entries`, for the answer with this index.
    fn exhausted(
        &self,
        index: u64,
        entries: u64,
        on_exhausted: OnExhausted,
    ) -> Result<Exhausted, ProviderError> {
        let entry = |entry: Option<u64>| entry.map_or(Exhausted::Message, Exhausted::Entry);
        match on_exhausted {
            OnExhausted::Message => Ok(Exhausted::Message),
            OnExhausted::Fallback => Ok(Exhausted::Fallback),
            OnExhausted::RepeatLast => Ok(entry(entries.checked_sub(1))),
            OnExhausted::Loop => Ok(entry(index.checked_rem(entries))),
            OnExhausted::Error => {
                let (label, answer) = (&self.label, index.saturating_add(1));
                let text = format!(
                    "{label} is exhausted: this is answer {answer}, but its last is {entries}"
                );
                Err(ProviderError::new(ErrorKind::OutOfRange, text))
            }
        }
    }
}

fn exhausted_message(index: u64) -> NumberedStep {
    let number = usize::try_from(index).unwrap_or(usize::MAX).saturating_add(1);
    NumberedStep { number, step: Step::text(EXHAUSTED).into() }
}

/// Returns the number of turns of a chain that have been taken since the last user message.
fn turns(chain: &Chain, context: &SelectionContext<'_, '_>) -> usize {
    let messages = &context.call.request.messages;
    let last_user = messages.iter().rposition(|message| matches!(message.role, Role::User));
    let since = messages.iter().enumerate().skip(last_user.map_or(0, |index| index + 1));
    let Some(unseen) = context.unseen else {
        return count_turns(since.map(|(_, message)| message));
    };
    let seen = since.filter(|(at, _)| unseen.is_seen(*at)).map(|(_, message)| message);
    let turns = Turns { seen: count_turns(seen), unseen: unseen.turns(messages) };
    chain.turns_before(turns, |tool| unseen.owns(tool))
}
