//! What the schemas of the offered tools say. Only few sentences need them, so they are read then.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use mynah_core::chat::{LazyJson, Tool};

use super::work_budget::WorkBudget;
use crate::{
    arguments::{Described, ReplyBudget},
    effort::{Effort, Unfinished},
    facts::{Fact, FactType},
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

    /// Returns `true` if a property of a tool may take a fact of one of some types.
    pub(super) fn take(
        &self,
        tool: usize,
        types: &[FactType],
        budget: &mut WorkBudget,
    ) -> Result<bool, Unfinished> {
        let schema = self.read(tool, budget)?;
        Ok(schema.is_some_and(|it| it.described().takes_any(types)))
    }

    /// Returns how many properties that a call of a tool should have may take a fact of one of some types.
    pub(super) fn count_wanted(
        &self,
        tool: usize,
        types: &[FactType],
        budget: &mut WorkBudget,
    ) -> Result<usize, Unfinished> {
        let schema = self.read(tool, budget)?;
        Ok(schema.map_or(0, |it| it.described().count_wanted(types)))
    }

    /// Returns the stems of the words of a tool's properties and of the values that they list.
    pub(super) fn stems(
        &self,
        tool: usize,
        budget: &mut WorkBudget,
    ) -> Result<BTreeSet<String>, Unfinished> {
        let schema = self.read(tool, budget)?;
        Ok(schema.map(|it| it.described().stems()).unwrap_or_default())
    }

    /// Returns how much some facts and stems of words support a tool by its schema.
    pub(super) fn support(
        &self,
        tool: usize,
        facts: &[Rc<Fact>],
        stems: &[Cow<str>],
        budget: &mut WorkBudget,
    ) -> Result<usize, Unfinished> {
        let schema = self.read(tool, budget)?;
        Ok(schema.map_or(0, |it| it.described().support(facts, stems)))
    }

    /// Returns `true` if a test of what the schema of a tool says succeeds.
    pub(super) fn says(
        &self,
        tool: usize,
        budget: &mut WorkBudget,
        test: impl FnOnce(&Described) -> bool,
    ) -> Result<bool, Unfinished> {
        Ok(self.read(tool, budget)?.is_some_and(|it| test(it.described())))
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
