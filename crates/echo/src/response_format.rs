//! Structured output: answers that satisfy the request's `response_format`.

use mynah_core::base::json_schema;
use serde_json::{Map, Value, json};

use super::{
    arguments::{self, Context, Generated, ReplyBudget},
    effort::Unfinished,
};

/// The format that allows any object.
const JSON_OBJECT: &str = "json_object";
/// Keywords whose values are data instead of schemas, so null is meaningful in them.
const DATA_KEYWORDS: [&str; 4] = ["const", "default", "enum", "examples"];
/// Keywords that map arbitrary names to schemas.
const SCHEMA_MAPS: [&str; 5] =
    ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

/// Returns the first candidate that is valid JSON for the format, unchanged. If there is none,
/// generates a value, or puts the candidates into an object if the format has no schema. Returns
/// `None` if the format asks for plain text.
pub(super) fn answer<'t>(
    format: &Value,
    candidates: impl Iterator<Item = &'t str> + Clone,
    context: &Context,
    budget: &mut ReplyBudget,
) -> Result<Option<Generated>, Unfinished> {
    let Some(schema) = unwrap_schema(format) else { return Ok(None) };
    let schema = drop_nulls(&schema);
    if let Some(valid) = first_valid(&schema, candidates.clone(), budget)? {
        return Ok(Some(valid));
    }
    Ok(Some(match format["type"] == JSON_OBJECT {
        // An application has no use for an empty object.
        true => json!({"text": candidates.collect::<Vec<_>>().join("\n")}).to_string().into(),
        false => arguments::value(&schema, context, budget),
    }))
}

/// Unwraps the schema from the objects in which OpenAI's API nests schemas.
fn unwrap_schema(format: &Value) -> Option<Value> {
    match format.get("type").and_then(Value::as_str) {
        Some("text") => None,
        Some(JSON_OBJECT) => Some(json!({"type": "object"})),
        Some("json_schema") => {
            let schema = format.pointer("/json_schema/schema").or(format.get("schema"));
            Some(schema.cloned().unwrap_or(Value::Bool(true)))
        }
        // Some clients send an empty object instead of omitting the format.
        _ => Some(format.clone()).filter(|format| *format != json!({})),
    }
}

/// Drops members that are null. Dapr Agents sends `"description": null`, which is not valid in a
/// schema.
fn drop_nulls(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            Value::Object(members.iter().filter_map(drop_nulls_of_member).collect())
        }
        Value::Array(items) => items.iter().map(drop_nulls).collect(),
        other => other.clone(),
    }
}

fn drop_nulls_of_member((keyword, value): (&String, &Value)) -> Option<(String, Value)> {
    let value = match value {
        Value::Null if keyword != "const" => return None,
        value if DATA_KEYWORDS.contains(&keyword.as_str()) => value.clone(),
        Value::Object(named) if SCHEMA_MAPS.contains(&keyword.as_str()) => {
            let named = named.iter().filter(|(_, schema)| !schema.is_null());
            let clean = named.map(|(name, schema)| (name.clone(), drop_nulls(schema)));
            Value::Object(clean.collect::<Map<_, _>>())
        }
        value => drop_nulls(value),
    };
    Some((keyword.clone(), value))
}

/// Returns the first valid candidate. Compiles the schema only if a candidate is JSON, which is
/// rare.
fn first_valid<'t>(
    schema: &Value,
    candidates: impl Iterator<Item = &'t str>,
    budget: &ReplyBudget,
) -> Result<Option<Generated>, Unfinished> {
    let parse = |text: &'t str| Some((text, serde_json::from_str::<Value>(text).ok()?));
    let (texts, values): (Vec<&str>, Vec<Value>) = candidates.filter_map(parse).unzip();
    if values.is_empty() {
        return Ok(None);
    }
    // Compiling takes up to a second.
    budget.effort().allow(true)?;
    Ok(match json_schema::first_valid(schema, &values) {
        Ok(valid) => valid.map(|index| Generated::from(texts[index].to_owned())),
        Err(error) => {
            tracing::warn!(
                error,
                "cannot validate against response_format, so the answer is generated"
            );
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::Effort;

    #[track_caller]
    fn check(format: &Value, candidates: &[&str], expected: Option<&str>) {
        let candidates = candidates.iter().copied();
        let mut budget = ReplyBudget::new(&Effort::full());
        let answer = answer(format, candidates, &Context::default(), &mut budget).unwrap();
        assert_eq!(answer.map(|answer| answer.json).as_deref(), expected, "{format}");
    }

    #[test]
    fn answers_with_the_first_valid_candidate() {
        let format =
            json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
        check(&format, &["hello", "[]", "{ \"a\": 1 }", "{\"a\":2}"], Some("{ \"a\": 1 }"));
        check(&format, &["hello", "{\"a\":\"b\"}"], Some("{\"a\":42}"));
    }

    #[test]
    fn unwraps_schemas() {
        let schema = json!({"type": "boolean"});
        check(
            &json!({"type": "json_schema", "json_schema": {"schema": schema}}),
            &[],
            Some("true"),
        );
        check(&json!({"type": "json_object"}), &["[1]", "{}"], Some("{}"));
        check(&json!({"type": "object"}), &["[1]"], Some("{}"));
        check(&json!({"type": "text"}), &["{}"], None);
        check(&json!({}), &["{}"], None);
    }

    #[test]
    fn puts_texts_into_an_object() {
        let format = json!({"type": "json_object"});
        check(&format, &["[1]"], Some(r#"{"text":"[1]"}"#));
        check(&format, &["say \"hi\"", "é"], Some(r#"{"text":"say \"hi\"\né"}"#));
        check(&format, &["no", r#"{"a": 1}"#], Some(r#"{"a": 1}"#));
        check(&format, &[], Some(r#"{"text":""}"#));
    }

    #[test]
    fn drops_nulls_from_schemas_but_not_from_data() {
        let format = json!({"type": "object", "description": null, "properties": {
            "a": {"type": "integer", "title": null}, "default": {"type": "integer", "minimum": null},
            "c": {"const": null}, "d": {"enum": [{"x": null}]}, "e": null}});
        let answer = r#"{"a":42,"c":null,"d":{"x":null},"default":42}"#;
        check(&format, &["7"], Some(answer));
        check(&format, &[r#"{"a":1,"c":null}"#], Some(r#"{"a":1,"c":null}"#));
    }

    #[test]
    fn answers_even_if_the_schema_does_not_compile() {
        check(&json!({"type": "integer", "minimum": "x"}), &["5"], Some("42"));
    }
}
