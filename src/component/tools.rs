//! The tools that a component owns.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    fmt,
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};

use super::{
    report::Report,
    settings::{Access, Metadata, ResolvedValue, SecretError, variable},
};
use crate::{
    base::{diagnostics::Diagnostic, files},
    provider::Provider,
    tool_loop::{
        LoopSettings, OwnerMetrics, SettingsError, ToolLoop, ToolMemory, ToolMetrics, ToolOwner,
        ToolRegistry,
    },
    tools::{CheckedTools, LoadContext, Programs, References},
};

/// Maximum number of tool calls in a request.
const MAX_CALLS: u32 = 256;
/// Maximum size of all texts, arguments and results of a request in bytes.
const MAX_BYTES: usize = 16 << 20;
/// Maximum duration of a request. The client may set a shorter deadline.
const MAX_DURATION: Duration = Duration::from_secs(10 * 60);
/// Default and maximum of the number of requests that are remembered.
const TOOL_MEMORY: usize = 1_000;
const MAX_TOOL_MEMORY: usize = 1_000_000;

/// The tools that a component owns, and the limits of the loop that runs them.
#[derive(Clone)]
pub struct ToolsSpec {
    /// `None` if the text is written in the metadata.
    file: Option<PathBuf>,
    text: String,
    /// The values that it refers to.
    values: Vec<String>,
    checked: CheckedTools,
    /// The tools, once all servers are connected. Clones share them.
    registry: Arc<OnceLock<ToolRegistry>>,
    max_turns: u32,
    /// The number of requests whose unseen calls are remembered.
    memory: usize,
    /// Whether the component is skipped if a server cannot be used.
    pub(super) ignore_errors: bool,
}

impl ToolsSpec {
    /// Reads the tools of a component, if it has any.
    pub(super) fn read(metadata: &Metadata<'_>, report: &mut Report) -> Option<Self> {
        let max_turns = metadata.parse("maxTurns", parse_turns, report);
        let memory = metadata.parse("toolMemory", parse_memory, report);
        let Some(file) = metadata.value("tools", report) else {
            if max_turns.is_some() || memory.is_some() {
                let place = metadata.manifest.place;
                report.warning(place, "maxTurns and toolMemory have no effect without tools");
            }
            return None;
        };
        let (path, text) = source(&file, metadata, report)?;
        let references = ComponentReferences { metadata, used: RefCell::default() };
        let programs = match metadata.access {
            Access::All | Access::Folder(_) => Programs::Servers,
            Access::Nothing => Programs::Forbidden,
        };
        let context = LoadContext { references: &references, programs };
        let checked = CheckedTools::read(&text, &context).map_err(|errors| {
            errors.into_iter().for_each(|error| match &path {
                Some(path) => report.add(error.in_file(path)),
                None => report.error(file.place, within_value(&error)),
            });
        });
        let checked = checked.ok()?;
        let registry = OnceLock::new();
        if let Some(tools) = checked.without_servers() {
            let _ = registry.set(tools);
        }
        let max_turns = max_turns.unwrap_or(LoopSettings::default().max_turns);
        let (registry, memory) = (registry.into(), memory.unwrap_or(TOOL_MEMORY));
        let values = references.used.into_inner();
        let ignore_errors = metadata.manifest.ignore_errors;
        Some(Self { file: path, text, values, checked, registry, max_turns, memory, ignore_errors })
    }

    /// Uses the connections of other tools if they are the same.
    pub(super) fn share_connections(&self, other: &Self) {
        if let Some(tools) = other.registry.get()
            && (&self.file, &self.text, &self.values) == (&other.file, &other.text, &other.values)
        {
            let _ = self.registry.set(tools.clone());
        }
    }

    /// Connects the servers, unless they are connected.
    pub(crate) async fn connect(&self) -> Result<(), Diagnostic> {
        if self.registry.get().is_none() {
            let tools = self.checked.clone().connect().await;
            let tools = tools.map_err(|error| match &self.file {
                Some(file) => error.in_file(file),
                None => Diagnostic::error(within_value(&error)),
            })?;
            let _ = self.registry.set(tools);
        }
        Ok(())
    }

    /// Returns the size in bytes of the file, if there is one.
    pub(super) fn file_size(&self) -> usize {
        self.file.as_ref().map_or(0, |_| self.text.len())
    }

