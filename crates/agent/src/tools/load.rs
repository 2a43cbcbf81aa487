//! Converts a file to tools and their settings.

use std::{borrow::Cow, future::ready, iter, path::Path, sync::Arc};

use futures_util::{FutureExt, future::join_all};
use mynah_core::base::{
    diagnostics::{Diagnostic, Place},
    environment::Environment,
    files, yaml,
};
use serde_json::Value;

use super::{
    file::{Action, Cache, Entry, Kind, Limits, StaticAnswer, ToolsFile},
    http::{Allowed, HttpTool, References},
    mcp::{CheckedSource, RunnableTool, connect},
    process::CommandTool,
};
use crate::tool_loop::{
    CacheSettings, RegistryError, RunTool, ToolContext, ToolError, ToolFuture, ToolRegistry,
    ToolSettings,
};

/// Loads tools, with their settings, from a YAML or JSON file. Run `mynah schema tools` for the file
/// format.
///
/// Commands run only when their tools are called, but MCP servers are started. They belong to the
/// runtime of the caller and end with it or with the tools. Relative paths in commands are resolved
/// against the working directory of this process.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = mynah_agent::tools::load("../../examples/tools.yaml".as_ref()).await?;
/// // The file and the program can both have tools.
/// let schema = serde_json::json!({"type": "object"});
/// registry.register_with_schema("ping", "Replies", schema, |_: serde_json::Value| "pong")?;
/// assert_eq!(registry.tools().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), [
///     "get_weather", "count_words", "get_time", "ping",
/// ]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Fails if the file cannot be read or is invalid, or if an MCP server cannot be used. The error is
/// the first problem in the file, with its position if it is known.
pub async fn load(file: &Path) -> Result<ToolRegistry, Diagnostic> {
    load_with(file, &Environment::read()).await
}

/// Loads tools like [`load`]. Headers of requests may refer to the variables of `environment`.
pub async fn load_with(file: &Path, environment: &Environment) -> Result<ToolRegistry, Diagnostic> {
    let context = LoadContext { references: environment, programs: Programs::All };
    let tools = CheckedTools::read(&files::read(file)?, &context);
    let tools = tools.map_err(|mut errors| errors.remove(0).in_file(file))?;
    tools.connect().await.map_err(|error| error.in_file(file))
}

/// Checks the tools of a file. Starts nothing. Headers of requests may refer to the variables of
/// `environment`.
///
/// # Errors
///
/// Fails with all errors in the file, or if it cannot be read.
pub fn check_file(file: &Path, environment: &Environment) -> Result<(), Vec<Diagnostic>> {
    let text = files::read_regular(file).map_err(|error| vec![error])?;
    let context = LoadContext { references: environment, programs: Programs::All };
    let in_file = |errors: Vec<Diagnostic>| errors.into_iter().map(|it| it.in_file(file)).collect();
    CheckedTools::read(&text, &context).map(drop).map_err(in_file)
}

/// What the tools of a file may use.
#[derive(Clone, Copy)]
pub struct LoadContext<'a> {
    /// The values that headers refer to.
    pub references: &'a dyn References,
    /// The programs that may be started.
    pub programs: Programs,
}

/// The programs that the tools of a file may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Programs {
    /// Commands and MCP servers.
    All,
    /// MCP servers.
    Servers,
    /// None.
    Forbidden,
}

/// The tools of a valid file. Its MCP servers are not connected yet.
#[derive(Clone)]
pub struct CheckedTools(Vec<CheckedEntry>);

#[derive(Clone)]
struct CheckedEntry {
    place: Place,
    settings: ToolSettings,
    kind: CheckedKind,
}

#[derive(Clone)]
enum CheckedKind {
    Tool(RunnableTool),
    Server(CheckedSource),
}

impl CheckedTools {
    /// Reads and checks the text of a file. Starts nothing.
    ///
    /// Fails with at least one error. Errors have no file.
    pub fn read(text: &str, context: &LoadContext<'_>) -> Result<Self, Vec<Diagnostic>> {
        let ToolsFile { defaults, allow, tools, .. } = yaml::from_str(text)?;
        let (mut checked, mut errors) = (Vec::new(), Vec::new());
        // Checks the names and the schemas.
        let mut registry = ToolRegistry::new();
        for (entry, place) in tools.into_iter().zip(places(text)) {
            let settings = tool_settings(&entry, &defaults);
            let entry = check(entry.kind, allow.as_deref(), context)
                .map(|kind| CheckedEntry { place, settings, kind })
                .and_then(|entry| entry.add_to(&mut registry).map(|()| entry));
            match entry {
                Ok(entry) => checked.push(entry),
                Err(error) => errors.push(Diagnostic::error(error).at(place)),
            }
        }
        if errors.is_empty() { Ok(Self(checked)) } else { Err(errors) }
    }

    /// Returns the tools, or `None` if servers must be [connected](Self::connect).
    pub fn without_servers(&self) -> Option<ToolRegistry> {
        let mut registry = ToolRegistry::new();
        self.0.iter().try_for_each(|entry| match &entry.kind {
            CheckedKind::Tool(_) => entry.add_to(&mut registry).ok(),
            CheckedKind::Server(_) => None,
        })?;
        Some(registry)
    }

