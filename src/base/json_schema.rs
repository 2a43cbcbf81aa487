//! JSON Schema: the one file that names the `jsonschema` crate.

use std::thread;

use jsonschema::{PatternOptions, Validator};
use percent_encoding::percent_decode_str;
use serde_json::Value;

/// Most objects and arrays in a schema from a client: the crate recurses through them.
const MAX_OBJECTS: usize = 20_000;
/// As many objects does a pattern count for: it takes so much longer to compile.
const PATTERN_OBJECTS: usize = 100;
/// Most pairs of schema and value to look at. A chain of `$defs` can double this at each link.
const MAX_VISITS: usize = 20_000;
/// Enough for [`MAX_OBJECTS`] and [`MAX_VISITS`]; pages that are not touched cost nothing.
const DEEP_STACK: usize = 512 * 1024 * 1024;

/// A schema that values can be checked against.
///
/// Patterns run in linear time, `format` is checked, and nothing is ever fetched.
pub(crate) struct Schema(Validator);

impl Schema {
    /// Compiles a schema of few levels, or says why it is none.
    pub(crate) fn compile(schema: &Value) -> Result<Self, String> {
        let patterns = PatternOptions::regex().size_limit(256 * 1024);
        let options = jsonschema::options().with_pattern_options(patterns);
        let validator = options.should_validate_formats(true).build(schema);
        validator.map(Self).map_err(|error| error.to_string())
    }

    /// What is wrong with a value, and where, in few words; the first thing only.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        self.0.validate(value).map_err(|error| {
            // Without the value itself, which may be long.
            let what = error.masked_with("the value");
            match error.instance_path().as_str() {
                "" => what.to_string(),
                place => format!("{what} at {place}"),
            }
        })
    }

    /// Whether a value is valid.
    pub(crate) fn is_valid(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }
}

/// The schema that a local `$ref` points at.
pub(crate) fn local<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
    root.pointer(&pointer)
}

/// The index of the first valid value, with any schema that a client may send.
///
/// The crate recurses with schema and value, so it gets a stack that holds all of that.
pub(crate) fn first_valid(schema: &Value, values: &[Value]) -> Result<Option<usize>, String> {
    let check = || {
        let (mut left, mut objects_left) = (MAX_VISITS, MAX_OBJECTS);
        let mut seen_whole = |value| visit(schema, schema, value, &mut left).is_some();
        if !is_modest(schema, &mut objects_left) || !values.iter().all(&mut seen_whole) {
            return Err("too large, or with references that are not local".to_owned());
        }
        let schema = Schema::compile(schema)?;
        Ok(values.iter().position(|value| schema.is_valid(value)))
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(DEEP_STACK).spawn_scoped(scope, check);
        let checked = thread.map_err(|error| error.to_string())?.join();
        checked.unwrap_or_else(|_| Err("the check panicked".to_owned()))
    })
}

/// Whether a schema compiles soon. `unevaluatedProperties` expands every `$ref` below it.
fn is_modest(schema: &Value, left: &mut usize) -> bool {
    let patterns = usize::from(schema.get("pattern").is_some())
        + schema.get("patternProperties").map_or(0, |named| children(named).count());
    let objects = usize::from(schema.is_object() || schema.is_array());
    let Some(after) = left.checked_sub(objects + patterns * PATTERN_OBJECTS) else {
        return false;
    };
    *left = after;
    let mut keywords = schema.as_object().into_iter().flat_map(serde_json::Map::keys);
    !keywords.any(|keyword| keyword.starts_with("unevaluated"))
        && children(schema).all(|part| is_modest(part, left))
}

