//! The file format of tools. The doc comments are also the descriptions in its JSON Schema.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::value::{Argv, Retries, Size, Time};

/// Tools that a model may call.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Tools")]
pub(super) struct ToolsFile {
    /// Location of this schema, for editors.
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    /// Limits of all tools that do not set their own.
    #[serde(default)]
    pub(super) defaults: Limits,
    /// The tools.
    pub(super) tools: Vec<Entry>,
}

/// The limits of a tool.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    /// Maximum duration of a call. Default: 30s.
    pub(super) timeout: Option<Time>,
    /// Number of retries after a failure. Default: 0.
    pub(super) retries: Option<Retries>,
    /// Maximum size of a result. Longer results are truncated, with a note. Default: 1Mi.
    pub(super) max_result: Option<Size>,
}

/// A tool: its definition for the model, and the command to run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// Name of the tool: 1 to 64 ASCII letters, digits, _ and -.
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{1,64}$"))]
    pub(super) name: String,
    /// Description for the model.
    pub(super) description: Option<String>,
    /// JSON Schema of the arguments, which are an object.
    pub(super) parameters: Option<Map<String, Value>>,
    /// Whether the same call may return a different result each time. Such calls are never
    /// duplicates.
    #[serde(default)]
    pub(super) repeatable: bool,
    /// Caches results by arguments. Default: results are not cached.
    pub(super) cache: Option<Cache>,
    /// Maximum duration of a call.
    pub(super) timeout: Option<Time>,
    /// Number of retries after a failure.
    pub(super) retries: Option<Retries>,
    /// Maximum size of a result. Longer results are truncated, with a note.
    pub(super) max_result: Option<Size>,
    /// The command to run. It receives the arguments as JSON on standard input and writes the
    /// result to standard output.
    pub(super) command: Argv,
}

/// Settings of a result cache.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Cache {
    /// Time after which a result expires. Default: 5m.
    pub(super) ttl: Option<Time>,
}

/// Returns the JSON Schema of the file format.
pub(crate) fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    generator.into_root_schema_for::<ToolsFile>().to_value()
}