    /// Starts all MCP servers at the same time and returns the tools in the order of the file.
    pub async fn connect(self) -> Result<ToolRegistry, Diagnostic> {
        let has_servers = self.without_servers().is_none();
        let mut registry = ToolRegistry::new();
        for (place, connected) in join_all(self.0.into_iter().map(CheckedEntry::connect)).await {
            let at_entry = |error: String| Diagnostic::error(error).at(place);
            let (settings, tools) = connected.map_err(at_entry)?;
            for tool in tools {
                let added = add(&mut registry, tool, &settings).map_err(|error| match error {
                    RegistryError::DuplicateName(_) if has_servers => {
                        format!("{error}; set `prefix` to rename the tools of an MCP server")
                    }
                    error => error.to_string(),
                });
                added.map_err(at_entry)?;
            }
        }
        Ok(registry)
    }
}

impl CheckedEntry {
    /// Adds the tool, unless it belongs to a server.
    fn add_to(&self, registry: &mut ToolRegistry) -> Result<(), String> {
        let CheckedKind::Tool(tool) = &self.kind else { return Ok(()) };
        add(registry, tool.clone(), &self.settings).map_err(|error| error.to_string())
    }

    async fn connect(self) -> (Place, Result<(ToolSettings, Vec<RunnableTool>), String>) {
        let tools = match self.kind {
            CheckedKind::Tool(tool) => Ok(vec![tool]),
            CheckedKind::Server(source) => connect(source).await,
        };
        (self.place, tools.map(|tools| (self.settings, tools)))
    }
}

fn add(
    registry: &mut ToolRegistry,
    (tool, run): RunnableTool,
    settings: &ToolSettings,
) -> Result<(), RegistryError> {
    registry.add(tool, run)?.with_settings(settings.clone());
    Ok(())
}

/// Returns the places of the tools in a file. Repeats the last one for ever.
fn places(text: &str) -> impl Iterator<Item = Place> {
    let tree = yaml::parse_own(text).ok().flatten();
    let mut places = Vec::new();
    if let Some(tools) = tree.as_ref().and_then(|tree| tree.root.field("tools"))
        && let yaml::Value::List(nodes) = &tools.value
    {
        places.extend(nodes.iter().map(|node| node.place));
    }
    let last = places.last().copied().unwrap_or(Place { line: 1, column: 1 });
    places.into_iter().chain(iter::repeat(last))
}

fn check(
    kind: Kind,
    allow: Option<&[Allowed]>,
    context: &LoadContext<'_>,
) -> Result<CheckedKind, String> {
    let (definition, action) = match kind {
        Kind::Tool(definition, action) => (definition, action),
        Kind::Server(server) => {
            if server.is_program() && context.programs == Programs::Forbidden {
                return Err(
                    "an instance can start MCP servers only with --component-files; use a \
                            server with a url"
                        .to_owned(),
                );
            }
            let server = server.check(allow, context.references);
            let server = server.map_err(|error| format!("the MCP server: {error}"))?;
            return Ok(CheckedKind::Server(server));
        }
    };
    let run = runner(action, allow, context);
    let run = run.map_err(|error| format!("the tool {:?}: {error}", definition.name))?;
    Ok(CheckedKind::Tool((definition, run)))
}

fn runner(
    action: Action,
    allow: Option<&[Allowed]>,
    context: &LoadContext<'_>,
) -> Result<Arc<dyn RunTool>, String> {
    Ok(match action {
        Action::Command(_) if context.programs != Programs::All => {
            let others = "use static, http or mcp";
            return Err(format!("only mynah converse runs commands; {others}"));
        }
        Action::Command(argv) => Arc::new(CommandTool(argv)),
        Action::Http(request) => Arc::new(HttpTool::new(request, allow, context.references)?),
        Action::Static(answers) => Arc::new(StaticTool(answers)),
    })
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
        // An error of a static tool is an answer.
        breaker: if entry.is_static() { None } else { default.breaker },
        ..default
    }
}

fn cache_settings(cache: &Cache) -> CacheSettings {
    let default = CacheSettings::default();
    CacheSettings { ttl: cache.ttl.map_or(default.ttl, |ttl| ttl.0), ..default }
}

#[derive(Debug)]
struct StaticTool(Vec<StaticAnswer>);

impl RunTool for StaticTool {
    /// Returns the first answer whose conditions hold.
    fn run(&self, arguments: Value, _: ToolContext) -> ToolFuture<'_> {
        let answer = self.0.iter().find(|answer| answer.matches(&arguments));
        ready(match answer.map(|answer| &answer.answer) {
            Some(Ok(result)) => Ok(result.clone()),
            Some(Err(error)) => Err(ToolError::refused(error)),
            None => Err(ToolError::refused("no static result matches the arguments")),
        })
        .boxed()
    }
}

impl StaticAnswer {
    fn matches(&self, arguments: &Value) -> bool {
        self.conditions.iter().all(|(name, condition)| {
            arguments.get(name).is_some_and(|argument| condition.holds(&text(argument)))
        })
    }
}

fn text(argument: &Value) -> Cow<'_, str> {
    match argument {
        Value::String(text) => text.into(),
        other => other.to_string().into(),
    }
}
