//! Flattens schemas: follows `$ref`, `allOf`, `anyOf` and `oneOf`.
//!
//! The layers of a [`FlatSchema`] are borrowed instead of merged into a copy, so flattening takes
//! no more time than visiting each schema once.

use std::{collections::VecDeque, ptr};

use serde_json::Value;

use super::{
    branches::{Choice, choose_branch},
    budget::{Budget, NoValue},
    schema::{FlatSchema, Layer, array},
};
use crate::base::json_schema::resolve_local_ref;

/// Unsupported keywords, which may make a generated value invalid.
const UNSUPPORTED: [&str; 12] = [
    "not",
    "if",
    "patternProperties",
    "propertyNames",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
    "$recursiveRef",
];

/// Follows the references from schemas that apply to one value.
pub(super) struct Flattener<'a, 's> {
    pub(super) root: &'a Value,
    /// The schemas whose values are being generated. A reference to one of them is a cycle.
    pub(super) active: &'s [*const Value],
    pub(super) choice: &'s mut Choice,
    pub(super) budget: &'s mut Budget,
}

impl<'a> Flattener<'a, '_> {
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
            // Each schema is compared with the earlier ones.
            self.budget.spend_steps(1 + flat.layers.len() / 16)?;
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
            let unsupported = layer.keys().find(|keyword| UNSUPPORTED.contains(&keyword.as_str()));
            flat.unsupported = flat.unsupported.or(unsupported.map(String::as_str));
            let parts = array(layer, "allOf");
            self.budget.spend_steps(parts.len())?;
            todo.extend(parts.iter().rev());
            todo.extend(self.target(layer, flat)?);
            for keyword in ["anyOf", "oneOf"] {
                let choices = array(layer, keyword);
                self.budget.spend_steps(choices.len())?;
                branches.extend(choose_branch(self.root, choices, self.active, self.choice));
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
}
