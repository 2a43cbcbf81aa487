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
    rule::{Answers, Rule},
    uses::key,
};
use crate::{
    chains::{CallCounters, Chain, NumberedStep, Plan, Planned, Turns},
    settings::OnExhausted,
    steps::{MAX_TEXT, long_answer},
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

/// A call, and what else selects the step of a rule.
pub(super) struct SelectionContext<'a, 'c> {
    pub(super) call: &'a MatchedCall<'c>,
    /// What the caller does not see, if the component owns tools.
    pub(super) unseen: Option<&'a Unseen>,
    /// What follows the last entry of a chain without a setting of its own.
    pub(super) on_exhausted: OnExhausted,
    pub(super) uses: CallCounters<'a>,
}

impl SelectionContext<'_, '_> {
    /// Returns the first step that has not failed often enough for this very request.
    pub(super) fn next_failure(
        &self,
        rule: &Rule,
        failures: &[NumberedStep],
    ) -> Option<NumberedStep> {
        self.uses.next_failure(|| key(rule), failures, self.call.request)
    }
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
        let Plan { failures, answer } = self.plan(context, uses);
        if let Some(failure) = context.next_failure(self, failures) {
            return Ok(Some(failure));
        }
        match answer {
            Planned::Step(step) => Ok(Some(step)),
            Planned::Fallback => Ok(None),
            Planned::Exhausted => Err(self.exhausted(context, uses)),
        }
    }

    /// Returns what the rule has for a call, if it was used this often before. Counts nothing.
    pub(super) fn plan(&self, context: &SelectionContext<'_, '_>, uses: u64) -> Plan<'_> {
        match &self.answers {
            Answers::Respond(step) => {
                let step = NumberedStep { number: 1, step: step.clone() };
                Plan { failures: &[], answer: Planned::Step(step) }
            }
            Answers::Chain { chain, on_exhausted } => {
                chain.plan(turns(chain, context), on_exhausted.unwrap_or(context.on_exhausted))
            }
            Answers::Sequence { steps, on_exhausted } => steps.plan(uses, *on_exhausted),
        }
    }

    fn exhausted(&self, context: &SelectionContext<'_, '_>, uses: u64) -> ProviderError {
        let (index, entries) = match &self.answers {
            Answers::Respond(_) => (uses, 1),
            Answers::Chain { chain, .. } => (turns(chain, context) as u64, chain.turns() as u64),
            Answers::Sequence { steps, .. } => (uses, steps.len()),
        };
        let (label, answer) = (&self.label, index.saturating_add(1));
        let text =
            format!("{label} is exhausted: this is answer {answer}, but its last is {entries}");
        ProviderError::new(ErrorKind::OutOfRange, text)
    }
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