/// Goes wherever the validator may go. `None` if that is too far, or out of sight.
fn visit(root: &Value, schema: &Value, value: &Value, left: &mut usize) -> Option<()> {
    *left = left.checked_sub(1)?;
    let members = schema.as_object().into_iter().flatten();
    for (keyword, part) in members {
        match keyword.as_str() {
            "$ref" => visit(root, local(root, part.as_str()?)?, value, left)?,
            "$dynamicRef" | "$recursiveRef" => return None,
            // References below another $id start from there.
            "$id" if !std::ptr::eq(schema, root) => return None,
            "allOf" | "anyOf" | "oneOf" | "dependentSchemas" | "dependencies" => {
                children(part).try_for_each(|part| visit(root, part, value, left))?;
            }
            "not" | "if" | "then" | "else" => visit(root, part, value, left)?,
            "properties" => {
                let named = part.as_object().into_iter().flatten();
                let mut present = named.filter_map(|(name, part)| Some((part, value.get(name)?)));
                present.try_for_each(|(part, value)| visit(root, part, value, left))?;
            }
            "patternProperties" | "prefixItems" => children(part).try_for_each(|part| {
                children(value).try_for_each(|value| visit(root, part, value, left))
            })?,
            "const" | "enum" | "default" | "examples" | "$defs" | "definitions" => {}
            // items, additionalProperties, contains, propertyNames, …
            _ => children(value).try_for_each(|value| visit(root, part, value, left))?,
        }
    }
    Some(())
}

fn children(value: &Value) -> impl Iterator<Item = &Value> {
    let items = value.as_array().into_iter().flatten();
    items.chain(value.as_object().into_iter().flat_map(serde_json::Map::values))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_valid_value_is_found() {
        let schema = json!({"type": "string", "format": "email", "pattern": "^b"});
        let values = [json!(1), json!("b"), json!("a@b.co"), json!("b@b.co")];
        assert_eq!(first_valid(&schema, &values), Ok(Some(3)));
        assert_eq!(first_valid(&schema, &values[..3]), Ok(None));
    }

    #[test]
    fn what_is_no_schema_is_said() {
        for schema in
            [json!({"type": 5}), json!({"pattern": "("}), json!({"pattern": "a{9999}{9999}"})]
        {
            assert!(first_valid(&schema, &[json!(1)]).is_err(), "{schema}");
        }
        let remote = json!({"$ref": "https://example.com/schema"});
        assert!(first_valid(&remote, &[json!(1)]).is_err());
    }

    #[test]
    fn deep_and_doubling_schemas_end() {
        let mut deep = json!({"type": "string"});
        for _ in 0..1000 {
            deep = json!({"allOf": [deep]});
        }
        assert_eq!(first_valid(&deep, &[json!("a")]), Ok(Some(0)));
        let mut chain = json!({"$ref": "#/$defs/d0"});
        for level in 0..4000 {
            chain["$defs"][format!("d{level}")] =
                json!({"$ref": format!("#/$defs/d{}", level + 1)});
        }
        chain["$defs"]["d4000"] = json!({"type": "string"});
        assert_eq!(first_valid(&chain, &[json!("a")]), Ok(Some(0)));
        let mut doubling = json!({"$ref": "#/$defs/d0"});
        for level in 0..60 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            doubling["$defs"][format!("d{level}")] = json!({"allOf": [next, next]});
        }
        doubling["$defs"]["d60"] = json!({"type": "string"});
        assert!(first_valid(&doubling, &[json!("a")]).is_err());
        doubling["properties"]["a"] = json!({"$ref": "#/$defs/d0", "unevaluatedProperties": false});
        doubling["$ref"] = json!("#/$defs/d60");
        assert!(first_valid(&doubling, &[json!("a")]).is_err());
        assert!(first_valid(&json!({"$ref": "#"}), &[json!("a")]).is_err());
        let big = json!({"enum": vec![json!([]); MAX_OBJECTS]});
        assert!(first_valid(&big, &[json!([])]).is_err());
        let patterns =
            json!({"anyOf": vec![json!({"pattern": "a"}); MAX_OBJECTS / PATTERN_OBJECTS]});
        assert!(first_valid(&patterns, &[json!("a")]).is_err());
    }

    #[test]
    fn a_recursive_schema_is_checked() {
        let tree = json!({"type": "object", "additionalProperties": {"$ref": "#"}});
        assert_eq!(first_valid(&tree, &[json!({"a": 1}), json!({"a": {"b": {}}})]), Ok(Some(1)));
    }
}
