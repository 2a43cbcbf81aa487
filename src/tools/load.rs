//! Converts a file to tools and their settings.

use std::path::Path;

use futures_util::future::join_all;
use serde_json::Value;

use super::{
    command::CommandTool,
    file::{Action, Cache, Definition, Entry, Kind, Limits, ToolsFile},
    http::{Allowed, HttpTool, RequestTemplate},
    mcp::{CheckedSource, McpServer},
    static_tool::StaticTool,
};
use crate::{
    base::{diagnostics::Diagnostic, environment::Environment, yaml},
    chat::{LazyJson, Tool},
    tool_loop::{CacheSettings, RegistryError, RunTool, ToolRegistry, ToolSettings},
};

/// Loads tools, with their settings, from a YAML or JSON file. Run `mynah schema tools` for the file
/// format.
///
/// Commands run only when their tools are called, but MCP servers are started. They belong to the
/// runtime of the caller and end with it or with the tools. Relative paths in commands are resolved
/// against the working directory of this process.
///
/// # Errors
///
/// Fails if the file cannot be read or is invalid, or if an MCP server cannot be used. The error is
/// the first problem in the file, with its position if it is known.
pub async fn load(file: &Path) -> Result<ToolRegistry, Diagnostic> {
    load_with(file, &Environment::read()).await
}

/// Loads tools like [`load`]. Headers of requests may refer to the variables of `environment`.
pub(crate) async fn load_with(
    file: &Path,
    environment: &Environment,
) -> Result<ToolRegistry, Diagnostic> {
    let connected = connect(check(file, environment)?).await;
    connected.map_err(|error| Diagnostic::error(error).in_file(file))
}

/// An entry that is valid, but whose server may not exist.
pub(super) struct CheckedEntry {
    settings: ToolSettings,
    kind: CheckedKind,
}

enum CheckedKind {
    Tool(RunnableTool),
    Server(CheckedSource),
}

type RunnableTool = (Tool, Box<dyn RunTool>);

/// Reads and checks a file. Starts nothing.
pub(super) fn check(
    file: &Path,
    environment: &Environment,
) -> Result<Vec<CheckedEntry>, Diagnostic> {
    let ToolsFile { defaults, allow, tools, .. } = yaml::from_file(file)?;
    let check = |entry: Entry| {
        let settings = tool_settings(&entry, &defaults);
        let kind = match entry.kind {
            Kind::Tool(definition, action) => {
                let name = definition.name.clone();
                let run = runner(action, allow.as_deref(), environment)
                    .map_err(|error| format!("the tool {name:?}: {error}"))?;
                CheckedKind::Tool((definition.into(), run))
            }
            Kind::Server(server) => {
                let server = server.check(allow.as_deref(), environment);
                CheckedKind::Server(server.map_err(|error| format!("the MCP server: {error}"))?)
            }
        };
        Ok(CheckedEntry { settings, kind })
    };
    let checked: Result<_, String> = tools.into_iter().map(check).collect();
    checked.map_err(|error| Diagnostic::error(error).in_file(file))
}

fn runner(
    action: Action,
    allow: Option<&[Allowed]>,
    environment: &Environment,
) -> Result<Box<dyn RunTool>, String> {
    Ok(match action {
        Action::Command(argv) => Box::new(CommandTool::new(argv)),
        Action::Http(request) => {
            Box::new(HttpTool::new(RequestTemplate::new(request, environment)?, allow)?)
        }
        Action::Static(answers) => Box::new(StaticTool::new(answers)),
    })
}

/// Starts all MCP servers at the same time and adds the tools in the order of the file.
async fn connect(entries: Vec<CheckedEntry>) -> Result<ToolRegistry, String> {
    let has_servers = entries.iter().any(|it| matches!(it.kind, CheckedKind::Server(_)));
    let mut registry = ToolRegistry::new();
    for connected in join_all(entries.into_iter().map(tools_of)).await {
        let (settings, tools) = connected?;
        for (tool, run) in tools {
            let added = registry.add(tool, run).map_err(|error| match error {
                RegistryError::DuplicateName(_) if has_servers => {
                    format!("{error}; set `prefix` to rename the tools of an MCP server")
                }
                error => error.to_string(),
            });
            added?.with_settings(settings.clone());
        }
    }
    Ok(registry)
}

async fn tools_of(entry: CheckedEntry) -> Result<(ToolSettings, Vec<RunnableTool>), String> {
    let tools = match entry.kind {
        CheckedKind::Tool(tool) => vec![tool],
        CheckedKind::Server(source) => {
            let server = McpServer::connect(source).await?;
            server.into_tools().map(|(tool, run)| (tool, Box::new(run) as _)).collect()
        }
    };
    Ok((entry.settings, tools))
}

impl From<Definition> for Tool {
    fn from(Definition { name, description, parameters }: Definition) -> Self {
        let parameters = parameters.map(|schema| LazyJson::new(Value::Object(schema)));
        Self { name, description, parameters }
    }
}

fn tool_settings(entry: &Entry, defaults: &Limits) -> ToolSettings {
    let default = ToolSettings::default();
    let timeout = entry.limits.timeout.or(defaults.timeout);
    let retries = entry.limits.retries.or(defaults.retries);
    let max_result = entry.limits.max_result.or(defaults.max_result);
    ToolSettings {
        timeout: timeout.map_or(default.timeout, |timeout| timeout.0),
        retries: retries.map_or(default.retries, |retries| retries.0),
        max_result: max_result.map_or(default.max_result, |size| size.0),
        cache: entry.cache.as_ref().map(cache_settings),
        repeatable: entry.repeatable,
        ..default
    }
}

fn cache_settings(cache: &Cache) -> CacheSettings {
    let default = CacheSettings::default();
    CacheSettings { ttl: cache.ttl.map_or(default.ttl, |ttl| ttl.0), ..default }
}
