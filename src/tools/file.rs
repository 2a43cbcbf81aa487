//! What may be written in a file of tools. The doc comments are what its JSON Schema says, too.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::value::{Argv, Retries, Size, Time};

/// Tools that a model may call.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Tools")]
pub(super) struct ToolsFile {
    /// Where editors find this schema.
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    /// What holds for every tool that says nothing else.
    #[serde(default)]
    pub(super) defaults: Limits,
    /// The tools.
    pub(super) tools: Vec<Entry>,
}

/// The limits of a tool.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    /// The longest that a tool may run. Default: 30s.
    pub(super) timeout: Option<Time>,
    /// How often a call is tried again after a failure. Default: 0.
    pub(super) retries: Option<Retries>,
    /// The longest result; what is longer is cut, with a note. Default: 1Mi.
    pub(super) max_result: Option<Size>,
}

/// A tool: what the model is told of it, and what runs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// Name of the tool: 1 to 64 ASCII letters, digits, _ and -.
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{1,64}$"))]
    pub(super) name: String,
    /// What it does, in words for the model.
    pub(super) description: Option<String>,
    /// JSON Schema of its arguments, which are an object.
    pub(super) parameters: Option<Map<String, Value>>,
    /// Whether the same call may have another result each time, and so is never a duplicate.
    #[serde(default)]
    pub(super) repeatable: bool,
    /// Keeps results for equal calls. Default: none are kept.
    pub(super) cache: Option<Cache>,
    /// The longest that it may run.
    pub(super) timeout: Option<Time>,
    /// How often a call is tried again after a failure.
    pub(super) retries: Option<Retries>,
    /// The longest result; what is longer is cut, with a note.
    pub(super) max_result: Option<Size>,
    /// The command that is run: it gets the arguments as JSON on standard input, and what it
    /// writes on standard output is the result.
    pub(super) command: Argv,
}

/// How results are kept.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Cache {
    /// How long. Default: 5m.
    pub(super) ttl: Option<Time>,
}

/// The JSON Schema of the file.
pub(crate) fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    generator.into_root_schema_for::<ToolsFile>().to_value()
}