    /// Returns the names of the tools.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let tools = self.registry.get().into_iter().flat_map(ToolRegistry::tools);
        tools.map(|tool| tool.name.clone()).collect()
    }

    /// Returns a provider that answers like `model`, the model of a component, and runs the tools.
    #[expect(
        clippy::expect_used,
        reason = "reading the file has checked the settings of the tools"
    )]
    pub(super) fn give_to(
        &self,
        model: Arc<dyn Provider>,
        component: &str,
        metrics: &OwnerMetrics,
    ) -> ToolOwner {
        let memory = ToolMemory::new(self.memory, metrics.dropped(component));
        let tools = self.tool_loop(metrics.tools(component)).expect("valid settings");
        ToolOwner::new(model, tools, memory)
    }

    fn tool_loop(&self, metrics: ToolMetrics) -> Result<ToolLoop, SettingsError> {
        let (registry, settings) = self.own_loop();
        ToolLoop::with_metrics(registry, settings, metrics)
    }

    /// Returns the connected tools and the limits of the loop that runs them.
    pub(crate) fn own_loop(&self) -> (ToolRegistry, LoopSettings) {
        let settings = LoopSettings {
            max_turns: self.max_turns,
            max_calls: Some(MAX_CALLS),
            max_bytes: MAX_BYTES,
            model_timeout: MAX_DURATION,
            wall_clock: MAX_DURATION,
            ..LoopSettings::default()
        };
        (self.registry.get().cloned().unwrap_or_default(), settings)
    }
}

// The tools are made of the text and the values that it refers to.
impl PartialEq for ToolsSpec {
    fn eq(&self, other: &Self) -> bool {
        let Self { file, text, values, max_turns, ignore_errors, memory, .. } = self;
        *file == other.file
            && *text == other.text
            && *values == other.values
            && *max_turns == other.max_turns
            && *ignore_errors == other.ignore_errors
            && *memory == other.memory
    }
}

impl Eq for ToolsSpec {}

impl fmt::Debug for ToolsSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolsSpec").field(&self.file).finish()
    }
}

/// What a component may refer to, and the values that were used.
struct ComponentReferences<'a> {
    metadata: &'a Metadata<'a>,
    used: RefCell<Vec<String>>,
}

impl ComponentReferences<'_> {
    fn used(&self, value: Result<String, String>) -> Result<String, String> {
        self.used.borrow_mut().extend(value.clone());
        value
    }
}

impl References for ComponentReferences<'_> {
    fn variable(&self, name: &str) -> Result<String, String> {
        self.used(variable(&self.metadata.context.environment, name).map(str::to_owned))
    }

    fn secret(&self, name: &str, key: &str) -> Result<String, String> {
        let store = self.metadata.manifest.secret_store.as_ref();
        let value = self.metadata.secrets.secret(store, name, key);
        self.used(value.map_err(|error| match error {
            SecretError::Missing(error) | SecretError::NoStore(error) => error,
        }))
    }
}

/// Returns the file of the tools and its content. The value of `tools` is the path, which starts at the
/// folder of the component's file, or, if it has a line break, the content itself.
fn source(
    value: &ResolvedValue,
    metadata: &Metadata<'_>,
    report: &mut Report,
) -> Option<(Option<PathBuf>, String)> {
    if value.text.contains('\n') {
        return Some((None, value.text.clone()));
    }
    let refused = |reason| report.error(value.place, format!("tools: {} {reason}", value.shown()));
    let path = metadata.access.path(metadata.folder, &value.text).map_err(refused).ok()?;
    report.depends_on(&path);
    let unreadable = |error: Diagnostic| {
        // Messages do not show a path that comes from the environment or a secret.
        let message = match metadata.literal("tools") {
            Some(_) => format!("tools: the tools file {} {}", path.display(), error.message),
            None => format!(
                "tools: {} has one line, so it is the path of a tools file, which {}",
                value.shown(),
                error.message
            ),
        };
        report.error(value.place, message);
    };
    let text = files::read_regular(&path).map_err(unreadable).ok()?;
    Some((Some(path), text))
}

/// Returns an error in a text that is written in the metadata.
fn within_value(error: &Diagnostic) -> String {
    let place = error.place.map_or_else(String::new, |place| format!("line {}: ", place.line));
    format!("tools: {place}{}", error.message)
}

fn parse_turns(text: &str) -> Result<u32, String> {
    let turns = text.parse().ok().filter(|turns| (1..=50).contains(turns));
    turns.ok_or_else(|| format!("{text:?} is not a valid number of turns; use 1 to 50"))
}

fn parse_memory(text: &str) -> Result<usize, String> {
    let requests = text.parse().ok().filter(|requests| (1..=MAX_TOOL_MEMORY).contains(requests));
    requests.ok_or_else(|| {
        format!("{text:?} is not a valid number of requests; use 1 to {MAX_TOOL_MEMORY}")
    })
}
