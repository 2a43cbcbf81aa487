//! What the schemas of the offered tools say. Only few sentences need them, so they are read then.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use mynah_core::chat::{LazyJson, Tool};

use super::work_budget::WorkBudget;
use crate::{
    arguments::{Described, ReplyBudget},
    effort::{Effort, Unfinished},
    schemas::{ToolSchema, described},
};

/// The number of bytes of a schema that are read at the cost of one comparison.
const SCHEMA_PART: usize = 4;

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
