//! Checks a file and what it refers to.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use mynah_agent::{
    tool_loop::ToolRegistry,
    tools::{CheckedTools, LoadContext, Programs},
};
use mynah_core::base::{diagnostics::Diagnostic, environment::Environment, files};
use tokio::sync::OnceCell;

use super::report::Report;
use crate::{
    AdversarialTester, JudgeModel, Model, Models,
    file::{JudgeSource, ModelRef},
    recorded::{MAX_MIB, Recording, RecordingFormat, UNKNOWN_FORMAT},
};

/// Checks a file, and the components, recordings and tools that it refers to. Each of these files is
/// read once.
pub(crate) struct Checker<'a> {
    pub(super) report: Report<'a>,
    pub(crate) environment: Environment,
    /// The maximum real time for a message of a participant outside of this process.
    pub(crate) message_timeout: Duration,
    models: &'a mut dyn Models,
    /// The folder for the answers of sidecars.
    cache: Option<PathBuf>,
    /// The models that judge conversations or find intents, so far.
    pub(super) judges: Vec<Arc<dyn Model>>,
    components: BTreeMap<String, Arc<dyn Model>>,
    /// Whether all components are known.
    is_complete: bool,
    recordings: BTreeMap<PathBuf, Option<Arc<Recording>>>,
    tools: BTreeMap<PathBuf, Option<Arc<PlannedTools>>>,
}

impl<'a> Checker<'a> {
    /// Creates a checker that knows no components.
    pub(super) fn new(
        report: Report<'a>,
        environment: &Environment,
        models: &'a mut dyn Models,
        cache: Option<&Path>,
        message_timeout: Duration,
    ) -> Self {
        let cache = cache.map(|folder| report.path_of(folder));
        Self {
            report,
            environment: environment.recording(),
            message_timeout,
            models,
            cache,
            judges: Vec::new(),
            components: BTreeMap::new(),
            is_complete: false,
            recordings: BTreeMap::new(),
            tools: BTreeMap::new(),
        }
    }

    /// Loads the components. Without `paths`, there is one built-in component.
    pub(super) fn load_components(&mut self, paths: &[PathBuf]) {
        let paths: Vec<_> = paths.iter().map(|path| self.report.path_of(path)).collect();
        let loaded = self.models.components(&paths, &self.environment);
        (self.components, self.is_complete) = (loaded.models, loaded.errors.is_empty());
        self.report.warnings.extend(loaded.warnings);
        loaded.errors.into_iter().for_each(|error| self.report.add("resources", error));
        for file in loaded.files.iter().filter(|file| !file.is_dir()) {
            match files::read_regular(file) {
                Ok(text) => self.report.inputs.add_yaml(&text),
                // A component whose errors are ignored may have no file of tools.
                Err(error) => self.report.inputs.add(&error.message),
            }
        }
    }

    /// Adds an error about the value at a path such as `scenarios/0/customer`.
    pub(crate) fn error(&mut self, path: &str, message: impl Into<String>) {
        self.report.error(path, message);
    }

    /// Checks a model, whose keys are at a path in the file.
    pub(crate) fn model(&mut self, model: ModelRef, path: &str) -> Option<Arc<dyn Model>> {
        match model {
            ModelRef::Component(name) => {
                let found = self.components.get(&name).cloned();
                // An unknown component may be one that has errors.
                if found.is_none() && self.is_complete {
                    let message = unknown("component", &name, self.components.keys());
                    self.report.error(&format!("{path}/component"), message);
                }
                found
            }
            ModelRef::Sidecar(sidecar) => {
                let (address, component) = (sidecar.address, sidecar.component);
                let model =
                    self.models.sidecar(&address, component.as_deref(), self.cache.as_deref());
                let at = format!("{path}/sidecar/address");
                model.map_err(|error| self.report.error(&at, error)).ok()
            }
        }
    }

    /// Checks a model that judges conversations or finds intents, which is at a path in the file.
    pub(super) fn judge(
        &mut self,
        source: Option<JudgeSource>,
        path: &str,
    ) -> Option<PlannedJudge> {
        let JudgeSource { model, instructions } = source?;
        let model = self.model(model, path)?;
        self.judges.push(model.clone());
        Some(PlannedJudge { model, instructions, time_limit: self.message_timeout })
    }

    /// Returns the conversations in a file, which is named at a path in the file.
    pub(crate) fn recording(
        &mut self,
        named: &Path,
        format: Option<RecordingFormat>,
        path: &str,
    ) -> Option<Arc<Recording>> {
        let file = self.report.path_of(named);
        if let Some(read) = self.recordings.get(&file) {
            return read.clone();
        }
        let recording = self.read_recording(&file, format, path).map(Arc::new);
        self.recordings.insert(file, recording.clone());
        recording
    }

