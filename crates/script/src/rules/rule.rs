//! The types of rules.

use std::{num::NonZeroU64, sync::Arc};

use mynah_core::{
    base::diagnostics::{Diagnostic, Place},
    provider::call::RuleLabel,
};

use super::matching::Match;
use crate::{
    OnExhausted,
    chains::{Chain, NumberedStep, Plan, Planned},
    faults::Faults,
    steps::{Item, Step, Times},
};

/// The answers to the requests that meet some conditions.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) label: RuleLabel,
    /// Where the rule begins in its file. `None` if the file has fixtures of aimock.
    pub(crate) place: Option<Place>,
    /// What counters and reports call the file.
    pub(crate) source: Arc<str>,
    /// Whether the source is a file.
    pub(crate) is_in_file: bool,
    pub(crate) conditions: Match,
    pub(crate) answers: Answers,
    /// Whether texts of the answers may be templates.
    pub(crate) has_templates: bool,
    /// How often the rule answers in a session.
    pub(crate) times: Option<NonZeroU64>,
    /// Rules with a higher priority are tried first.
    pub(crate) priority: i64,
    /// Whether the rule may call tools that the request does not offer. If `None`, the component
    /// decides.
    pub(crate) allow_unoffered: Option<bool>,
    /// The faults of the calls that the rule answers.
    pub(crate) faults: Faults,
}

/// What a rule answers.
#[derive(Debug, Clone)]
pub(crate) enum Answers {
    /// The same step each time.
    Respond(Arc<Step>),
    /// The step is selected by the number of assistant turns since the last user message.
    Chain { chain: Chain, on_exhausted: Option<OnExhausted> },
    /// The step is selected by how often the rule has answered in the session.
    Sequence { steps: Sequence, on_exhausted: OnExhausted },
}

/// Steps of which each is the answer a number of times. There is at least one.
#[derive(Debug, Clone)]
pub(crate) struct Sequence {
    /// Each with the number of answers before its end.
    steps: Vec<(u64, NumberedStep)>,
}

impl Sequence {
    /// Creates a sequence. A step without `times` answers once. Returns `None` if there are no steps.
    pub(crate) fn new(steps: Vec<Step>) -> Option<Self> {
        let mut end = 0;
        let numbered = (1..).zip(steps).map(|(number, step)| {
            end += step.times.map_or(1, Times::get);
            (end, NumberedStep { number, step: step.into() })
        });
        let steps: Vec<_> = numbered.collect();
        (!steps.is_empty()).then_some(Self { steps })
    }

    /// Returns the number of answers.
    pub(crate) fn len(&self) -> u64 {
        self.steps.last().map_or(0, |(end, _)| *end)
    }

    /// Returns the numbers of the steps.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = usize> {
        self.steps.iter().map(|(_, step)| step.number)
    }

    /// Returns what the sequence has if it has answered this often.
    pub(crate) fn plan(&self, uses: u64, on_exhausted: OnExhausted) -> Plan<'_> {
        let entry = |index| self.get(index).cloned();
        let after_last = || Planned::after_last(uses, self.len(), on_exhausted, entry);
        Plan { failures: &[], answer: entry(uses).map_or_else(after_last, Planned::Step) }
    }

    /// Returns the answer with this index.
    fn get(&self, index: u64) -> Option<&NumberedStep> {
        let at = self.steps.partition_point(|(end, _)| *end <= index);
        self.steps.get(at).map(|(_, step)| step)
    }
}

impl Answers {
    /// Returns `true` if every answer is the same and calls tools.
    pub(crate) fn calls_tools_each_time(&self) -> bool {
        let Self::Respond(step) = self else { return false };
        step.items.iter().any(|item| matches!(item, Item::Calls(_)))
    }

    /// Returns all steps.
    pub(crate) fn steps(&self) -> Vec<&Step> {
        match self {
            Self::Respond(step) => vec![step],
            Self::Chain { chain, .. } => chain.steps().collect(),
            Self::Sequence { steps, .. } => steps.steps.iter().map(|(_, it)| &*it.step).collect(),
        }
    }
}

impl Rule {
    /// Returns a warning about the rule, which has no file.
    pub(crate) fn warning(&self, message: String) -> Diagnostic {
        Diagnostic { place: self.place, ..Diagnostic::warning(message) }
    }

    /// Returns the line of its file in which the rule begins.
    pub(crate) fn line(&self) -> Option<usize> {
        self.place.filter(|_| self.is_in_file).map(|place| place.line)
    }

    /// Returns `true` if the rule has a chain or a sequence.
    pub(crate) fn has_entries(&self) -> bool {
        !matches!(self.answers, Answers::Respond(_))
    }

    /// Returns `true` if every call matches, however often the rule was used, so that no later rule
    /// answers.
    pub(crate) fn is_catch_all(&self) -> bool {
        self.conditions.is_empty() && self.times.is_none()
    }

    /// Returns `true` if the uses of the rule are counted.
    pub(crate) fn is_counted(&self) -> bool {
        self.times.is_some() || matches!(self.answers, Answers::Sequence { .. })
    }

    /// Returns how often the rule can answer in a session, if there is a limit.
    pub(crate) fn max_uses(&self) -> Option<u64> {
        let times = self.times.map(NonZeroU64::get);
        times.into_iter().chain(self.length()).min()
    }

    /// Returns `true` if a rule that was used this often is spent, so that other rules answer.
    pub(crate) fn is_spent(&self, uses: u64) -> bool {
        self.times.is_some_and(|times| uses >= times.get())
    }

    /// Returns the number of answers of a sequence that the fallback follows.
    fn length(&self) -> Option<u64> {
        match &self.answers {
            Answers::Sequence { steps, on_exhausted: OnExhausted::Fallback } => Some(steps.len()),
            _ => None,
        }
    }
}
