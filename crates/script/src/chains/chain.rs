//! The type of a parsed chain, and its parser.

use std::{mem, sync::Arc};

use serde_json::value::RawValue;

use crate::steps::{Object, Step, StepError, has_key, step};

const CHAIN: &str = "instruction_chain";

/// An instruction chain: the model's answers, turn by turn. It has at least one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    pub(crate) turns: Vec<ChainTurn>,
    /// The steps after the last turn. They fail first if the chain is exhausted.
    pub(crate) last_failures: Vec<NumberedStep>,
}

/// A turn of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChainTurn {
    /// The steps that fail before the turn succeeds.
    pub(crate) failures: Vec<NumberedStep>,
    pub(crate) step: NumberedStep,
}

/// A step and its number in the chain, starting at 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NumberedStep {
    pub(crate) number: usize,
    pub(crate) step: Arc<Step>,
}

/// Numbers of turns of the model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turns {
    /// Those that the caller has sent.
    pub(crate) seen: usize,
    /// Those since then, whose calls were all to tools of the component.
    pub(crate) unseen: usize,
}

impl Chain {
    /// Parses a JSON object that is a chain or a single step.
    pub(crate) fn parse(object: &RawValue) -> Result<Self, StepError> {
        if !has_key(object, CHAIN)? {
            let step = step(object).map_err(|error| error.within("step 1"))?;
            return Ok(Self::from_steps(vec![step]));
        }
        let chain = Object::parse(object, &[CHAIN])?;
        match chain.list(CHAIN, "step", step)? {
            None => Err(StepError::new("must be a list, not null").within_key(CHAIN)),
            Some(steps) if steps.is_empty() => {
                Err(StepError::new("must have at least one step").within_key(CHAIN))
            }
            Some(steps) => Ok(Self::from_steps(steps)),
        }
    }
}

impl Chain {
    /// Creates a chain. A step with `times` is not a turn.
    pub(crate) fn from_steps(steps: Vec<Step>) -> Self {
        let (mut turns, mut failures) = (Vec::new(), Vec::new());
        for (number, step) in (1..).zip(steps) {
            let is_turn = step.times.is_none();
            let step = NumberedStep { number, step: step.into() };
            if is_turn {
                turns.push(ChainTurn { failures: mem::take(&mut failures), step });
            } else {
                failures.push(step);
            }
        }
        Self { turns, last_failures: failures }
    }

    /// Returns all steps.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &Step> {
        let turns = self.turns.iter();
        let steps = turns.flat_map(|turn| turn.failures.iter().chain([&turn.step]));
        steps.chain(&self.last_failures).map(|it| &*it.step)
    }

    /// Returns the number of turns. Steps that fail a number of times are not turns.
    pub fn turns(&self) -> usize {
        self.turns.len()
    }

    /// Returns the number of turns that have been taken. If the chain is exhausted, counts on as if
    /// it started over.
    ///
    /// A caller does not see a step whose calls are all to tools that the component `owns`.
    pub(crate) fn turns_before(&self, turns: Turns, owns: impl Fn(&str) -> bool) -> usize {
        let Turns { seen, unseen } = turns;
        let all = self.turns.iter().enumerate();
        let seen_turns: Vec<_> = all
            .filter(|(_, turn)| !turn.step.step.is_unseen(&owns))
            .map(|(index, _)| index)
            .collect();
        let round = seen_turns.len();
        let taken = match seen.checked_sub(1) {
            None => 0,
            Some(last) if round == 0 => self.turns.len() + last,
            Some(last) => last / round * self.turns.len() + seen_turns[last % round] + 1,
        };
        taken + unseen
    }
}
