//! Chooses the branches of `anyOf` and `oneOf`.

use std::ptr;

use serde_json::{Value, json};

use crate::base::json_schema::resolve_local_ref;

/// A choice of branches: the number of the choice, read as a mixed-radix number with a digit for each
/// `anyOf` or `oneOf`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    rest: usize,
    /// The number of choices.
    pub(super) choices: usize,
}

impl Choice {
    pub(super) fn new(number: usize) -> Self {
        Self { rest: number, choices: 1 }
    }

    fn digit(&mut self, count: usize) -> usize {
        let digit = self.rest % count;
        self.rest /= count;
        self.choices = self.choices.saturating_mul(count);
        digit
    }
}

/// Chooses a branch. The first choice is the first branch that is neither null nor a cycle, the last
/// one is null.
pub(super) fn choose_branch<'a>(
    root: &Value,
    branches: &'a [Value],
    active: &[*const Value],
    choice: &mut Choice,
) -> Option<&'a Value> {
    let is_cycle = |branch: &Value| {
        let reference = branch.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|reference| resolve_local_ref(root, reference));
        target.is_some_and(|target| active.contains(&ptr::from_ref(target)))
    };
    let is_usable = |branch: &&Value| **branch != Value::Bool(false) && !is_cycle(branch);
    let mut ordered: Vec<&Value> = branches.iter().filter(is_usable).collect();
    if ordered.is_empty() {
        return branches.first();
    }
    ordered.sort_by_key(|branch| is_null(branch));
    Some(ordered[choice.digit(ordered.len())])
}

/// Returns `true` if null is the only value that a schema allows.
fn is_null(schema: &Value) -> bool {
    let only_nulls =
        |value: &Value| value.as_array().is_some_and(|all| all.iter().all(Value::is_null));
    schema.get("type").is_some_and(|name| *name == "null" || *name == json!(["null"]))
        || schema.get("const").is_some_and(Value::is_null)
        || schema.get("enum").is_some_and(only_nulls)
}
