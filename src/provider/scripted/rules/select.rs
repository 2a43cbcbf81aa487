//! Selects the rule and the step that answer a call.

use std::sync::Arc;

use super::{
    Rules,
    matching::MatchedCall,
    rule::{Answers, Rule, Sequence},
    uses::Uses,
};
use crate::{
    chat::{ErrorKind, Request, Role},
    provider::{
        ProviderError,
        scripted::{
            EXHAUSTED,
            chains::{Chain, NumberedStep},
            settings::OnExhausted,
            steps::{Step, is_long},
        },
        turns::count_turns,
    },
};

/// Maximum size of a request in bytes whose texts a template can use within a millisecond.
const MAX_BRIEF_VARIABLES: usize = 8 * 1024;

/// The rule that answers a call, and its step.
pub(in crate::provider::scripted) struct Selection {
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

impl Rules {
    /// Returns the rule for a call, and counts its use. A chain without a setting of its own uses
    /// `on_exhausted`.
    pub(super) fn select(
        &self,
        call: &MatchedCall<'_>,
        on_exhausted: OnExhausted,
        uses: &Uses<'_>,
    ) -> Result<Option<Selection>, ProviderError> {
        let candidates = self.index.candidates(call).filter_map(|index| self.rules.get(index));
        for rule in candidates.filter(|rule| rule.conditions.holds(call)) {
            let index = if rule.is_counted() { uses.count_rule(rule) } else { 0 };
            if rule.times.is_none_or(|times| index < times.get()) {
                let step = rule.step(call.request, index, on_exhausted, uses)?;
                return Ok(step.map(|step| Selection { rule: rule.clone(), step }));
            }
        }
        Ok(None)
    }
}

impl Selection {
    /// Returns `true` if the answer may take longer than a millisecond.
    pub(super) fn is_long(&self, request: &Request) -> bool {
        // A template may read the whole request.
        is_long(&self.step.step, request)
            || self.rule.has_templates && request.size() > MAX_BRIEF_VARIABLES
    }
}

impl Rule {
    /// Returns the step for a request, if the rule was used `index` times before. Returns `None` if the
    /// fallback answers.
    fn step(
        &self,
        request: &Request,
        index: u64,
        default: OnExhausted,
        uses: &Uses<'_>,
    ) -> Result<Option<NumberedStep>, ProviderError> {
        match &self.answers {
            Answers::Respond(step) => Ok(Some(NumberedStep { number: 1, step: step.clone() })),
            Answers::Chain { chain, on_exhausted } => {
                let on_exhausted = on_exhausted.unwrap_or(default);
                self.turn_of(chain, request, on_exhausted, uses)
            }
            Answers::Sequence { steps, on_exhausted } => self.entry_of(steps, index, *on_exhausted),
        }
    }

    fn turn_of(
        &self,
        chain: &Chain,
        request: &Request,
        on_exhausted: OnExhausted,
        uses: &Uses<'_>,
    ) -> Result<Option<NumberedStep>, ProviderError> {
        let index = turns(request);
        let turn = chain.turns.get(index);
        let failures = match turn {
            Some(turn) => turn.failures.as_slice(),
            None if index == chain.turns() => &chain.last_failures,
            None => &[],
        };
        if let Some(failure) = uses.next_failure(self, failures, request) {
            return Ok(Some(failure));
        }
        if let Some(turn) = turn {
            return Ok(Some(turn.step.clone()));
        }
        let index = index as u64;
        Ok(match self.exhausted(index, chain.turns() as u64, on_exhausted)? {
            Exhausted::Entry(entry) => {
                let entry = usize::try_from(entry).ok().and_then(|entry| chain.turns.get(entry));
                Some(entry.map_or_else(|| message(index), |turn| turn.step.clone()))
            }
            Exhausted::Message => Some(message(index)),
            Exhausted::Fallback => None,
        })
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
                Some(steps.get(entry).map_or_else(|| message(index), NumberedStep::clone))
            }
            Exhausted::Message => Some(message(index)),
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

fn message(index: u64) -> NumberedStep {
    let number = usize::try_from(index).unwrap_or(usize::MAX).saturating_add(1);
    NumberedStep { number, step: Step::text(EXHAUSTED).into() }
}

/// Returns the number of assistant turns since the last user message.
fn turns(request: &Request) -> usize {
    let messages = &request.messages;
    let last_user = messages.iter().rposition(|message| matches!(message.role, Role::User));
    count_turns(messages.iter().skip(last_user.map_or(0, |index| index + 1)))
}
