//! The recorded exchanges of components.

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Deserialize;
use serde_json::Value;

use super::error::Error;
use crate::{
    base::{
        diagnostics::{Diagnostic, Severity},
        files,
    },
    chat::{LazyJson, Request, Tool},
    cli::args::DiffArgs,
    component::{self, ComponentSpec, Context},
    provider::{
        Provider,
        scripted::{
            Rules, ScriptedSettings,
            recordings::{MAX_MIB, RecordedRule, Recording, TOOLS, file_name},
            rules::{Missed, RuleProvider, RulesText, matching::request::RequestForm},
        },
    },
    tool_loop::OwnerMetrics,
};

/// A recorded request, and what answers it.
pub(super) struct Asked {
    pub(super) component: String,
    /// The name of the exchange.
    pub(super) name: String,
    /// How many answers are recorded, one after the other.
    pub(super) answers: usize,
    /// The request, or the reason why it cannot be sent again.
    pub(super) request: Result<Arc<Request>, String>,
    /// Answers as recorded, unless other conditions than the request do not hold.
    pub(super) recorded: Arc<dyn Provider>,
    /// The real model.
    pub(super) model: Arc<dyn Provider>,
}

/// Returns the recorded exchanges in the order of the files.
pub(super) fn exchanges(args: &DiffArgs, context: &Context) -> Result<Vec<Asked>, Error> {
    let loaded = component::load(&args.resources_path, context);
    if !loaded.errors.is_empty() {
        // A variable that is not set is a warning, and a key that is missing for that the error.
        let warnings = loaded.notices.into_iter().filter(|it| it.severity == Severity::Warning);
        return Err(Error::Invalid(warnings.chain(loaded.errors).collect()));
    }
    let metrics = OwnerMetrics::new().map_err(|error| Error::Metrics(error.to_string()))?;
    let is_selected = |spec: &&ComponentSpec| {
        args.component.as_ref().is_none_or(|component| *component == spec.name)
    };
    let mut all = Vec::new();
    for spec in loaded.components.iter().filter(is_selected) {
        all.extend(of_component(&args.folder, spec, &metrics).map_err(Error::Invalid)?);
    }
    if all.is_empty() { Err(Error::Nothing(args.folder.clone())) } else { Ok(all) }
}

fn of_component(
    folder: &Path,
    spec: &ComponentSpec,
    metrics: &OwnerMetrics,
) -> Result<Vec<Asked>, Vec<Diagnostic>> {
    let file = folder.join(file_name(&spec.name));
    if !file.exists() {
        return Ok(Vec::new());
    }
    let text = files::read_large(&file, MAX_MIB).map_err(|error| vec![error])?;
    let recording = Recording::read(&text, &file)?;
    let rules = Rules::read_all(vec![RulesText::of_recording(&file, text)])?;
    let model = spec.build_model(metrics, &Arc::default());
    let mut tools = Tools { folder: folder.join(TOOLS), known: BTreeMap::new() };
    let asked = |RecordedRule { name, request, answers, line }: RecordedRule<'_>| {
        // An earlier rule may have the same request.
        let rules = rules.only(line)?;
        Some(Asked {
            component: spec.name.clone(),
            name: name.to_owned(),
            answers,
            request: tools.request(request).map(Arc::new),
            recorded: replay(&spec.name, rules.into(), &file),
            model: model.clone(),
        })
    };
    Ok(recording.exchanges().filter_map(asked).collect())
}

/// Returns what answers by rules.
fn replay(component: &str, rules: Arc<Rules>, file: &Path) -> Arc<dyn Provider> {
    let defaults = ScriptedSettings::default();
    let settings = ScriptedSettings { chains: false, allow_unoffered: true, ..defaults };
    let missed =
        Missed::new(component, settings.clone(), rules.clone(), file.display().to_string());
    Arc::new(RuleProvider::new(component, settings, rules, Arc::new(missed)))
}

/// The tools of the recorded requests.
struct Tools {
    folder: PathBuf,
    /// By hash.
    known: BTreeMap<String, Result<Tool, String>>,
}

/// A tool as it is stored.
#[derive(Deserialize)]
struct StoredTool {
    name: String,
    description: Option<String>,
    parameters: Option<Value>,
}

impl Tools {
    /// Returns the request with the tools that it offers.
    fn request(&mut self, form: &RequestForm) -> Result<Request, String> {
        let tools = form.tool_hashes().map(|hash| self.tool(hash)).collect::<Result<_, _>>()?;
        Ok(Request { tools, ..form.to_request() })
    }

    fn tool(&mut self, hash: &str) -> Result<Tool, String> {
        let folder = &self.folder;
        let known = self.known.entry(hash.to_owned());
        known.or_insert_with(|| read(&folder.join(format!("{hash}.json")))).clone()
    }
}

fn read(file: &Path) -> Result<Tool, String> {
    let failed = |error: &dyn fmt::Display| {
        format!("the tool in {} cannot be read: {error}; record the exchange again", file.display())
    };
    let text = fs::read(file).map_err(|error| failed(&error))?;
    let tool: StoredTool = serde_json::from_slice(&text).map_err(|error| failed(&error))?;
    let StoredTool { name, description, parameters } = tool;
    Ok(Tool { name, description, parameters: parameters.map(LazyJson::new) })
}