    fn read_recording(
        &mut self,
        file: &Path,
        format: Option<RecordingFormat>,
        path: &str,
    ) -> Option<Recording> {
        let Some(format) = format.or(RecordingFormat::of_file(file)) else {
            self.report.error(path, format!("{UNKNOWN_FORMAT}, or `format`"));
            return None;
        };
        let text = self.readable(files::read_large(file, MAX_MIB), path)?;
        self.report.inputs.add(&text);
        let recording = Recording::read(text, format);
        let recording = recording.map_err(|error| self.report.add(path, error.in_file(file)));
        let recording = recording.ok()?;
        recording.notices().iter().for_each(|it| tracing::warn!("{}: {it}", file.display()));
        Some(recording)
    }

    /// Returns the tools in a file, which is named at a path in the file.
    pub(crate) fn tools(&mut self, named: &Path, path: &str) -> Option<Arc<PlannedTools>> {
        let file = self.report.path_of(named);
        if let Some(read) = self.tools.get(&file) {
            return read.clone();
        }
        let planned = |checked| Arc::new(PlannedTools { checked, registry: OnceCell::new() });
        let tools = self.read_tools(&file, path).map(planned);
        self.tools.insert(file, tools.clone());
        tools
    }

    fn read_tools(&mut self, file: &Path, path: &str) -> Option<CheckedTools> {
        let text = self.readable(files::read_regular(file), path)?;
        self.report.inputs.add_yaml(&text);
        let context = LoadContext { references: &self.environment, programs: Programs::All };
        let tools = CheckedTools::read(&text, &context);
        let add = |error: Diagnostic| self.report.add(path, error.in_file(file));
        tools.map_err(|errors| errors.into_iter().for_each(add)).ok()
    }

    /// Reports that a file cannot be read, at the place that names it.
    fn readable(&mut self, text: Result<String, Diagnostic>, path: &str) -> Option<String> {
        let unreadable = |Diagnostic { file, message, .. }| {
            self.report.error(path, format!("{} {message}", file.display()));
        };
        text.map_err(unreadable).ok()
    }
}

/// Returns a message about an unknown name.
pub(super) fn unknown<'n>(
    kind: &str,
    name: &str,
    known: impl Iterator<Item = &'n String>,
) -> String {
    /// Maximum number of names that are listed.
    const MAX: usize = 10;
    let mut known: Vec<_> = known.map(String::as_str).collect();
    if known.is_empty() {
        return format!("unknown {kind} {name:?}; the file defines none");
    }
    if known.len() > MAX {
        known.truncate(MAX);
        known.push("…");
    }
    format!("unknown {kind} {name:?}; expected one of: {}", known.join(", "))
}

/// The tools in a file, which participants share.
pub(crate) struct PlannedTools {
    checked: CheckedTools,
    registry: OnceCell<ToolRegistry>,
}

impl PlannedTools {
    /// Connects their servers, unless they are connected. Fails with a message.
    pub(crate) async fn connect(&self) -> Result<(), String> {
        let connect = || self.checked.clone().connect();
        let connected = self.registry.get_or_try_init(connect).await;
        connected.map(drop).map_err(|error| format!("tools: {}", error.message))
    }

    /// Returns the connected tools.
    pub(crate) fn registry(&self) -> ToolRegistry {
        self.registry.get().cloned().unwrap_or_default()
    }
}

/// A model that judges conversations or finds intents.
pub(super) struct PlannedJudge {
    pub(super) model: Arc<dyn Model>,
    pub(super) instructions: Option<String>,
    pub(super) time_limit: Duration,
}

impl PlannedJudge {
    /// Returns the judge of a conversation, which shares no state with those of others.
    pub(super) fn build(&self, conversation_id: &str) -> JudgeModel {
        let judge = JudgeModel::new(self.model.provider()).session(conversation_id);
        let judge = judge.time_limit(self.time_limit).external(self.model.is_external());
        self.instructions.iter().fold(judge, JudgeModel::instructions)
    }

    /// Returns what tells simulated conversations from recorded ones.
    pub(super) fn adversarial_tester(&self) -> AdversarialTester {
        let model = self.model.clone();
        let tester = AdversarialTester::new(move || model.provider());
        let tester = tester.with_time_limit(self.time_limit);
        self.instructions.iter().fold(tester, AdversarialTester::with_instructions)
    }
}
