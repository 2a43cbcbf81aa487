//! The JSON Schema of a file of rules. [`read`](super::read) reads the file, so that errors have places.

use std::{borrow::Cow, num::NonZeroU64};

use mynah_core::base::schema_keys::{having, lacking};
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde_json::{Value, json};

use super::{expectation::Expectation, matching::Match};
use crate::{chains, faults};

/// Rules for the answers of scripted components.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Rules", extend("anyOf" = having(&["rules", "expect"])))]
#[expect(dead_code, reason = "describes the format only")]
struct RulesFile {
    /// Location of this schema, for editors.
    #[serde(rename = "$schema")]
    schema: Option<String>,
    /// The rules. The first rule whose conditions hold answers the request.
    #[schemars(extend("minItems" = 1))]
    rules: Option<Vec<Rule>>,
    /// The calls that are expected. `mynah verify` and `mynah run` check them.
    #[schemars(extend("minItems" = 1))]
    expect: Option<Vec<Expectation>>,
}

/// The answers to the requests that meet some conditions: exactly one of `respond`, `chain` and
/// `sequence`.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = having(&["respond", "chain", "sequence"]),
    "if" = having(&["respond"])[0],
    "then" = {
        "allOf": [
            lacking(&["on_exhausted"]),
            { "properties": { "respond": lacking(&["times"]) } },
        ],
    },
))]
#[expect(dead_code, reason = "describes the format only")]
struct Rule {
    /// Unique name, for messages and reports.
    #[schemars(extend("type" = ["string", "number", "boolean", "null"]))]
    name: Option<String>,
    /// Conditions on the request. All must hold. Default: all requests.
    r#match: Option<Match>,
    /// The answer.
    respond: Option<Answer>,
    /// The answers by the number of assistant turns since the last user message.
    #[schemars(extend("minItems" = 1))]
    chain: Option<Vec<Answer>>,
    /// The answers by the number of times that this rule has answered in the session.
    #[schemars(extend("minItems" = 1))]
    sequence: Option<Vec<Answer>>,
    /// The answer after the last entry. Default: for a sequence, `repeat_last`; for a chain, the
    /// setting of the component.
    on_exhausted: Option<OnExhausted>,
    /// How often the rule answers in a session. After that, other rules answer.
    times: Option<NonZeroU64>,
    /// Rules with a higher priority are tried first. Default: 0.
    priority: Option<i64>,
    /// Whether the rule may call tools that the request does not offer. Default: the setting of the
    /// component.
    allow_unoffered: Option<bool>,
    /// The faults of the calls that the rule answers: a fault, or a list of faults of which the first
    /// one that applies is used.
    faults: Option<RuleFaults>,
}

/// The answer after the last entry.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the format only")]
enum OnExhausted {
    Message,
    Fallback,
    Error,
    RepeatLast,
    Loop,
}

/// A text, a list of items, or a step, in which the items may also be called `respond`.
struct Answer;

impl JsonSchema for Answer {
    fn schema_name() -> Cow<'static, str> {
        "answer".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let chain: Value = serde_json::from_str(chains::SCHEMA).unwrap_or_default();
        let definitions = chain["$defs"].as_object().cloned().unwrap_or_default();
        let messages = &definitions["step"]["properties"]["messages"];
        let step = with_respond(&definitions["step"]);
        let text = json!({ "description": "A text.", "type": ["string", "number", "boolean"] });
        let items = json!({
            "description": "Texts and tool calls. Texts are joined by a blank line.",
            "type": "array",
            "minItems": 1,
            "items": messages["items"],
            "not": messages["not"],
        });
        generator.definitions_mut().extend(definitions);
        generator.definitions_mut().insert("respond".to_owned(), json!({ "anyOf": [text, items] }));
        json_schema!({
            "description": "A text, a list of items, or a step, in which the items may also be called respond.",
            "anyOf": [{ "$ref": "#/$defs/respond" }, { "$ref": "#/$defs/step" }, step],
        })
    }
}

/// A fault or a list of faults.
struct RuleFaults;

impl JsonSchema for RuleFaults {
    fn schema_name() -> Cow<'static, str> {
        "faults".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        // The definitions of chains also have some of these names.
        let schema = faults::SCHEMA.replace("#/$defs/", "#/$defs/faults_");
        let schema: Value = serde_json::from_str(&schema).unwrap_or_default();
        let definitions = schema["$defs"].as_object().cloned().unwrap_or_default();
        let named = definitions.into_iter().map(|(name, it)| (format!("faults_{name}"), it));
        generator.definitions_mut().extend(named);
        json_schema!({ "oneOf": schema["oneOf"] })
    }
}

/// Returns the schema of a step whose items are called `respond`, and which may be a text.
fn with_respond(step: &Value) -> Value {
    let mut step = rename_items(step);
    step["required"] = json!(["respond"]);
    step["properties"]["respond"] = json!({ "$ref": "#/$defs/respond" });
    step
}

/// Renames `messages` in the schema of a step. Items that are not empty may also be a text.
fn rename_items(schema: &Value) -> Value {
    let not_empty = json!({ "type": "array", "minItems": 1 });
    match schema {
        Value::Object(_) if *schema == not_empty => json!({}),
        Value::Object(fields) => {
            let renamed = |key: &str| if key == "messages" { "respond" } else { key }.to_owned();
            fields.iter().map(|(key, value)| (renamed(key), rename_items(value))).collect()
        }
        Value::Array(values) => values.iter().map(rename_items).collect(),
        Value::String(text) if text == "messages" => json!("respond"),
        _ => schema.clone(),
    }
}

/// Returns the JSON Schema of the file format.
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    generator.into_root_schema_for::<RulesFile>().to_value()
}
