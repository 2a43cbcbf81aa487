//! The file format of tools. The doc comments are also the descriptions in its JSON Schema.

use std::collections::BTreeMap;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    http::{Allowed, HttpSource},
    value::{Argv, Retries, Size, Time},
};
use crate::base::condition::TextCondition;

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
    /// Addresses that HTTP requests may connect to, also after a redirect: host:port, ip:port or
    /// cidr:port. A name may stand for a private address only if this address is listed, or if the
    /// name is localhost. Default: for each tool, the host and port of its URL.
    pub(super) allow: Option<Vec<Allowed>>,
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

/// A tool: its definition for the model, and what a call does.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "EntrySource")]
#[schemars(with = "EntrySource")]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) parameters: Option<Map<String, Value>>,
    pub(super) repeatable: bool,
    pub(super) cache: Option<Cache>,
    pub(super) limits: Limits,
    pub(super) kind: Kind,
}

/// What a call does.
#[derive(Debug)]
pub(super) enum Kind {
    Command(Argv),
    Http(HttpSource),
    Static(Vec<StaticAnswer>),
}

/// A tool: its definition for the model, and exactly one of `command`, `http` and `static`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["command"] }, { "required": ["http"] }, { "required": ["static"] }]))]
struct EntrySource {
    /// Name of the tool: 1 to 64 ASCII letters, digits, _ and -.
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{1,64}$"))]
    name: String,
    /// Description for the model.
    description: Option<String>,
    /// JSON Schema of the arguments, which are an object.
    parameters: Option<Map<String, Value>>,
    /// Whether the same call may return a different result each time. Such calls are never
    /// duplicates.
    #[serde(default)]
    repeatable: bool,
    /// Caches results by arguments. Default: results are not cached.
    cache: Option<Cache>,
    /// Maximum duration of a call.
    timeout: Option<Time>,
    /// Number of retries after a failure.
    retries: Option<Retries>,
    /// Maximum size of a result. Longer results are truncated, with a note.
    max_result: Option<Size>,
    /// The command to run. It receives the arguments as JSON on standard input and writes the
    /// result to standard output.
    command: Option<Argv>,
    /// The HTTP request to make.
    http: Option<HttpSource>,
    /// Results that do not change. The first entry that matches the arguments answers the call.
    #[serde(rename = "static")]
    #[schemars(extend("type" = "array", "minItems" = 1))]
    answers: Option<Vec<StaticAnswer>>,
}

impl TryFrom<EntrySource> for Entry {
    type Error = String;

    fn try_from(source: EntrySource) -> Result<Self, String> {
        let kind = match (source.command, source.http, source.answers) {
            (Some(argv), None, None) => Kind::Command(argv),
            (None, Some(request), None) => Kind::Http(request),
            (None, None, Some(answers)) if !answers.is_empty() => Kind::Static(answers),
            (None, None, Some(_)) => {
                return Err("static is empty; expected a list of results".to_owned());
            }
            _ => {
                let kinds = "exactly one of command, http and static";
                return Err(format!("the tool {:?} needs {kinds}", source.name));
            }
        };
        let EntrySource { name, description, parameters, repeatable, cache, .. } = source;
        let EntrySource { timeout, retries, max_result, .. } = source;
        let limits = Limits { timeout, retries, max_result };
        Ok(Self { name, description, parameters, repeatable, cache, limits, kind })
    }
}

/// A result or an error, for all calls or for those with certain arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "StaticSource")]
#[schemars(with = "StaticSource")]
pub(super) struct StaticAnswer {
    pub(super) conditions: BTreeMap<String, TextCondition>,
    pub(super) answer: Result<Value, String>,
}

/// Exactly one of a result and an error, for all calls or for those with certain arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["result"] }, { "required": ["error"] }]))]
struct StaticSource {
    /// The calls that get this answer. Default: all calls.
    #[serde(default)]
    r#match: Match,
    /// The result. The model gets a string unchanged, and any other value as JSON.
    result: Option<Value>,
    /// The text of an error.
    error: Option<String>,
}

/// Conditions on a call. All must hold.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Match {
    /// Conditions on arguments. One that is not a string is compared as compact JSON. A missing
    /// argument matches nothing.
    #[serde(default)]
    args: BTreeMap<String, TextCondition>,
}

impl TryFrom<StaticSource> for StaticAnswer {
    type Error = &'static str;

    fn try_from(source: StaticSource) -> Result<Self, &'static str> {
        let answer = match (source.result, source.error) {
            (Some(result), None) => Ok(result),
            (None, Some(error)) => Err(error),
            _ => return Err("expected exactly one of result and error"),
        };
        Ok(Self { conditions: source.r#match.args, answer })
    }
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
