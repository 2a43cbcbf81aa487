//! The components, recordings and tools that a file refers to.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::report::Report;
use crate::{
    base::{diagnostics::Diagnostic, environment::Environment, files},
    simulate::{
        Components, Model, Models,
        file::{RecordingFormat, SidecarSource},
        recorded::{MAX_MIB, Recording, UNKNOWN_FORMAT},
    },
    tools::{CheckedTools, LoadContext, Programs},
};

/// The components, recordings and tools that a file refers to. Each file is read once.
pub(super) struct Resources<'a> {
    environment: &'a Environment,
    models: &'a mut dyn Models,
    /// The folder for the answers of sidecars.
    cache: Option<PathBuf>,
    message_timeout: Duration,
    components: BTreeMap<String, Arc<dyn Model>>,
    /// Whether all components are known.
    is_complete: bool,
    recordings: BTreeMap<PathBuf, Option<Arc<Recording>>>,
    tools: BTreeMap<PathBuf, Option<Arc<CheckedTools>>>,
}

impl<'a> Resources<'a> {
    /// Loads the components. Without `paths`, there is one built-in component.
    pub(super) fn load(
        paths: &[PathBuf],
        environment: &'a Environment,
        models: &'a mut dyn Models,
        cache: Option<PathBuf>,
        message_timeout: Duration,
        report: &mut Report<'_>,
    ) -> Self {
        let paths: Vec<_> = paths.iter().map(|path| report.path_of(path)).collect();
        let loaded = models.components(&paths, environment);
        let (components, is_complete) = (loaded.models.clone(), loaded.errors.is_empty());
        add_components(loaded, report);
        Self {
            environment,
            models,
            cache,
            message_timeout,
            components,
            is_complete,
            recordings: BTreeMap::new(),
            tools: BTreeMap::new(),
        }
    }

    /// Returns the maximum real time for a message of a participant outside of this process.
    pub(super) fn message_timeout(&self) -> Duration {
        self.message_timeout
    }

    pub(super) fn environment(&self) -> &Environment {
        self.environment
    }

    /// Returns a component of a sidecar. Fails with a message.
    pub(super) fn sidecar(&mut self, source: &SidecarSource) -> Result<Arc<dyn Model>, String> {
        let SidecarSource { address, component } = source;
        self.models.sidecar(address, component.as_deref(), self.cache.as_deref())
    }

    /// Returns a component, whose name is at a path in the file.
    pub(super) fn component(
        &self,
        name: &str,
        path: &str,
        report: &mut Report<'_>,
    ) -> Option<Arc<dyn Model>> {
        let found = self.components.get(name).cloned();
        // An unknown component may be one that has errors.
        if found.is_none() && self.is_complete {
            report.error(path, unknown("component", name, self.components.keys()));
        }
        found
    }

    /// Returns the conversations in a file, which is named at a path in the file.
    pub(super) fn recording(
        &mut self,
        named: &Path,
        format: Option<RecordingFormat>,
        path: &str,
        report: &mut Report<'_>,
    ) -> Option<Arc<Recording>> {
        let file = report.path_of(named);
        if let Some(read) = self.recordings.get(&file) {
            return read.clone();
        }
        let recording = read_recording(&file, format, path, report).map(Arc::new);
        self.recordings.insert(file, recording.clone());
        recording
    }

    /// Returns the tools in a file, which is named at a path in the file.
    pub(super) fn tools(
        &mut self,
        named: &Path,
        path: &str,
        report: &mut Report<'_>,
    ) -> Option<Arc<CheckedTools>> {
        let file = report.path_of(named);
        if let Some(read) = self.tools.get(&file) {
            return read.clone();
        }
        let tools = self.read_tools(&file, path, report).map(Arc::new);
        self.tools.insert(file, tools.clone());
        tools
    }

    fn read_tools(&self, file: &Path, path: &str, report: &mut Report<'_>) -> Option<CheckedTools> {
        let text = read_text(file, path, report)?;
        report.inputs.add_programs(&text);
        let context = LoadContext { references: self.environment, programs: Programs::All };
        let tools = CheckedTools::read(&text, &context);
        tools.map_err(|errors| in_file(errors, file, path, report)).ok()
    }
}

/// Reports the errors in components, and adds the files that they depend on.
fn add_components(loaded: Components, report: &mut Report<'_>) {
    report.warnings.extend(loaded.warnings);
    loaded.errors.into_iter().for_each(|error| report.add("resources", error));
    for file in loaded.files.iter().filter(|file| !file.is_dir()) {
        match files::read_regular(file) {
            Ok(text) => {
                report.inputs.add(&text);
                report.inputs.add_programs(&text);
            }
            // A component whose errors are ignored may have no file of tools.
            Err(error) => report.inputs.add(&error.message),
        }
    }
}

fn read_recording(
    file: &Path,
    format: Option<RecordingFormat>,
    path: &str,
    report: &mut Report<'_>,
) -> Option<Recording> {
    let Some(format) = format.or(RecordingFormat::of_file(file)) else {
        report.error(path, format!("{UNKNOWN_FORMAT}, or `format`"));
        return None;
    };
    let text = match files::read_large(file, MAX_MIB) {
        Ok(text) => text,
        Err(error) => return unreadable(error, path, report),
    };
    report.inputs.add(&text);
    let recording = Recording::read(text, format);
    let recording = recording.map_err(|error| in_file(vec![error], file, path, report)).ok()?;
    recording.notices().iter().for_each(|it| tracing::warn!("{}: {it}", file.display()));
    Some(recording)
}

fn read_text(file: &Path, path: &str, report: &mut Report<'_>) -> Option<String> {
    match files::read_regular(file) {
        Ok(text) => {
            report.inputs.add(&text);
            Some(text)
        }
        Err(error) => unreadable(error, path, report),
    }
}

/// Reports that a file cannot be read, at the place that names it.
fn unreadable<T>(error: Diagnostic, path: &str, report: &mut Report<'_>) -> Option<T> {
    let Diagnostic { file, message, .. } = error;
    report.error(path, format!("{} {message}", file.display()));
    None
}

fn in_file(errors: Vec<Diagnostic>, file: &Path, path: &str, report: &mut Report<'_>) {
    errors.into_iter().for_each(|error| report.add(path, error.in_file(file)));
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
