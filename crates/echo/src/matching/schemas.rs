//! What the schemas of the offered tools say. Only few sentences need them, so they are read then.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use mynah_core::chat::{LazyJson, Tool};

use super::work_budget::WorkBudget;
use crate::{
    arguments::{Context, Described, ReplyBudget, states_all},
    effort::{Effort, Unfinished},
    schemas::{ToolSchema, described},
};

/// The number of bytes of a schema that are read at the cost of one comparison.
const SCHEMA_PART: usize = 4;

/// The number of comparisons that take as long as finding the values of a call in a short message.
const GENERATION: usize = 500;

/// The schemas of the offered tools.
pub(super) struct Schemas<'t> {
    tools: &'t [Tool],
    effort: &'t Effort,
    /// The schemas that were read.
    known: RefCell<BTreeMap<usize, Option<Rc<ToolSchema>>>>,
}

impl<'t> Schemas<'t> {
    pub(super) fn new(tools: &'t [Tool], effort: &'t Effort) -> Self {
        Self { tools, effort, known: RefCell::default() }
    }

    /// Returns what the schema of a tool says, or the default if the tool has none.
    pub(super) fn says<T: Default>(
        &self,
        tool: usize,
        budget: &mut WorkBudget,
        answer: impl FnOnce(&Described) -> T,
    ) -> Result<T, Unfinished> {
        Ok(self.read(tool, budget)?.map(|it| answer(it.described())).unwrap_or_default())
    }

    /// Returns `true` if the arguments of each call would have all values that the schema requires from a part of a
    /// message.
    pub(super) fn states_all(
        &self,
        tool: usize,
        part: &str,
        budget: &mut WorkBudget,
    ) -> Result<bool, Unfinished> {
        let Some(schema) = self.read(tool, budget)? else { return Ok(false) };
        budget.spend(GENERATION)?;
        let mut reply = ReplyBudget::new(self.effort);
        let whole = 0..part.len();
        let context = Context {
            subject: &self.tools[tool].name,
            mention: part,
            nearest: [whole.clone(), whole.clone()],
            reach: whole,
            question: part,
            ..Context::default()
        };
        let states_all = states_all(schema.described(), &context, &mut reply);
        reply.check()?;
        Ok(states_all)
    }

    fn read(
        &self,
        tool: usize,
        budget: &mut WorkBudget,
    ) -> Result<Option<Rc<ToolSchema>>, Unfinished> {
        let Some(offered) = self.tools.get(tool) else { return Ok(None) };
        budget.spend(1)?;
        if let Some(known) = self.known.borrow().get(&tool) {
            return Ok(known.clone());
        }
        let size = offered.parameters.as_ref().map_or(0, LazyJson::size);
        budget.spend(size / SCHEMA_PART)?;
        let schema = described(offered, &ReplyBudget::new(self.effort));
        let is_complete = schema.as_ref().is_none_or(|it| it.described().is_complete());
        // A full effort describes more.
        if self.effort.allow(!is_complete).is_err() {
            budget.exhaust();
            return Err(Unfinished);
        }
        self.known.borrow_mut().insert(tool, schema.clone());
        Ok(schema)
    }
}
