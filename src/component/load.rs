//! Loads components from folders and files.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    path::{Path, PathBuf},
    sync::Arc,
};

use futures_util::future::join_all;

use super::{
    check::check,
    context::Context,
    daprd,
    fallback::{self, Broken, Candidate, Reference},
    filter, kinds,
    manifest::{Entry, Manifest, UNAPPLIED_POLICIES, read_paths},
    report::Report,
    rules::{self, LoadedRules},
    settings::{
        Access, Metadata,
        secrets::{self, SecretStores},
    },
    spec::ComponentSpec,
};
use crate::{
    base::diagnostics::{Diagnostic, Place, Severity},
    provider::scripted::Rules,
};

/// The result of loading components.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The components without errors, in the order of files and documents.
    pub components: Vec<ComponentSpec>,
    /// The number of components with errors, even if these are ignored.
    pub invalid: usize,
    /// Warnings and informational messages, in the same order.
    pub notices: Vec<Diagnostic>,
    /// Errors, in the same order. If there are errors, the components must not be served.
    pub errors: Vec<Diagnostic>,
    /// The files that define at least one component.
    pub component_files: BTreeSet<PathBuf>,
    /// The files with at least one Component resource, which may be skipped or have errors.
    pub resource_files: BTreeSet<PathBuf>,
    /// The other files that were read: the tools and the rules of components. Also the folders of rules.
    pub watched_files: BTreeSet<PathBuf>,
    /// The files that are empty or contain only whitespace.
    pub empty_files: BTreeSet<PathBuf>,
}

/// Loads all components from folders and files, and finds all errors.
///
/// Without any path, there is one built-in component. Reads the `.yaml` and `.yml` files of a folder in name order, but not those of its subfolders. A
/// file passed explicitly may have any extension. Every component can use all secret stores,
/// whatever the order of the files.
///
/// ```
/// use mynah::internals::component::{Context, load};
/// let loaded = load(&["components/echo.yaml".into()], &Context::default());
/// assert_eq!(loaded.components[0].name, "echo");
/// ```
pub fn load(paths: &[PathBuf], context: &Context) -> Loaded {
    let entries = read_paths(paths);
    let manifests = entries.iter().filter_map(|entry| match entry {
        Entry::Component { manifest, .. } => Some(manifest.as_ref()),
        Entry::Diagnostic(_) | Entry::Empty(_) => None,
    });
    let mut loaded = Loaded::default();
    let LoadedRules { rules: shared_rules, notices, errors, watched, .. } =
        rules::load_shared(context);
    loaded.notices = notices;
    loaded.errors = errors;
    loaded.watched_files = watched;
    if paths.is_empty() {
        let has_strict_history = context.has_strict_history;
        let built_in = kinds::built_in_with(shared_rules.clone(), context);
        loaded.components.push(ComponentSpec { has_strict_history, ..built_in });
        loaded.add_components_of_daprd(context, shared_rules.as_ref(), &BTreeSet::new());
        loaded.warn_of_unknown_components(context);
        return loaded;
    }
    let mut loader = Loader {
        context,
        stores: &SecretStores::new(manifests, context),
        shared_rules,
        names: BTreeMap::new(),
        candidates: Vec::new(),
        broken: Vec::new(),
        checked: 0,
        loaded,
    };
    entries.iter().for_each(|entry| loader.add(entry));
    loader.finish()
}

struct Loader<'a> {
    context: &'a Context,
    stores: &'a SecretStores<'a>,
    shared_rules: Option<Arc<Rules>>,
    /// The file and place of each name's first use.
    names: BTreeMap<String, (PathBuf, Place)>,
    /// The components so far.
    candidates: Vec<Candidate>,
    /// The components with errors so far.
    broken: Vec<Broken>,
    /// The number of components so far, also of those with errors.
    checked: usize,
    /// Everything else so far.
    loaded: Loaded,
}

