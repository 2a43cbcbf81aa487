//! Reads folders and files of Component YAML.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    ComponentSpec, Context, Level, Notice, Place, Problem, documents,
    files::{self, Unreadable},
    manifest::{self, Document, Manifest},
    report::{Remark, Report},
    spec, yaml,
};

/// What the paths hold.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The components that can serve, in the order of files and documents.
    pub components: Vec<ComponentSpec>,
    /// What is worth knowing, in the same order.
    pub notices: Vec<Notice>,
    /// What must be mended first, in the same order.
    pub problems: Vec<Problem>,
}

/// Loads every component of the folders and files, and finds every problem.
///
/// Of a folder, the `.yaml` and `.yml` files count, in the order of their names, but not those of
/// folders within it. A file may be named itself, whatever it is called.
///
/// ```
/// use mynah::component::{Context, load};
/// let loaded = load(&["components/echo.yaml".into()], &Context::default());
/// assert_eq!(loaded.components[0].name, "echo");
/// ```
pub fn load(paths: &[PathBuf], context: &Context) -> Loaded {
    let mut loader = Loader { context, names: BTreeMap::new(), loaded: Loaded::default() };
    for path in paths {
        if path.is_dir() {
            loader.folder(path);
        } else {
            loader.file(path);
        }
    }
    loader.loaded
}

struct Loader<'a> {
    context: &'a Context,
    /// Where each name was first taken.
    names: BTreeMap<String, (PathBuf, Place)>,
    loaded: Loaded,
}

impl Loader<'_> {
    fn folder(&mut self, folder: &Path) {
        match files::list(folder) {
            Ok(files) => files.iter().for_each(|file| self.folder_entry(file)),
            Err(error) => self.problem(folder, None, format!("cannot be read: {error}")),
        }
    }

    fn folder_entry(&mut self, file: &Path) {
        if files::is_yaml(file) {
            self.file(file);
        } else {
            self.notice(Level::Info, file, None, "passed over: not a .yaml or .yml file");
        }
    }

    fn file(&mut self, file: &Path) {
        let text = match files::read(file) {
            Ok(text) => text,
            Err(Unreadable { place, message }) => return self.problem(file, place, message),
        };
        for document in documents::split(&text) {
            let mut report = Report::default();
            match yaml::parse(document.text, document.first_line) {
                Ok(Some(tree)) => self.document(file, manifest::read(tree), &mut report),
                Ok(None) => {}
                Err(problem) => report.problems.push(problem),
            }
            self.keep(file, report);
        }
    }

    fn document(&mut self, file: &Path, document: Document, report: &mut Report) {
        match document {
            Document::Component(manifest) => self.component(file, &manifest, report),
            Document::Other(remark) => report.notices.push((Level::Info, remark)),
        }
    }

    fn component(&mut self, file: &Path, manifest: &Manifest, report: &mut Report) {
        let name = manifest.name.as_ref().map_or("without a name", |name| &name.text);
        if !spec::is_for(manifest, &self.context.app_id) {
            let message = format!("passed over: component {name} is for other applications");
            return report.notice(Level::Info, manifest.place, message);
        }
        let mut spec = None;
        if spec::is_other_block(manifest) {
            let kind = manifest.kind.as_ref().map_or("", |kind| &kind.text);
            let message = format!("passed over: component {name} is a {kind}");
            report.notice(Level::Info, manifest.place, message);
        } else {
            spec = spec::check(manifest, self.context, report);
            if manifest.ignore_errors {
                report.forgive(manifest.place, name);
            }
        }
        if self.claim(file, manifest, report) {
            self.loaded.components.extend(spec);
        }
    }

    /// Takes the name of a component, which nobody may have had: as in daprd, no other building
    /// block either.
    fn claim(&mut self, file: &Path, manifest: &Manifest, report: &mut Report) -> bool {
        let Some(name) = &manifest.name else { return false };
        if let Some((first, place)) = self.names.get(&name.text) {
            let first = first.display();
            let message = format!("component name {:?} is taken by {first}:{place}", name.text);
            report.problem(name.place, message);
            return false;
        }
        self.names.insert(name.text.clone(), (file.to_owned(), name.place));
        true
    }

    fn keep(&mut self, file: &Path, mut report: Report) {
        report.problems.sort();
        for Remark { place, message } in report.problems {
            self.problem(file, Some(place), message);
        }
        for (level, Remark { place, message }) in report.notices {
            self.notice(level, file, Some(place), message);
        }
    }

    fn problem(&mut self, file: &Path, place: Option<Place>, message: String) {
        self.loaded.problems.push(Problem { file: file.to_owned(), place, message });
    }

    fn notice(
        &mut self,
        level: Level,
        file: &Path,
        place: Option<Place>,
        message: impl Into<String>,
    ) {
        let (file, message) = (file.to_owned(), message.into());
        self.loaded.notices.push(Notice { level, file, place, message });
    }
}
