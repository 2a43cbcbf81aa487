//! Reads and searches the project's Rust sources.

use std::{fs, path::Path};

/// A source file.
pub(super) struct Source {
    /// The path from the root of the project, with `/` between folders.
    pub(super) path: String,
    pub(super) text: String,
}

/// A line of code that breaks a rule, in the form `path:number: line`.
pub(super) type Violation = String;

/// Returns every Rust file below a folder, sorted by path.
pub(super) fn sources(folder: &str) -> Vec<Source> {
    files(folder, "rs")
}

/// Returns every file below a folder whose name has this extension, sorted by path.
pub(super) fn files(folder: &str, extension: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                sources.push(Source { path: name, text: fs::read_to_string(&path).unwrap() });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!sources.is_empty(), "{folder} has no sources");
    sources
}

impl Source {
    pub(super) fn is_below(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns the lines that are not comments, with their numbers.
    pub(super) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().zip(1..).map(|(line, number)| (number, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// Returns the lines of code for which `is_violation` is true.
    pub(super) fn violations(&self, is_violation: impl Fn(&str) -> bool) -> Vec<Violation> {
        let lines = self.code().filter(|(_, line)| is_violation(line));
        lines.map(|(number, line)| format!("{}:{number}: {}", self.path, line.trim())).collect()
    }
}

/// Fails if a rule has violations, and lists them.
pub(super) fn assert_none(rule: &str, violations: &[Violation]) {
    assert!(violations.is_empty(), "{rule}:\n  {}", violations.join("\n  "));
}

/// Returns `true` if `line` contains `word`, but not as part of a longer identifier.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    text_after(line, word).any(|after| !after.starts_with(is_identifier))
}

/// Returns the text after each occurrence of `prefix`, except where `prefix` continues an
/// identifier.
pub(super) fn text_after<'a>(line: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    line.match_indices(prefix)
        .filter(|(start, _)| !line[..*start].ends_with(is_identifier))
        .map(move |(start, _)| &line[start + prefix.len()..])
}

/// Returns the identifier at the start of a text.
pub(super) fn identifier(text: &str) -> &str {
    text.split(|char| !is_identifier(char)).next().unwrap_or_default()
}

fn is_identifier(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}
