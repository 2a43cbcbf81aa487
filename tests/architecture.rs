//! The invariants of ARCHITECTURE.md that can be read off the sources.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A line of a source file that is no comment.
struct Line {
    file: String,
    code: String,
}

impl Line {
    /// Whether the line names the crate or module: `tonic` is not in `tonic_health`.
    fn names(&self, name: &str) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        self.code.match_indices(name).any(|(at, _)| {
            let (before, after) = (&self.code[..at], &self.code[at + name.len()..]);
            !before.ends_with(is_part) && !after.starts_with(is_part)
        })
    }
}

#[test]
fn conversations_and_providers_know_no_transport() {
    let inner = |file: &str| ["src/chat/", "src/provider/"].iter().any(|f| file.starts_with(f));
    for line in sources().iter().filter(|line| inner(&line.file)) {
        for name in ["tonic", "prost", "prost_types", "prost_reflect", "axum", "hyper"] {
            assert!(!line.names(name), "{} names {name}: {}", line.file, line.code);
        }
    }
}

#[test]
fn errors_get_their_codes_in_one_table() {
    // What tonic refused by itself is recognised there, by its code.
    let reads_codes = "src/grpc/refusal.rs";
    for line in sources() {
        if line.file.starts_with("src/wire/") || line.file == reads_codes {
            continue;
        }
        for name in ["Code", "Status::new"] {
            assert!(!line.names(name), "{} makes a status: {}", line.file, line.code);
        }
        let mut codes = line.code.split("StatusCode::").skip(1);
        assert!(
            codes.all(|code| code.starts_with("NO_CONTENT")),
            "{} makes a status: {}",
            line.file,
            line.code
        );
    }
}

#[test]
fn some_crates_are_known_to_one_file() {
    for (names, home) in [
        (["serde_saphyr", "granit_parser"].as_slice(), "src/component/yaml.rs"),
        (&["jsonschema"], "src/json_schema.rs"),
        (&["SystemTime", "Instant", "tokio::time"], "src/clock.rs"),
    ] {
        let named = |line: &&Line| names.iter().any(|name| line.names(name));
        let lines = sources();
        let mut files: Vec<_> = lines.iter().filter(named).map(|line| &line.file).collect();
        files.dedup();
        assert_eq!(files, [home], "{names:?}");
    }
}

fn sources() -> Vec<Line> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut lines = Vec::new();
    for file in files(&root.join("src")) {
        let name = file.strip_prefix(root).expect("a file of the project").display().to_string();
        let text = fs::read_to_string(&file).expect("a source");
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        lines.extend(code.map(|code| Line { file: name.clone(), code: code.to_owned() }));
    }
    lines
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                let is_source = path.extension().is_some_and(|extension| extension == "rs");
                Vec::from_iter(is_source.then_some(path))
            }
        })
        .collect()
}
