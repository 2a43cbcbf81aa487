//! Checks the size of the test helpers, which leave to mynah what all of them need.

use super::source::{Source, files};

/// A helper: its folder, the extension of its files, what its comments begin with, and the maximum number
/// of lines of code.
const HELPERS: [(&str, &str, &[&str], usize); 4] = [
    ("python/src", "py", &["#"], 600),
    ("go/mynahtest", "go", &["//"], 600),
    ("js/lib", "cjs", &["//", "/*", "* ", "*/"], 600),
    ("java/src/main", "java", &["//", "/*", "* ", "*/", "*"], 600),
];

#[test]
fn helpers_are_small() {
    for (folder, extension, comments, max) in HELPERS {
        let files = files(folder, extension);
        let files = files.iter().filter(|file| !file.path.contains("_test."));
        let lines: usize = files.map(|file| lines_of_code(file, comments)).sum();
        assert!(lines <= max, "{folder}: {lines} lines of code, maximum {max}");
    }
}

/// Returns the number of lines that are not blank, comments or docstrings.
fn lines_of_code(file: &Source, comments: &[&str]) -> usize {
    const QUOTES: &str = "\"\"\"";
    let (mut code, mut in_docstring) = (0, false);
    for line in file.text.lines().map(str::trim) {
        if in_docstring {
            in_docstring = !line.ends_with(QUOTES);
        } else if line.starts_with(QUOTES) {
            in_docstring = line.len() == QUOTES.len() || !line.ends_with(QUOTES);
        } else if !line.is_empty() && !comments.iter().any(|start| line.starts_with(start)) {
            code += 1;
        }
    }
    code
}
