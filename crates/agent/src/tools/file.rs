//! The file format of tools. The doc comments are also the descriptions in its JSON Schema.

use std::{collections::BTreeMap, path::Path};

use mynah_core::{
    base::{condition::TextCondition, files, yaml::TopLevel},
    chat::{LazyJson, Tool},
};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::{
    http::{Allowed, HttpSource},
    mcp::McpSource,
    value::{Argv, Retries, Size, Time},
};
use crate::tool_loop::ToolOutput;

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
    /// Addresses that HTTP requests may connect to, even after a redirect: host:port, ip:port or
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

/// A tool, or the tools of an MCP server, with their settings.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "EntrySource")]
#[schemars(with = "EntrySource")]
pub(super) struct Entry {
    pub(super) repeatable: bool,
    pub(super) cache: Option<Cache>,
    pub(super) limits: Limits,
    pub(super) kind: Kind,
}

impl Entry {
    /// Returns `true` if the results do not change.
    pub(super) fn is_static(&self) -> bool {
        matches!(&self.kind, Kind::Tool(_, Action::Static(_)))
    }
}

/// What an entry adds.
#[derive(Debug)]
pub(super) enum Kind {
    Tool(Tool, Action),
    Server(McpSource),
}

/// What a call of a tool does.
#[derive(Debug)]
pub(super) enum Action {
    Command(Argv),
    Http(HttpSource),
    Static(Vec<StaticAnswer>),
}

/// A tool: its definition for the model, and exactly one of `command`, `http` and `static`. Or
/// `mcp`: the tools of an MCP server, which has their definitions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = [
        { "required": ["name", "command"] },
        { "required": ["name", "http"] },
        { "required": ["name", "static"] },
        { "required": ["mcp"] },
    ],
    "dependentSchemas" = {
        "mcp": { "properties": {
            "name": false, "description": false, "parameters": false,
            "command": false, "http": false, "static": false,
        } },
        "static": { "properties": { "cache": false } },
    },
))]
struct EntrySource {
    /// Name of the tool: 1 to 64 ASCII letters, digits, _ and -.
    #[schemars(extend("type" = "string"), regex(pattern = "^[A-Za-z0-9_-]{1,64}$"))]
    name: Option<String>,
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
    /// The MCP server whose tools are added. Limits apply to each of its tools.
    mcp: Option<McpSource>,
}

impl TryFrom<EntrySource> for Entry {
    type Error = String;

    fn try_from(source: EntrySource) -> Result<Self, String> {
        let EntrySource { name, description, parameters, repeatable, cache, .. } = source;
        let EntrySource { timeout, retries, max_result, .. } = source;
        let limits = Limits { timeout, retries, max_result };
        let action = match (source.command, source.http, source.answers) {
            (Some(argv), None, None) => Some(Action::Command(argv)),
            (None, Some(request), None) => Some(Action::Http(request)),
            (None, None, Some(_)) if cache.is_some() => {
                return Err("the results of static do not change; remove cache".to_owned());
            }
            (None, None, Some(answers)) if !answers.is_empty() => Some(Action::Static(answers)),
            (None, None, Some(_)) => {
                return Err("static is empty; expected a list of results".to_owned());
            }
            (None, None, None) => None,
            _ => return Err(one_kind(name)),
        };
        let kind = match (name, source.mcp, action) {
            (Some(name), None, Some(action)) => {
                let parameters = parameters.map(|schema| LazyJson::new(Value::Object(schema)));
                Kind::Tool(Tool { name, description, parameters }, action)
            }
            (None, Some(server), None) if description.is_none() && parameters.is_none() => {
                Kind::Server(server)
            }
            (name, None, None) => return Err(one_kind(name)),
            (None, None, Some(_)) => return Err("missing field `name`".to_owned()),
            (_, Some(_), _) => {
                let keys = "name, description, parameters, command, http and static";
                return Err(format!("a tool with mcp must not have {keys}"));
            }
        };
        Ok(Self { repeatable, cache, limits, kind })
    }
}

fn one_kind(name: Option<String>) -> String {
    let tool = name.map_or_else(|| "a tool".to_owned(), |name| format!("the tool {name:?}"));
    format!("{tool} needs exactly one of command, http, static and mcp")
}

/// A result or an error, for all calls or for those with certain arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "StaticSource")]
#[schemars(with = "StaticSource")]
pub(super) struct StaticAnswer {
    pub(super) conditions: BTreeMap<String, TextCondition>,
    pub(super) answer: Result<ToolOutput, String>,
}

/// Exactly one of a result and an error, for all calls or for those with certain arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["result"] }, { "required": ["error"] }]))]
struct StaticSource {
    /// The calls that get this answer. Default: all calls.
    #[serde(default)]
    r#match: ArgumentMatch,
    /// The result. The model gets a string unchanged, and any other value as JSON.
    #[serde(default, deserialize_with = "present")]
    result: Option<Value>,
    /// The text of an error.
    error: Option<String>,
}

/// Reads a value that may be null.
fn present<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(source).map(Some)
}

/// Conditions on a call. All must hold.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ArgumentMatch {
    /// Conditions on arguments. One that is not a string is compared as compact JSON. A missing
    /// argument matches nothing.
    #[serde(default)]
    args: BTreeMap<String, TextCondition>,
}

impl TryFrom<StaticSource> for StaticAnswer {
    type Error = &'static str;

    fn try_from(source: StaticSource) -> Result<Self, &'static str> {
        let answer = match (source.result, source.error) {
            (Some(result), None) => Ok(result.into()),
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
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    generator.into_root_schema_for::<ToolsFile>().to_value()
}

const KEY: &str = "tools";

/// Returns `true` if a file has a list `tools` at the top level and is no Kubernetes resource.
pub fn is_tools_file(file: &Path) -> bool {
    files::read_regular(file).is_ok_and(|text| {
        let top_level = TopLevel::with_one_of(&[KEY], &text);
        top_level.is_some_and(|it| it.has_list(KEY) && !it.is_resource())
    })
}
