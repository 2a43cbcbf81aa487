//! The type of a parsed chain, and its parser.

use serde_json::value::RawValue;

use crate::provider::scripted::steps::{Object, Step, StepError, has_key, step};

const CHAIN: &str = "instruction_chain";

/// An instruction chain: the model's answers, turn by turn. It has at least one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    pub(in crate::provider::scripted) steps: Vec<Step>,
}

/// Numbers of turns of the model.
#[derive(Debug, Clone, Copy)]
pub(in crate::provider::scripted) struct Turns {
    /// Those that the caller has sent.
    pub(in crate::provider::scripted) seen: usize,
    /// Those since then, whose calls were all to tools of the component.
    pub(in crate::provider::scripted) unseen: usize,
}

impl Chain {
    /// Parses a JSON object that is a chain or a single step.
    pub(in crate::provider::scripted) fn parse(object: &RawValue) -> Result<Self, StepError> {
        if !has_key(object, CHAIN)? {
            let step = step(object).map_err(|error| error.within("step 1"))?;
            return Ok(Self { steps: vec![step] });
        }
        let chain = Object::parse(object, &[CHAIN])?;
        match chain.list(CHAIN, "step", step)? {
            None => Err(StepError::new("must be a list, not null").within_key(CHAIN)),
            Some(steps) if steps.is_empty() => {
                Err(StepError::new("must have at least one step").within_key(CHAIN))
            }
            Some(steps) => Ok(Self { steps }),
        }
    }
}

impl Chain {
    /// Returns the number of turns.
    pub fn turns(&self) -> usize {
        self.steps.len()
    }

    /// Returns the number of steps that have been taken. If the chain is exhausted, counts on as if
    /// it started over.
    ///
    /// A caller does not see a step whose calls are all to tools that the component `owns`.
    pub(in crate::provider::scripted) fn turns_before(
        &self,
        turns: Turns,
        owns: impl Fn(&str) -> bool,
    ) -> usize {
        let Turns { seen, unseen } = turns;
        let steps = self.steps.iter().enumerate();
        let seen_steps: Vec<_> =
            steps.filter(|(_, step)| !step.is_unseen(&owns)).map(|(index, _)| index).collect();
        let round = seen_steps.len();
        let taken = match seen.checked_sub(1) {
            None => 0,
            Some(last) if round == 0 => self.steps.len() + last,
            Some(last) => last / round * self.steps.len() + seen_steps[last % round] + 1,
        };
        taken + unseen
    }
}
