//! Converts a file to tools and their settings.

use std::path::Path;

use serde_json::Value;

use super::{
    command::CommandTool,
    file::{Cache, Entry, Kind, Limits, ToolsFile},
    http::{Allowed, HttpTool, RequestTemplate},
    static_tool::StaticTool,
};
use crate::{
    base::{diagnostics::Diagnostic, environment::Environment, yaml},
    chat::{LazyJson, Tool},
    tool_loop::{CacheSettings, RegisteredTool, ToolRegistry, ToolSettings},
};

/// Tool kinds that the file format does not support.
const UNSUPPORTED_KINDS: [&str; 1] = ["mcp"];

/// Loads tools, with their settings, from a YAML or JSON file. Run `mynah schema tools` for the file
/// format.
///
/// Commands run only when their tools are called. Relative paths in commands are resolved against the
/// working directory of this process.
///
/// # Errors
///
/// Fails if the file cannot be read or is invalid. The error is the first problem in the file, with
/// its position if it is known.
pub fn load(file: &Path) -> Result<ToolRegistry, Diagnostic> {
    load_with(file, &Environment::read())
}

/// Loads tools like [`load`]. Headers of requests may refer to the variables of `environment`.
pub(crate) fn load_with(
    file: &Path,
    environment: &Environment,
) -> Result<ToolRegistry, Diagnostic> {
    let ToolsFile { defaults, allow, tools, .. } =
        yaml::from_file(file).map_err(|error: Diagnostic| Diagnostic {
            message: explain_unsupported_kind(error.message),
            ..error
        })?;
    let mut registry = ToolRegistry::new();
    for entry in tools {
        let settings = tool_settings(&entry, &defaults);
        match add(&mut registry, entry, allow.as_deref(), environment) {
            Ok(tool) => _ = tool.with_settings(settings),
            Err(error) => return Err(Diagnostic::error(error).in_file(file)),
        }
    }
    Ok(registry)
}

fn add<'r>(
    registry: &'r mut ToolRegistry,
    entry: Entry,
    allow: Option<&[Allowed]>,
    environment: &Environment,
) -> Result<&'r mut RegisteredTool, String> {
    let parameters = entry.parameters.map(|schema| LazyJson::new(Value::Object(schema)));
    let (name, description) = (entry.name, entry.description);
    let definition = Tool { name: name.clone(), description, parameters };
    let added = match entry.kind {
        Kind::Command(argv) => registry.add(definition, CommandTool::new(argv)),
        Kind::Http(request) => {
            let tool = RequestTemplate::new(request, environment)
                .and_then(|request| HttpTool::new(request, allow));
            let tool = tool.map_err(|error| format!("the tool {name:?}: {error}"))?;
            registry.add(definition, tool)
        }
        Kind::Static(answers) => registry.add(definition, StaticTool::new(answers)),
    };
    added.map_err(|error| error.to_string())
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

/// Replaces the message about an unknown key if the key is an unsupported tool kind.
fn explain_unsupported_kind(message: String) -> String {
    let is_unsupported =
        |kind: &&'static str| message.starts_with(&format!("unknown field `{kind}`"));
    match UNSUPPORTED_KINDS.into_iter().find(is_unsupported) {
        Some(kind) => {
            format!("unsupported tool kind `{kind}`; expected `command`, `http` or `static`")
        }
        None => message,
    }
}
