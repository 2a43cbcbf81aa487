//! A file becomes tools, and the limits of each.

use std::{collections::BTreeMap, path::Path};

use serde_json::Value;

use super::{
    command::CommandTool,
    file::{Cache, Entry, Limits, ToolsFile},
};
use crate::{
    base::{diagnostics::Diagnostic, yaml},
    chat::{LazyJson, Tool},
    tool_loop::{CacheSettings, RegistryError, ToolRegistry, ToolSettings},
};

/// Kinds of tools that only other programs run.
const OTHER_KINDS: [&str; 3] = ["http", "static", "mcp"];

/// The tools of a file.
#[derive(Debug, Default)]
pub struct Tools {
    /// What they are.
    pub registry: ToolRegistry,
    /// Their limits, by name: for [`LoopSettings`](crate::tool_loop::LoopSettings).
    pub by_tool: BTreeMap<String, ToolSettings>,
}

impl Tools {
    /// Reads a file of tools, YAML or JSON. The error is the first thing that is wrong with it.
    ///
    /// The commands in it are not run before they are called; relative paths in them are those
    /// of this process, as in a shell.
    pub fn load(file: &Path) -> Result<Self, Diagnostic> {
        let ToolsFile { defaults, tools, .. } = yaml::from_file(file)
            .map_err(|error: Diagnostic| Diagnostic { message: explain(error.message), ..error })?;
        let mut loaded = Self::default();
        for entry in tools {
            loaded
                .add(entry, &defaults)
                .map_err(|error| Diagnostic::error(error.to_string()).in_file(file))?;
        }
        Ok(loaded)
    }

    fn add(&mut self, entry: Entry, defaults: &Limits) -> Result<(), RegistryError> {
        let settings = settings(&entry, defaults);
        let parameters = entry.parameters.map(|schema| LazyJson::new(Value::Object(schema)));
        let (name, description) = (entry.name, entry.description);
        let definition = Tool { name: name.clone(), description, parameters };
        self.registry.add(definition, CommandTool::new(entry.command))?;
        self.by_tool.insert(name, settings);
        Ok(())
    }
}

fn settings(entry: &Entry, defaults: &Limits) -> ToolSettings {
    let usual = ToolSettings::default();
    let timeout = entry.timeout.or(defaults.timeout);
    let retries = entry.retries.or(defaults.retries);
    let max_result = entry.max_result.or(defaults.max_result);
    ToolSettings {
        timeout: timeout.map_or(usual.timeout, |timeout| timeout.0),
        retries: retries.map_or(usual.retries, |retries| retries.0),
        max_result: max_result.map_or(usual.max_result, |size| size.0),
        cache: entry.cache.as_ref().map(cache),
        repeatable: entry.repeatable,
        ..usual
    }
}

fn cache(cache: &Cache) -> CacheSettings {
    let usual = CacheSettings::default();
    CacheSettings { ttl: cache.ttl.map_or(usual.ttl, |ttl| ttl.0), ..usual }
}

/// Whoever knows other kinds of tools is told which there are.
fn explain(message: String) -> String {
    let is_other = |kind: &&'static str| message.starts_with(&format!("unknown field `{kind}`"));
    match OTHER_KINDS.into_iter().find(is_other) {
        Some(kind) => format!("no tool can be of the kind {kind}; there is one kind: command"),
        None => message,
    }
}
