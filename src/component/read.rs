//! What the paths hold, before anything of it is checked.

use std::path::{Path, PathBuf};

use super::{
    Level, Notice, Place, Problem, documents,
    files::{self, Unreadable},
    manifest::{self, Document, Manifest},
    report::Remark,
    yaml,
};

/// Something that was found.
#[derive(Debug)]
pub(super) enum Entry {
    Component {
        file: PathBuf,
        manifest: Box<Manifest>,
    },
    Notice(Notice),
    Problem(Problem),
    /// A file with nothing but white space.
    Blank(PathBuf),
}

/// Everything that the folders and files hold, in their order.
pub(super) fn entries(paths: &[PathBuf]) -> Vec<Entry> {
    let mut entries = Entries(Vec::new());
    for path in paths {
        if path.is_dir() {
            entries.folder(path);
        } else {
            entries.file(path);
        }
    }
    entries.0
}

struct Entries(Vec<Entry>);

impl Entries {
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
            self.info(file, None, "passed over: not a .yaml or .yml file".to_owned());
        }
    }

    fn file(&mut self, file: &Path) {
        let text = match files::read(file) {
            Ok(text) => text,
            Err(Unreadable { place, message }) => return self.problem(file, place, message),
        };
        if text.trim().is_empty() {
            self.0.push(Entry::Blank(file.to_owned()));
        }
        for document in documents::split(&text) {
            match yaml::parse(document.text, document.first_line) {
                Ok(Some(tree)) => self.document(file, manifest::read(tree)),
                Ok(None) => {}
                Err(Remark { place, message }) => self.problem(file, Some(place), message),
            }
        }
    }

    fn document(&mut self, file: &Path, document: Document) {
        match document {
            Document::Component(manifest) => {
                self.0.push(Entry::Component { file: file.to_owned(), manifest });
            }
            Document::Other(Remark { place, message }) => self.info(file, Some(place), message),
        }
    }

    fn problem(&mut self, file: &Path, place: Option<Place>, message: String) {
        self.0.push(Entry::Problem(Problem { file: file.to_owned(), place, message }));
    }

    fn info(&mut self, file: &Path, place: Option<Place>, message: String) {
        let (level, file) = (Level::Info, file.to_owned());
        self.0.push(Entry::Notice(Notice { level, file, place, message }));
    }
}