impl Loader<'_> {
    fn add(&mut self, entry: &Entry) {
        match entry {
            Entry::Component { file, manifest } => {
                self.loaded.resource_files.insert(file.clone());
                let mut report = Report::default();
                self.add_component(file, manifest, &mut report);
                self.loaded.watched_files.extend(report.other_files.iter().cloned());
                report.finish(file).for_each(|diagnostic| self.loaded.add(diagnostic));
            }
            Entry::Diagnostic(diagnostic) => self.loaded.add(diagnostic.clone()),
            Entry::Empty(file) => drop(self.loaded.empty_files.insert(file.clone())),
        }
    }

    fn finish(mut self) -> Loaded {
        let (components, diagnostics) = fallback::resolve(&self.candidates, &self.broken);
        self.loaded.invalid = self.checked - components.len();
        self.loaded.components = components;
        if self.candidates.is_empty() {
            // Without components, nobody misses the policies.
            let policies = |notice: &&mut Diagnostic| notice.message == UNAPPLIED_POLICIES;
            let policies = self.loaded.notices.iter_mut().filter(policies);
            policies.for_each(|notice| notice.severity = Severity::Info);
        }
        let names = self.names.keys().map(String::as_str).collect();
        self.loaded.add_components_of_daprd(self.context, self.shared_rules.as_ref(), &names);
        let unused_rules = self.unused_rules();
        self.loaded.notices.extend(unused_rules);
        diagnostics.into_iter().for_each(|diagnostic| self.loaded.add(diagnostic));
        self.loaded.warn_of_unknown_components(self.context);
        self.loaded
    }

    /// Returns warnings if no component uses the shared rules.
    fn unused_rules(&self) -> Vec<Diagnostic> {
        let Some(shared) = &self.shared_rules else { return Vec::new() };
        let uses =
            |spec: &ComponentSpec| spec.provider.rules().is_some_and(|own| own.includes(shared));
        let is_used = self.loaded.components.iter().any(uses);
        let message = "no component uses these rules; they apply to stand-ins, to the built-in \
                       component and to components of type conversation.scripted without rules of \
                       their own";
        let unused = self.context.rules.iter().filter(|_| !is_used);
        unused.map(|path| Diagnostic::warning(message).in_file(path)).collect()
    }

    fn add_component(&mut self, file: &Path, manifest: &Manifest, report: &mut Report) {
        if let Some(diagnostic) = filter::skip_reason(manifest, self.context) {
            return report.add(diagnostic);
        }
        let candidate = if filter::is_other_building_block(manifest) {
            skip_other_building_block(manifest, report);
            None
        } else {
            self.checked += 1;
            self.check(file, manifest, report)
        };
        if self.claim_name(file, manifest, report)
            && let Some(candidate) = candidate
        {
            self.loaded.component_files.insert(file.to_owned());
            self.candidates.push(candidate);
        }
    }

    fn check(
        &mut self,
        file: &Path,
        manifest: &Manifest,
        report: &mut Report,
    ) -> Option<Candidate> {
        let metadata = Metadata {
            manifest,
            context: self.context,
            secrets: self.stores,
            file,
            folder: file.parent().unwrap_or(Path::new("")),
            access: Access::All,
            shared_rules: self.shared_rules.as_ref(),
        };
        let (spec, fallback) = check(&metadata, report);
        let ignore_errors = manifest.ignore_errors;
        let spec = spec.filter(|_| !(ignore_errors && report.has_errors()));
        if ignore_errors {
            report.downgrade_errors(manifest.place, manifest.title());
        }
        let fallback =
            fallback.map(|component| Reference { component, file: file.to_owned(), ignore_errors });
        if let Some(spec) = spec {
            return Some(Candidate { spec, fallback });
        }
        if let Some(name) = manifest.name.as_ref().filter(|_| !ignore_errors) {
            self.broken.push(Broken { name: name.text.clone(), fallback });
        }
        None
    }

    /// Claims the name of a component. As in daprd, names are unique across all building blocks.
    fn claim_name(&mut self, file: &Path, manifest: &Manifest, report: &mut Report) -> bool {
        let Some(name) = &manifest.name else { return false };
        // Without an application id, scopes are not applied, so two components with the same name
        // may be meant for different applications. That is not an error.
        if self.context.app_id.is_empty() && !manifest.scopes.is_empty() {
            return true;
        }
        if let Some((first, place)) = self.names.get(&name.text) {
            let first = first.display();
            let message =
                format!("duplicate component name {:?}; first used at {first}:{place}", name.text);
            report.error(name.place, message);
            return false;
        }
        self.names.insert(name.text.clone(), (file.to_owned(), name.place));
        true
    }
}

