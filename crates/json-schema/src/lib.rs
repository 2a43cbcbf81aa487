//! JSON Schema validation. This is the only file that uses the `jsonschema` crate.

#![forbid(unsafe_code)]

mod limits;
mod local_ref;

use std::thread;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

pub use self::local_ref::resolve_local_ref;

/// The stack size that is sufficient for schemas within the [`limits`]. Pages that are not touched
/// take no memory.
const STACK_SIZE: usize = 512 * 1024 * 1024;

/// A compiled schema.
///
/// Patterns are matched in linear time, `format` is checked, and remote references are never
/// fetched.
pub struct Schema(Validator);

impl Schema {
    /// Compiles a trusted schema. Returns the reason if the schema is invalid.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        let patterns = PatternOptions::regex().size_limit(256 * 1024);
        let options = jsonschema::options().with_pattern_options(patterns);
        let validator = options.should_validate_formats(true).build(schema);
        validator.map(Self).map_err(|error| error.to_string())
    }

    /// Checks a value. Returns the first error, with its location in the value.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.0.validate(value).map_err(|error| {
            // Omit the value from the message, because the value may be long.
            let message = error.masked_with("the value");
            match error.instance_path().as_str() {
                "" => message.to_string(),
                path => format!("{message} at {path}"),
            }
        })
    }

    /// Returns `true` if the value is valid.
    pub fn is_valid(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }
}

/// Returns the index of the first valid value. The schema may come from a client.
///
/// Runs on a thread with a large stack, because the crate recurses through the schema and the
/// value.
pub fn first_valid(schema: &Value, values: &[Value]) -> Result<Option<usize>, String> {
    let check = || {
        if !limits::within_limits(schema, values) {
            return Err("the schema is too large or has references that are not local".to_owned());
        }
        let schema = Schema::compile(schema)?;
        Ok(values.iter().position(|value| schema.is_valid(value)))
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, check);
        let checked = thread.map_err(|error| error.to_string())?.join();
        checked.unwrap_or_else(|_| Err("the check panicked".to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn finds_first_valid_value() {
        let schema = json!({"type": "string", "format": "email", "pattern": "^b"});
        let values = [json!(1), json!("b"), json!("a@b.co"), json!("b@b.co")];
        assert_eq!(first_valid(&schema, &values), Ok(Some(3)));
        assert_eq!(first_valid(&schema, &values[..3]), Ok(None));
    }

    #[test]
    fn rejects_invalid_schemas() {
        for schema in
            [json!({"type": 5}), json!({"pattern": "("}), json!({"pattern": "a{9999}{9999}"})]
        {
            assert!(first_valid(&schema, &[json!(1)]).is_err(), "{schema}");
        }
        let remote = json!({"$ref": "https://example.com/schema"});
        assert!(first_valid(&remote, &[json!(1)]).is_err());
    }

    #[test]
    fn checks_deep_schemas() {
        let mut deep = json!({"type": "string"});
        for _ in 0..1000 {
            deep = json!({"allOf": [deep]});
        }
        assert_eq!(first_valid(&deep, &[json!("a")]), Ok(Some(0)));
        let mut chain = json!({"$ref": "#/$defs/d0"});
        for link in 0..4000 {
            let next = json!({"$ref": format!("#/$defs/d{}", link + 1)});
            chain["$defs"][format!("d{link}")] = next;
        }
        chain["$defs"]["d4000"] = json!({"type": "string"});
        assert_eq!(first_valid(&chain, &[json!("a")]), Ok(Some(0)));
    }

    #[test]
    fn rejects_schemas_that_visit_too_much() {
        let mut doubling = json!({"$ref": "#/$defs/d0"});
        for link in 0..60 {
            let next = json!({"$ref": format!("#/$defs/d{}", link + 1)});
            doubling["$defs"][format!("d{link}")] = json!({"allOf": [next, next]});
        }
        doubling["$defs"]["d60"] = json!({"type": "string"});
        assert!(first_valid(&doubling, &[json!("a")]).is_err());
        doubling["properties"]["a"] = json!({"$ref": "#/$defs/d0", "unevaluatedProperties": false});
        doubling["$ref"] = json!("#/$defs/d60");
        assert!(first_valid(&doubling, &[json!("a")]).is_err());
        assert!(first_valid(&json!({"$ref": "#"}), &[json!("a")]).is_err());
    }

    #[test]
    fn rejects_large_schemas() {
        let big = json!({"enum": vec![json!([]); limits::MAX_OBJECTS]});
        assert!(first_valid(&big, &[json!([])]).is_err());
        let count = limits::MAX_OBJECTS / limits::OBJECTS_PER_PATTERN;
        let patterns = json!({"anyOf": vec![json!({"pattern": "a"}); count]});
        assert!(first_valid(&patterns, &[json!("a")]).is_err());
    }

    #[test]
    fn checks_recursive_schemas() {
        let tree = json!({"type": "object", "additionalProperties": {"$ref": "#"}});
        assert_eq!(first_valid(&tree, &[json!({"a": 1}), json!({"a": {"b": {}}})]), Ok(Some(1)));
    }
}
