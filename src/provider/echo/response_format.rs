//! An answer that follows the request's `response_format`.

use serde_json::{Map, Value, json};

use super::arguments::{self, Budget, Context, Generated};
use crate::base::json_schema;

/// Keywords whose values are data: a null in there is meant.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];
/// Keywords whose members are schemas under names of their own.
const SCHEMAS_BY_NAME: [&str; 5] =
    ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

/// The first candidate that is valid JSON for the format, word for word, else a generated value.
/// `None` where the format asks for plain text.
pub(crate) fn reply<'t>(
    format: &Value,
    candidates: impl Iterator<Item = &'t str>,
    context: &Context,
    budget: &mut Budget,
) -> Option<Generated> {
    let schema = without_nulls(&schema(format)?);
    let valid = first_valid(&schema, candidates);
    Some(valid.unwrap_or_else(|| arguments::value(&schema, context, budget)))
}

/// The schema inside the wrappings that OpenAI's API gives it.
fn schema(format: &Value) -> Option<Value> {
    match format.get("type").and_then(Value::as_str) {
        Some("text") => None,
        Some("json_object") => Some(json!({"type": "object"})),
        Some("json_schema") => {
            let schema = format.pointer("/json_schema/schema").or(format.get("schema"));
            Some(schema.cloned().unwrap_or(Value::Bool(true)))
        }
        // Clients send an empty struct for none.
        _ => Some(format.clone()).filter(|format| *format != json!({})),
    }
}

/// Dapr Agents sends `"description": null`, which is no valid schema.
fn without_nulls(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => Value::Object(members.iter().filter_map(member).collect()),
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

fn member((keyword, value): (&String, &Value)) -> Option<(String, Value)> {
    let value = match value {
        Value::Null if keyword != "const" => return None,
        value if DATA.contains(&keyword.as_str()) => value.clone(),
        Value::Object(named) if SCHEMAS_BY_NAME.contains(&keyword.as_str()) => {
            let named = named.iter().filter(|(_, schema)| !schema.is_null());
            let clean = named.map(|(name, schema)| (name.clone(), without_nulls(schema)));
            Value::Object(clean.collect::<Map<_, _>>())
        }
        value => without_nulls(value),
    };
    Some((keyword.clone(), value))
}

/// Most texts are not JSON: the schema is compiled only for those that are.
fn first_valid<'t>(schema: &Value, candidates: impl Iterator<Item = &'t str>) -> Option<Generated> {
    let parse = |text: &'t str| Some((text, serde_json::from_str::<Value>(text).ok()?));
    let (texts, values): (Vec<&str>, Vec<Value>) = candidates.filter_map(parse).unzip();
    if values.is_empty() {
        return None;
    }
    match json_schema::first_valid(schema, &values) {
        Ok(valid) => {
            valid.map(|index| Generated { json: texts[index].to_owned(), shortfall: None })
        }
        Err(error) => {
            tracing::warn!(error, "response_format cannot be checked: the answer is generated");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(format: &Value, candidates: &[&str], expected: Option<&str>) {
        let candidates = candidates.iter().copied();
        let made = reply(format, candidates, &Context::default(), &mut Budget::default());
        assert_eq!(made.map(|made| made.json).as_deref(), expected, "{format}");
    }

    #[test]
    fn a_valid_text_is_the_answer() {
        let format =
            json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
        check(&format, &["hello", "[]", "{ \"a\": 1 }", "{\"a\":2}"], Some("{ \"a\": 1 }"));
        check(&format, &["hello", "{\"a\":\"b\"}"], Some("{\"a\":42}"));
    }

    #[test]
    fn wrappings_are_taken_off() {
        let schema = json!({"type": "boolean"});
        check(
            &json!({"type": "json_schema", "json_schema": {"schema": schema}}),
            &[],
            Some("true"),
        );
        check(&json!({"type": "json_object"}), &["[1]", "{}"], Some("{}"));
        check(&json!({"type": "json_object"}), &["[1]"], Some("{}"));
        check(&json!({"type": "text"}), &["{}"], None);
        check(&json!({}), &["{}"], None);
    }

    #[test]
    fn nulls_are_dropped_from_schemas_but_not_from_data() {
        let format = json!({"type": "object", "description": null, "properties": {
            "a": {"type": "integer", "title": null}, "default": {"type": "integer", "minimum": null},
            "c": {"const": null}, "d": {"enum": [{"x": null}]}, "e": null}});
        let answer = r#"{"a":42,"c":null,"d":{"x":null},"default":42}"#;
        check(&format, &["7"], Some(answer));
        check(&format, &[r#"{"a":1,"c":null}"#], Some(r#"{"a":1,"c":null}"#));
    }

    #[test]
    fn what_does_not_compile_still_answers() {
        check(&json!({"type": "integer", "minimum": "x"}), &["5"], Some("42"));
    }
}
