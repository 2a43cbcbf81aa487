//! Finds the files of rules in folders.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

use mynah_core::base::{diagnostics::Diagnostic, files};

use super::{
    matching::request::{REQUESTS, TextFile},
    read::is_rules_text,
    rules_text::RulesText,
};

/// The extensions of the files in a folder that are read.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];
/// Maximum number of files.
const MAX_FILES: usize = 10_000;
/// Maximum size of all files in MiB.
const MAX_TOTAL_MIB: usize = 64;

/// The texts of rules in files and folders.
#[derive(Debug, Default)]
pub struct FoundRules {
    /// In the order in which the rules are tried.
    pub texts: Vec<RulesText>,
    /// The files, and the folders in which files may appear.
    pub watched: BTreeSet<PathBuf>,
    /// The files that are skipped.
    pub notices: Vec<Diagnostic>,
    /// The folders and files that cannot be read.
    pub errors: Vec<Diagnostic>,
    /// The resolved paths of what has been found, because links may lead to it again.
    seen: BTreeSet<PathBuf>,
    size: usize,
    /// Whether there is a file without room.
    is_full: bool,
}

impl FoundRules {
    /// Reads files and folders in order. The files of a folder come in the order of their names, and then
    /// its subfolders. Names that begin with a dot are skipped.
    pub fn read(paths: &[PathBuf]) -> Self {
        let mut found = Self::default();
        for path in paths {
            if path.is_dir() {
                found.named_folder(path);
            } else if let Some(text) = found.file(path) {
                found.texts.push(text);
            }
        }
        found
    }

    fn named_folder(&mut self, folder: &Path) {
        let before = self.texts.len() + self.errors.len();
        if self.folder(folder) && self.texts.len() + self.errors.len() == before {
            let message = "has no file of rules; expected .yaml, .yml or .json files with a list \
                           `rules`, `expect` or `fixtures`";
            self.errors.push(Diagnostic::error(message).in_file(folder));
        }
    }

    /// Returns `false` if the folder has been read before.
    fn folder(&mut self, folder: &Path) -> bool {
        self.watched.insert(folder.to_owned());
        if !self.is_new(folder) {
            return false;
        }
        match list(folder) {
            Ok((files, folders)) => {
                files.iter().for_each(|file| self.file_of_folder(file));
                for folder in &folders {
                    self.folder(folder);
                }
            }
            Err(error) => {
                let error = Diagnostic::error(format!("cannot be read: {error}"));
                self.errors.push(error.in_file(folder));
            }
        }
        true
    }

    fn file_of_folder(&mut self, file: &Path) {
        if is_long_text(file) {
            return;
        }
        let extension = file.extension().unwrap_or_default();
        if !EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)) {
            return self.skip(file, "not a .yaml, .yml or .json file");
        }
        let Some(text) = self.file(file) else { return };
        // A file without content may be one that is being written.
        if is_rules_text(&text.text) || text.text.trim().is_empty() {
            self.texts.push(text);
        } else {
            self.skip(file, "no list `rules`, `expect` or `fixtures`");
        }
    }

    fn skip(&mut self, file: &Path, reason: &str) {
        self.notices.push(Diagnostic::info(format!("skipped: {reason}")).in_file(file));
    }

    /// Reads a file, unless it has been read before.
    fn file(&mut self, file: &Path) -> Option<RulesText> {
        if self.is_full || !self.is_new(file) {
            return None;
        }
        self.watched.insert(file.to_owned());
        let text = files::read_regular(file).map_err(|error| self.errors.push(error)).ok()?;
        self.size += text.len();
        if self.texts.len() < MAX_FILES && self.size <= MAX_TOTAL_MIB << 20 {
            return Some(RulesText::of_file(file, text));
        }
        self.is_full = true;
        let max = format!("{MAX_FILES} files and {MAX_TOTAL_MIB} MiB");
        let error = Diagnostic::error(format!("too many rules; expected at most {max}"));
        self.errors.push(error.in_file(file));
        None
    }

    fn is_new(&mut self, path: &Path) -> bool {
        fs::canonicalize(path).map_or(true, |path| self.seen.insert(path))
    }
}

/// Returns `true` if a file has a long text of a recorded request.
fn is_long_text(file: &Path) -> bool {
    let name = file.file_name().and_then(OsStr::to_str);
    file.parent().is_some_and(|folder| folder.ends_with(REQUESTS))
        && name.is_some_and(TextFile::is_name)
}

/// Returns the files and the subfolders of a folder, both sorted by name.
fn list(folder: &Path) -> io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Kubernetes keeps the files of a volume in hidden folders, and links to them.
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths.into_iter().partition(|path| !path.is_dir()))
}