fn skip_other_building_block(manifest: &Manifest, report: &mut Report) {
    if !secrets::is_supported(manifest) {
        let (title, kind) = (manifest.title(), manifest.kind_text());
        let message =
            format!("skipped: component {title} has type {kind}, which is not a conversation type");
        report.info(manifest.place, message);
    }
}

impl Loaded {
    /// Returns `true` if a component follows rules or instruction chains.
    pub(crate) fn follow_scripts(&self) -> bool {
        self.components.iter().any(ComponentSpec::follows_scripts)
    }

    /// Adds the components that daprd has listed, except those with the names of others.
    fn add_components_of_daprd(
        &mut self,
        context: &Context,
        shared_rules: Option<&Arc<Rules>>,
        names: &BTreeSet<&str>,
    ) {
        let Some(models) = context.real_models.as_ref().filter(|_| context.daprd().is_some())
        else {
            return;
        };
        for listed in context.daprd_components.all() {
            let has_name = |spec: &ComponentSpec| spec.name == listed.name;
            if names.contains(&*listed.name) || self.components.iter().any(has_name) {
                continue;
            }
            let mut report = Report::default();
            let spec = daprd::spec(listed, models, context, shared_rules, &mut report);
            self.watched_files.extend(report.other_files.iter().cloned());
            report.finish(Path::new("")).for_each(|diagnostic| self.add(diagnostic));
            self.components.extend(spec);
        }
    }

    /// Adds warnings about rules for components that do not exist, unless daprd may have them.
    fn warn_of_unknown_components(&mut self, context: &Context) {
        if context.daprd().is_some() {
            return;
        }
        let rules = self.components.iter().filter_map(|spec| spec.provider.rules());
        let warnings: BTreeSet<_> =
            rules.flat_map(|rules| self.unknown_components(rules)).collect();
        self.notices.extend(warnings);
    }

    /// Returns a warning for each rule that is for a component that does not exist. Without components,
    /// or if some have errors, all may exist.
    pub(crate) fn unknown_components(&self, rules: &Rules) -> Vec<Diagnostic> {
        if self.components.is_empty() || !self.errors.is_empty() {
            return Vec::new();
        }
        let names: Vec<_> = self.components.iter().map(|spec| &*spec.name).collect();
        rules.unknown_components(&names)
    }

    /// Connects the servers whose tools the components own, all at the same time. Tools that are the
    /// same in `before` keep their connections. Failures are added to the errors.
    pub(crate) async fn connect(&mut self, before: &[ComponentSpec]) {
        let before: BTreeMap<_, _> = before.iter().map(|spec| (&spec.name, spec)).collect();
        let connecting = self.components.iter().map(|spec| {
            if let Some(old) = before.get(&spec.name) {
                spec.share_connections(old);
            }
            spec.connect()
        });
        let connected = join_all(connecting).await;
        let needed: BTreeSet<_> = self
            .components
            .iter()
            .filter_map(|spec| Some(spec.fallback.as_ref()?.name.clone()))
            .collect();
        for (spec, connected) in mem::take(&mut self.components).into_iter().zip(connected) {
            match connected {
                // Other components cannot do without a component that they fall back to.
                Err(error) if spec.ignores_errors() && !needed.contains(&spec.name) => {
                    self.notices.push(skipped(error));
                }
                connected => {
                    self.errors.extend(connected.err());
                    self.components.push(spec);
                }
            }
        }
    }

    fn add(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        if is_error { &mut self.errors } else { &mut self.notices }.push(diagnostic);
    }
}

/// Returns the warning that a component is skipped because of an error in its tools.
fn skipped(error: Diagnostic) -> Diagnostic {
    let message = format!("skipped (spec.ignoreErrors): {}", error.message);
    Diagnostic { message, severity: Severity::Warning, ..error }
}
