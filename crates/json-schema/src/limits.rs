//! Limits on schemas from clients, which bound the time and the stack that a check takes.

use serde_json::Value;

use super::local_ref::resolve_local_ref;

/// Maximum number of objects and arrays in a schema. The validator recurses through all of them.
pub(super) const MAX_OBJECTS: usize = 20_000;
/// The number of objects that a pattern counts as, because a pattern takes longer to compile.
pub(super) const OBJECTS_PER_PATTERN: usize = 100;
/// Maximum number of visits, each to a subschema with a value. A chain of `$defs` can double the
/// number of visits with each link.
const MAX_VISITS: usize = 20_000;

/// Returns `true` if `schema` can be compiled and checked against the values within the limits.
///
/// Recurses up to the limits, which needs a large stack.
pub(super) fn within_limits(schema: &Value, values: &[Value]) -> bool {
    let (mut visits_left, mut objects_left) = (MAX_VISITS, MAX_OBJECTS);
    is_cheap_to_compile(schema, &mut objects_left)
        && values.iter().all(|value| visit(schema, schema, value, &mut visits_left).is_some())
}

fn is_cheap_to_compile(schema: &Value, objects_left: &mut usize) -> bool {
    let patterns = usize::from(schema.get("pattern").is_some())
        + schema.get("patternProperties").map_or(0, |named| children(named).count());
    let objects = usize::from(schema.is_object() || schema.is_array());
    let Some(left) = objects_left.checked_sub(objects + patterns * OBJECTS_PER_PATTERN) else {
        return false;
    };
    *objects_left = left;
    // The validator expands every `$ref` below `unevaluatedProperties` and `unevaluatedItems`.
    let mut keywords = schema.as_object().into_iter().flat_map(serde_json::Map::keys);
    !keywords.any(|keyword| keyword.starts_with("unevaluated"))
        && children(schema).all(|part| is_cheap_to_compile(part, objects_left))
}

/// Visits every subschema with every value that the validator may check against it. Returns `None`
/// if there are too many visits or a reference cannot be resolved.
fn visit(root: &Value, schema: &Value, value: &Value, visits_left: &mut usize) -> Option<()> {
    // Only schema objects take time.
    if !schema.is_object() {
        return Some(());
    }
    *visits_left = visits_left.checked_sub(1)?;
    let members = schema.as_object().into_iter().flatten();
    for (keyword, part) in members {
        match keyword.as_str() {
            "$ref" => visit(root, resolve_local_ref(root, part.as_str()?)?, value, visits_left)?,
            "$dynamicRef" | "$recursiveRef" => return None,
            // References below an `$id` are relative to the `$id`.
            "$id" if !std::ptr::eq(schema, root) => return None,
            "allOf" | "anyOf" | "oneOf" | "dependentSchemas" | "dependencies" => {
                children(part).try_for_each(|part| visit(root, part, value, visits_left))?;
            }
            "not" | "if" | "then" | "else" => visit(root, part, value, visits_left)?,
            "properties" => {
                let named = part.as_object().into_iter().flatten();
                let mut present = named.filter_map(|(name, part)| Some((part, value.get(name)?)));
                present.try_for_each(|(part, value)| visit(root, part, value, visits_left))?;
            }
            "patternProperties" | "prefixItems" => children(part).try_for_each(|part| {
                children(value).try_for_each(|value| visit(root, part, value, visits_left))
            })?,
            "const" | "enum" | "default" | "examples" | "$defs" | "definitions" => {}
            // items, additionalProperties, contains, propertyNames, …
            _ => children(value).try_for_each(|value| visit(root, part, value, visits_left))?,
        }
    }
    Some(())
}

fn children(value: &Value) -> impl Iterator<Item = &Value> {
    let items = value.as_array().into_iter().flatten();
    items.chain(value.as_object().into_iter().flat_map(serde_json::Map::values))
}
