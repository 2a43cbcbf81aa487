//! Component YAML as written, before its meaning is checked.

mod resource;

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

pub(super) use self::resource::{
    Item, Located, Manifest, SecretKeyRef, Source, UNAPPLIED_POLICIES,
};

use self::resource::Resource;
use crate::{
    base::{diagnostics::Diagnostic, files, yaml},
    upstream::recording_text,
};

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
            Err(error) => return self.error(error, file),
        };
        if text.trim().is_empty() {
            self.entries.push(Entry::Empty(file.to_owned()));
        }
        for document in split(&text) {
            match yaml::parse(document.text, document.first_line) {
                Ok(Some(tree)) => self.resource(file, resource::read(tree)),
                Ok(None) => {}
                Err(error) => self.error(error, file),
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

    /// Adds an error, unless the file is a recording, which may be larger than a component.
    fn error(&mut self, error: Diagnostic, file: &Path) {
        let is_recording = recording_text(file).is_some();
        let skipped = || Diagnostic::info("skipped: a recording");
        self.diagnostic(if is_recording { skipped() } else { error }, file);
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

/// One document in a file.
#[derive(Debug, PartialEq, Eq)]
struct Document<'a> {
    /// The line of the file at which the text begins, counted from 1.
    first_line: usize,
    text: &'a str,
}

/// Returns all documents of a file, including empty ones.
///
/// A document ends at a line that begins with `---`. The rest of this line is dropped, as in daprd,
/// and so is a byte order mark at the start of the file.
fn split(file: &str) -> Vec<Document<'_>> {
    let mut rest = file.strip_prefix('\u{feff}').unwrap_or(file);
    let mut first_line = 1;
    let mut documents = Vec::new();
    while let Some((text, after)) = rest.split_once("\n---") {
        documents.push(Document { first_line, text });
        first_line += count_lines(text) + 2;
        rest = after.split_once('\n').map_or("", |(_dropped, next)| next);
    }
    documents.push(Document { first_line, text: rest });
    documents
}

fn count_lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(file: &str) -> Vec<(usize, &str)> {
        split(file).iter().map(|document| (document.first_line, document.text)).collect()
    }

    #[test]
    fn counts_the_first_line_of_each_document() {
        assert_eq!(parts("a: 1\nb: 2\n---\nc: 3\n"), [(1, "a: 1\nb: 2"), (4, "c: 3\n")]);
    }

    #[test]
    fn drops_the_rest_of_a_separator_line() {
        assert_eq!(parts("a\r\n--- # next\r\nb\r\n"), [(1, "a\r"), (3, "b\r\n")]);
    }

    #[test]
    fn accepts_separators_at_the_start_and_the_end() {
        assert_eq!(parts("\u{feff}---\na\n---"), [(1, "---\na"), (4, "")]);
        assert_eq!(parts("\n---\n---\na"), [(1, ""), (3, "---\na")]);
    }
}
