//! Flattens schemas: follows `$ref`, `allOf`, `anyOf` and `oneOf`.
//!
//! The layers of a [`FlatSchema`] are borrowed instead of merged into a copy, so flattening takes
//! no more time than visiting each schema once.

use std::{collections::VecDeque, ptr};

use mynah_core::base::json_schema::resolve_local_ref;
use serde_json::{Map, Value, json};

use super::{
    budget::{Budget, NoValue},
    schema::{FlatSchema, Layer, array},
};
use crate::text::lexicon::contains;

/// Unsupported keywords, which may make a generated value invalid.
const UNSUPPORTED: &str = "not if patternProperties propertyNames contains dependencies dependentRequired \
     dependentSchemas unevaluatedItems unevaluatedProperties $dynamicRef $recursiveRef";

/// Follows the references from schemas that apply to one value.
pub(super) struct Flattener<'a, 's> {
    pub(super) root: &'a Value,
    /// The schemas whose values are being generated. A reference to one of them is a cycle.
    pub(super) active: &'s [*const Value],
    pub(super) budget: &'s mut Budget,
    /// The branches to choose: a mixed-radix number with a digit for each `anyOf` or `oneOf`.
    choice: usize,
    /// The number of choices.
    pub(super) choices: usize,
}

impl<'a, 's> Flattener<'a, 's> {
    pub(super) fn new(
        root: &'a Value,
        active: &'s [*const Value],
        budget: &'s mut Budget,
        choice: usize,
    ) -> Self {
        Self { root, active, budget, choice, choices: 1 }
    }

    pub(super) fn flatten(&mut self, schemas: &[&'a Value]) -> Result<FlatSchema<'a>, NoValue> {
        let (mut flat, mut branches) = (FlatSchema::default(), VecDeque::new());
        self.visit(schemas, &mut flat, &mut branches)?;
        flat.outer = flat.layers.len();
        // Branches come after all other schemas.
        while let Some(branch) = branches.pop_front() {
            self.visit(&[branch], &mut flat, &mut branches)?;
        }
        Ok(flat)
    }

    fn visit(
        &mut self,
        schemas: &[&'a Value],
        flat: &mut FlatSchema<'a>,
        branches: &mut VecDeque<&'a Value>,
    ) -> Result<(), NoValue> {
        let mut todo: Vec<&Value> = schemas.iter().rev().copied().collect();
        while let Some(schema) = todo.pop() {
            let keywords = schema.as_object().map_or(0, Map::len);
            // Each schema is compared with the earlier ones, and each keyword is looked at.
            self.budget.spend_steps(1 + (flat.layers.len() + keywords) / 16)?;
            let Value::Object(layer) = schema else {
                if *schema == Value::Bool(false) {
                    return Err(NoValue::Unsatisfiable);
                }
                continue;
            };
            // Visit each schema once. Otherwise, definitions that double at every level would take
            // exponential time.
            if flat.layers.iter().any(|visited| ptr::eq(*visited, layer)) {
                continue;
            }
            flat.layers.push(layer);
            let unsupported = layer.keys().find(|keyword| contains(UNSUPPORTED, keyword));
            flat.unsupported = flat.unsupported.or(unsupported.map(String::as_str));
            let parts = array(layer, "allOf");
            self.budget.spend_steps(parts.len())?;
            todo.extend(parts.iter().rev());
            todo.extend(self.target(layer, flat)?);
            for keyword in ["anyOf", "oneOf"] {
                let choices = array(layer, keyword);
                self.budget.spend_steps(choices.len())?;
                branches.extend(self.choose_branch(choices));
                flat.has_one_of |= keyword == "oneOf" && choices.len() > 1;
            }
        }
        Ok(())
    }

    /// Returns the target of the `$ref` of a layer.
    fn target(
        &self,
        layer: &'a Layer,
        flat: &mut FlatSchema<'a>,
    ) -> Result<Option<&'a Value>, NoValue> {
        let Some(reference) = layer.get("$ref").and_then(Value::as_str) else { return Ok(None) };
        let target = resolve_local_ref(self.root, reference);
        match target.map(ptr::from_ref) {
            Some(target) if self.active.contains(&target) => return Err(NoValue::Cycle),
            Some(target) => flat.ref_targets.push(target),
            None => flat.unsupported = Some(reference),
        }
        Ok(target)
    }

    /// Chooses a branch. The first choice is the first branch that is neither null nor a cycle, the
    /// last one is null.
    fn choose_branch(&mut self, branches: &'a [Value]) -> Option<&'a Value> {
        let is_cycle = |branch: &Value| {
            let reference = branch.get("$ref").and_then(Value::as_str);
            let target = reference.and_then(|reference| resolve_local_ref(self.root, reference));
            target.is_some_and(|target| self.active.contains(&ptr::from_ref(target)))
        };
        let is_usable = |branch: &&Value| **branch != Value::Bool(false) && !is_cycle(branch);
        let mut ordered: Vec<&Value> = branches.iter().filter(is_usable).collect();
        if ordered.is_empty() {
            return branches.first();
        }
        ordered.sort_by_key(|branch| is_null(branch));
        let digit = self.choice % ordered.len();
        self.choice /= ordered.len();
        self.choices = self.choices.saturating_mul(ordered.len());
        Some(ordered[digit])
    }
}

/// Returns `true` if null is the only value that a schema allows.
fn is_null(schema: &Value) -> bool {
    let only_nulls =
        |value: &Value| value.as_array().is_some_and(|all| all.iter().all(Value::is_null));
    schema.get("type").is_some_and(|name| *name == "null" || *name == json!(["null"]))
        || schema.get("const").is_some_and(Value::is_null)
        || schema.get("enum").is_some_and(only_nulls)
}
