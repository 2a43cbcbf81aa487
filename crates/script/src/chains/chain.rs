//! The type of a checked chain, and its format.

use std::{mem, sync::Arc};

use mynah_core::base::mapping::Mapping;
use schemars::JsonSchema;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Value, value::RawValue};

use crate::steps::{Step, StepError, StepSource, read_object, schema_of};

const CHAIN: &str = "instruction_chain";

/// The answers of the model, one step for each turn, or a single step. Write it between
/// <|instruction_start|> and <|instruction_end|> in a user message. Fields that are null are ignored.
#[derive(JsonSchema)]
#[schemars(title = "Instruction chain", untagged)]
enum ChainOrStep<'a> {
    Chain(ChainSource<'a>),
    Step(Box<StepSource<'a>>),
}

/// Steps of which each is the answer in one turn.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct ChainSource<'a> {
    /// The steps, in order.
    #[serde(borrow)]
    #[schemars(extend("minItems" = 1))]
    instruction_chain: Vec<Mapping<StepSource<'a>>>,
}

/// An object that may be a chain.
#[derive(Deserialize)]
struct MaybeChain {
    #[serde(rename = "instruction_chain")]
    _steps: IgnoredAny,
}

/// Returns the JSON Schema of a chain.
pub fn schema() -> Value {
    schema_of::<ChainOrStep<'_>>().to_value()
}

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

impl<'a> ChainOrStep<'a> {
    fn read(object: &'a RawValue) -> Result<Self, StepError> {
        let object = object.get();
        let read = match serde_json::from_str::<MaybeChain>(object) {
            Ok(_) => read_object(object).map(Self::Chain),
            Err(_) => read_object(object)
                .map(|step| Self::Step(Box::new(step)))
                .map_err(|error| error.within("step 1")),
        };
        read.map_err(StepError::with_hint)
    }

    fn check(self) -> Result<Chain, StepError> {
        let steps: Vec<_> = match self {
            Self::Step(step) => vec![step.check().map_err(|error| error.within("step 1"))?],
            Self::Chain(ChainSource { instruction_chain: steps }) => {
                let checked = steps.into_iter().enumerate().map(|(index, Mapping(step))| {
                    step.check().map_err(|error| error.within_item(CHAIN, index))
                });
                checked.collect::<Result<_, _>>()?
            }
        };
        if steps.is_empty() {
            return Err(StepError::new("must have at least one step").within_key(CHAIN));
        }
        Ok(Chain::from_steps(steps))
    }
}

impl Chain {
    /// Parses a JSON object that is a chain or a single step.
    pub(crate) fn parse(object: &RawValue) -> Result<Self, StepError> {
        ChainOrStep::read(object)?.check()
    }

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
