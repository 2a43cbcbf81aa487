//! The recorded exchanges of components.

use std::{
    collections::BTreeMap,
    fmt,
    fs::{self, DirEntry},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Deserialize;
use serde_json::Value;

use super::error::Error;
use crate::{
    base::diagnostics::Diagnostic,
    chat::{LazyJson, Request, Tool},
    cli::args::DiffArgs,
    component::{self, ComponentSpec, Context},
    provider::{
        Provider,
        scripted::{
            Rules, ScriptedSettings,
            recordings::{RecordedRule, TOOLS, file_name},
            rules::{Missed, RuleProvider, matching::request::RequestForm},
        },
    },
    tool_loop::OwnerMetrics,
    upstream::read_recording,
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
    let folder = &args.folder;
    let failed = |source| Error::Folder { path: folder.clone(), source };
    let files: Vec<_> = fs::read_dir(folder).and_then(Iterator::collect).map_err(failed)?;
    if !files.iter().any(|file: &DirEntry| file.path().extension().is_some_and(|it| it == "yaml")) {
        return Err(Error::Empty(folder.clone()));
    }
    let loaded = component::load(&args.resources_path, context);
    if !loaded.errors.is_empty() {
        return Err(Error::Invalid(loaded.errors));
    }
    let components = selected(&loaded.components, args.component.as_deref())?;
    let metrics = OwnerMetrics::new().map_err(|error| Error::Metrics(error.to_string()))?;
    let mut all = Vec::new();
    for spec in &components {
        all.extend(of_component(folder, spec, &metrics).map_err(Error::Invalid)?);
    }
    if all.is_empty() {
        let files = listed(components.iter().map(|spec| file_name(&spec.name)));
        return Err(Error::Nothing { folder: folder.clone(), files });
    }
    Ok(all)
}

/// Returns the component of a name, or all components.
fn selected<'c>(
    components: &'c [ComponentSpec],
    name: Option<&str>,
) -> Result<Vec<&'c ComponentSpec>, Error> {
    let is_selected = |spec: &&ComponentSpec| name.is_none_or(|name| name == spec.name);
    let selected: Vec<_> = components.iter().filter(is_selected).collect();
    match name {
        Some(name) if selected.is_empty() => {
            let known = listed(components.iter().map(|spec| spec.name.clone()));
            Err(Error::UnknownComponent { name: name.to_owned(), known })
        }
        _ => Ok(selected),
    }
}

fn listed(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn of_component(
    folder: &Path,
    spec: &ComponentSpec,
    metrics: &OwnerMetrics,
) -> Result<Vec<Asked>, Vec<Diagnostic>> {
    let Some((recording, rules)) = read_recording(folder, &spec.name)? else {
        return Ok(Vec::new());
    };
    let (file, mut rules) = (folder.join(file_name(&spec.name)), rules.apart());
    let model = spec.build_model(metrics, &Arc::default());
    let mut tools = Tools { folder: folder.join(TOOLS), known: BTreeMap::new() };
    let asked = |RecordedRule { name, request, answers, line }: RecordedRule<'_>| {
        // An earlier rule may have the same request.
        let rules = rules.remove(&line)?;
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
