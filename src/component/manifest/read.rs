//! Reads all documents in folders and files.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    documents,
    resource::{self, Manifest, Resource},
};
use crate::base::{diagnostics::Diagnostic, files, yaml};

/// One thing found in the folders and files: a component, a diagnostic or an empty file.
#[derive(Debug)]
pub(crate) enum Entry {
    Component {
        file: PathBuf,
        manifest: Box<Manifest>,
    },
    Diagnostic(Diagnostic),
    /// A file that is empty or contains only whitespace.
    Empty(PathBuf),
}

/// Returns everything found in the folders and files, in order.
pub(crate) fn read_paths(paths: &[PathBuf]) -> Vec<Entry> {
    let mut entries = Entries::default();
    for path in paths {
        if path.is_dir() {
            entries.folder(path);
        } else {
            entries.file(path);
        }
    }
    entries.entries
}

#[derive(Default)]
struct Entries {
    entries: Vec<Entry>,
    /// The files that were read. A file that is in several of the paths is read once.
    files: BTreeSet<PathBuf>,
}

impl Entries {
    fn folder(&mut self, folder: &Path) {
        match list(folder) {
            Ok(files) => files.iter().for_each(|file| self.folder_entry(file)),
            Err(error) => {
                let message = format!("cannot be read: {error}");
                self.diagnostic(Diagnostic::error(message), folder);
            }
        }
    }

    fn folder_entry(&mut self, file: &Path) {
        if is_yaml(file) {
            self.file(file);
        } else {
            let message = "skipped: not a .yaml or .yml file";
            self.diagnostic(Diagnostic::info(message), file);
        }
    }

    fn file(&mut self, file: &Path) {
        if !self.files.insert(file.canonicalize().unwrap_or_else(|_| file.to_owned())) {
            return;
        }
        let text = match files::read_regular(file) {
            Ok(text) => text,
            Err(error) => return self.entries.push(Entry::Diagnostic(error)),
        };
        if text.trim().is_empty() {
            self.entries.push(Entry::Empty(file.to_owned()));
        }
        for document in documents::split(&text) {
            match yaml::parse(document.text, document.first_line) {
                Ok(Some(tree)) => self.resource(file, resource::read(tree)),
                Ok(None) => {}
                Err(error) => self.diagnostic(error, file),
            }
        }
    }

    fn resource(&mut self, file: &Path, resource: Resource) {
        match resource {
            Resource::Component(manifest) => {
                self.entries.push(Entry::Component { file: file.to_owned(), manifest });
            }
            Resource::Other(info) => self.diagnostic(info, file),
        }
    }

    fn diagnostic(&mut self, diagnostic: Diagnostic, file: &Path) {
        self.entries.push(Entry::Diagnostic(diagnostic.in_file(file)));
    }
}

/// Returns the files in a folder, sorted by name.
fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if !path.is_dir() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Returns `true` if the file has a YAML extension.
fn is_yaml(file: &Path) -> bool {
    let extension = file.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("yaml") || extension.eq_ignore_ascii_case("yml")
}
