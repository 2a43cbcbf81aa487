//! Reads folders and files of Component YAML.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::{
    ComponentSpec, Context,
    fallback::{self, Reference},
    filter,
    manifest::Manifest,
    read::{self, Entry},
    report::Report,
    secrets::{self, SecretStores},
    spec,
};
use crate::base::diagnostics::{Diagnostic, Place, Severity};

/// What the paths hold.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The components that can serve, in the order of files and documents.
    pub components: Vec<ComponentSpec>,
    /// Warnings and notices, in the same order.
    pub notices: Vec<Diagnostic>,
    /// Errors, in the same order. With any of them the components must not serve.
    pub errors: Vec<Diagnostic>,
    /// The files of the components.
    pub component_files: BTreeSet<PathBuf>,
    /// The files that are empty or hold only white space.
    pub empty_files: BTreeSet<PathBuf>,
}

/// Loads every component of the folders and files, and finds every problem.
///
/// Of a folder, the `.yaml` and `.yml` files count, in the order of their names, but not those of
/// folders within it. A file may be named itself, whatever it is called. Secret stores are known to
/// all components, wherever they stand.
///
/// ```
/// use mynah::component::{Context, load};
/// let loaded = load(&["components/echo.yaml".into()], &Context::default());
/// assert_eq!(loaded.components[0].name, "echo");
/// ```
pub fn load(paths: &[PathBuf], context: &Context) -> Loaded {
    let entries = read::entries(paths);
    let manifests = entries.iter().filter_map(|entry| match entry {
        Entry::Component { manifest, .. } => Some(manifest.as_ref()),
        Entry::Diagnostic(_) | Entry::Empty(_) => None,
    });
    let stores = SecretStores::new(manifests, context);
    let (names, references, loaded) = (BTreeMap::new(), Vec::new(), Loaded::default());
    let mut loader = Loader { context, stores: &stores, names, references, loaded };
    for entry in &entries {
        match entry {
            Entry::Component { file, manifest } => loader.document(file, manifest),
            Entry::Diagnostic(diagnostic) => loader.loaded.add(diagnostic.clone()),
            Entry::Empty(file) => drop(loader.loaded.empty_files.insert(file.clone())),
        }
    }
    let Loader { mut loaded, references, .. } = loader;
    fallback::resolve(&mut loaded, references);
    loaded
}

impl Loaded {
    fn add(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        if is_error { &mut self.errors } else { &mut self.notices }.push(diagnostic);
    }
}

struct Loader<'a> {
    context: &'a Context,
    stores: &'a SecretStores<'a>,
    /// Where each name was first taken.
    names: BTreeMap<String, (PathBuf, Place)>,
    /// Which components name others, to be resolved in the end.
    references: Vec<Reference>,
    loaded: Loaded,
}

impl Loader<'_> {
    fn document(&mut self, file: &Path, manifest: &Manifest) {
        let mut report = Report::default();
        self.component(file, manifest, &mut report);
        report.finish(file).for_each(|diagnostic| self.loaded.add(diagnostic));
    }

    fn component(&mut self, file: &Path, manifest: &Manifest, report: &mut Report) {
        if let Some(message) = filter::passed_over(manifest, self.context) {
            return report.info(manifest.place, message);
        }
        let mut spec = None;
        if filter::is_other_block(manifest) {
            other_block(manifest, report);
        } else {
            spec = spec::check(manifest, self.context, self.stores, report);
            if manifest.ignore_errors {
                report.downgrade_errors(manifest.place, manifest.title());
            }
        }
        if self.claim(file, manifest, report)
            && let Some(spec) = spec
        {
            self.refer(file, manifest, &spec, report);
            self.loaded.component_files.insert(file.to_owned());
            self.loaded.components.push(spec);
        }
    }

    fn refer(&mut self, file: &Path, manifest: &Manifest, spec: &ComponentSpec, report: &Report) {
        if let Some(place) = report.fallback {
            let (from, file) = (spec.name.clone(), file.to_owned());
            let ignore_errors = manifest.ignore_errors;
            self.references.push(Reference { from, file, place, ignore_errors });
        }
    }

    /// Takes the name of a component, which nobody may have had: as in daprd, no other building
    /// block either.
    fn claim(&mut self, file: &Path, manifest: &Manifest, report: &mut Report) -> bool {
        let Some(name) = &manifest.name else { return false };
        // Those of two applications may never meet.
        if self.context.app_id.is_empty() && !manifest.scopes.is_empty() {
            return true;
        }
        if let Some((first, place)) = self.names.get(&name.text) {
            let first = first.display();
            let message = format!("component name {:?} is taken by {first}:{place}", name.text);
            report.error(name.place, message);
            return false;
        }
        self.names.insert(name.text.clone(), (file.to_owned(), name.place));
        true
    }
}

fn other_block(manifest: &Manifest, report: &mut Report) {
    if !secrets::is_readable(manifest) {
        let kind = manifest.kind.as_ref().map_or("", |kind| &kind.text);
        let message = format!("passed over: component {} is a {kind}", manifest.title());
        report.info(manifest.place, message);
    }
}
