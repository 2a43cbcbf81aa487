//! The rules of the design that no type can express, kept by reading the sources.

use std::{
    collections::BTreeSet,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

/// Where the project's own Rust is.
const FOLDERS: [&str; 4] = ["src", "tests", "benches", "bench/src"];
/// The longest that a file may be.
const MAX_LINES: usize = 400;

/// A source file, by its path from the root of the project.
struct Source {
    path: String,
    text: String,
}

/// A line that breaks a rule.
struct Breach {
    place: String,
    line: String,
}

/// Every Rust file of a folder and of those within it.
fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                sources.push(Source { path: name, text: fs::read_to_string(&path).unwrap() });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!sources.is_empty(), "{folder} has sources");
    sources
}

impl Source {
    fn is_within(&self, places: &[&str]) -> bool {
        places
            .iter()
            .any(|place| self.path == *place || self.path.starts_with(&format!("{place}/")))
    }

    /// The lines of code, with their numbers; comments may say what they like.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().zip(1..).map(|(line, number)| (number, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// The lines of code that `is_breach` names.
    fn breaches(&self, is_breach: impl Fn(&str) -> bool) -> Vec<Breach> {
        let lines = self.code().filter(|(_, line)| is_breach(line));
        let breach = |(number, line): (usize, &str)| Breach {
            place: format!("{}:{number}", self.path),
            line: line.trim().to_owned(),
        };
        lines.map(breach).collect()
    }
}

/// Whether a name stands in a line as a word of its own.
fn names(line: &str, name: &str) -> bool {
    followers(line, name).any(|after| !after.starts_with(is_of_a_name))
}

/// What follows a text wherever no longer name ends with it.
fn followers<'a>(line: &'a str, text: &'a str) -> impl Iterator<Item = &'a str> {
    line.match_indices(text)
        .filter(|(at, _)| !line[..*at].ends_with(is_of_a_name))
        .map(move |(at, _)| &line[at + text.len()..])
}

fn is_of_a_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// The name that a text begins with.
fn first_name(text: &str) -> &str {
    text.split(|char| !is_of_a_name(char)).next().unwrap_or_default()
}

fn no_breaches(rule: &str, breaches: &[Breach]) {
    let list = breaches.iter().fold(String::new(), |mut list, Breach { place, line }| {
        writeln!(list, "  {place}: {line}").unwrap();
        list
    });
    assert!(breaches.is_empty(), "{rule}:\n{list}");
}

/// Only one file may say any of the names, and it does.
fn only_one_file_names(file: &str, names_of_it: &[&str], rule: &str) {
    let is_breach = |line: &str| names_of_it.iter().any(|name| names(line, name));
    let (allowed, others): (Vec<_>, Vec<_>) =
        sources("src").into_iter().partition(|source| source.path == file);
    let used: usize = allowed.iter().map(|source| source.breaches(is_breach).len()).sum();
    assert!(used > 0, "{file} is the file that names {names_of_it:?}");
    let breaches: Vec<_> = others.iter().flat_map(|source| source.breaches(is_breach)).collect();
    no_breaches(rule, &breaches);
}

#[test]
fn the_domain_and_the_providers_know_no_transport() {
    let transports = ["tonic", "tonic_prost", "prost", "prost_types", "prost_reflect", "axum"];
    let is_breach = |line: &str| transports.iter().any(|name| names(line, name));
    for folder in ["src/chat", "src/provider"] {
        let breaches: Vec<_> = sources(folder).iter().flat_map(|s| s.breaches(is_breach)).collect();
        no_breaches("chat and provider know neither tonic nor prost nor axum", &breaches);
    }
    let wire = sources("src/wire").iter().flat_map(|s| s.breaches(is_breach)).count();
    assert!(wire > 0, "the search finds them where they are");
}

/// Elsewhere a code may only be told apart from others, or say that all went well.
#[test]
fn only_wire_maps_errors_to_codes() {
    const STATUS_WITHOUT_CODE: [&str; 3] = ["from", "from_header_map", "GRPC_STATUS"];
    let all = sources("src");
    let (wire, others): (Vec<_>, Vec<_>) = all.iter().partition(|s| s.is_within(&["src/wire"]));
    let is_success = |after: &str| matches!(first_name(after), "OK" | "NO_CONTENT");
    let http = |line: &str| followers(line, "StatusCode::").any(|after| !is_success(after));
    let grpc = |line: &str| followers(line, "Code::").any(|after| !after.contains("=>"));
    let status = |line: &str| {
        followers(line, "Status::").any(|after| !STATUS_WITHOUT_CODE.contains(&first_name(after)))
    };
    // Under another name nobody would find them.
    let renames = |line: &str| ["Code as ", "Status as "].iter().any(|alias| line.contains(alias));
    let maps = |line: &str| http(line) || grpc(line) || status(line) || renames(line);
    let breaches: Vec<_> = others.iter().flat_map(|source| source.breaches(maps)).collect();
    no_breaches("only src/wire maps errors to codes", &breaches);
    // gRPC codes are read in one place: where tonic's own refusals become daprd's.
    let reads = |line: &str| followers(line, "Code::").next().is_some();
    let readers: BTreeSet<_> =
        others.iter().filter(|s| !s.breaches(reads).is_empty()).map(|s| s.path.as_str()).collect();
    assert_eq!(readers, BTreeSet::from(["src/api/dapr/grpc/refusal.rs"]));
    let table: Vec<_> = wire.iter().flat_map(|s| s.breaches(grpc)).map(|b| b.place).collect();
    assert!(table.iter().all(|place| place.starts_with("src/wire/error.rs:")), "{table:?}");
    assert!(!table.is_empty(), "the search finds the table");
}

#[test]
fn one_file_reads_the_clock() {
    let clock = ["Instant", "SystemTime", "tokio::time", "thread::sleep", "chrono", "UNIX_EPOCH"];
    only_one_file_names(
        "src/base/clock.rs",
        &clock,
        "only src/base/clock.rs waits or reads the time",
    );
}

#[test]
fn one_file_names_the_yaml_crate() {
    let file = "src/base/yaml/parse.rs";
    only_one_file_names(file, &["serde_saphyr"], "only src/base/yaml/parse.rs reads YAML");
}

#[test]
fn one_file_names_the_json_schema_crate() {
    let file = "src/base/json_schema.rs";
    only_one_file_names(file, &["jsonschema"], "only src/base/json_schema.rs knows JSON Schema");
}

#[test]
fn one_file_names_the_crate_that_watches_files() {
    let file = "src/server/reload/watch.rs";
    only_one_file_names(file, &["notify"], "only src/server/reload/watch.rs watches files");
}

#[test]
fn one_file_reads_the_environment() {
    // clap's `env = "…"`, and what the standard library has.
    let reads = |line: &str| {
        let functions = ["var", "var_os", "vars", "vars_os", "set_var", "remove_var"];
        followers(line, "env::").any(|after| functions.contains(&first_name(after)))
            || followers(line, "env").any(|after| after.trim_start().starts_with("= "))
            || line.contains("dotenv")
    };
    let (reader, others): (Vec<_>, Vec<_>) =
        sources("src").into_iter().partition(|source| source.path == "src/base/environment.rs");
    assert!(reader.iter().any(|source| !source.breaches(reads).is_empty()), "the search finds it");
    let breaches: Vec<_> = others.iter().flat_map(|source| source.breaches(reads)).collect();
    no_breaches("only src/base/environment.rs reads the environment", &breaches);
}

#[test]
fn nothing_is_left_undone() {
    // Written apart, so that this file does not break its own rule.
    let marks = [
        concat!("to", "do!"),
        concat!("unimple", "mented!"),
        concat!("db", "g!"),
        concat!("#[ig", "nore"),
    ];
    let is_breach = |line: &str| marks.iter().any(|mark| line.contains(mark));
    for folder in FOLDERS {
        let breaches: Vec<_> = sources(folder).iter().flat_map(|s| s.breaches(is_breach)).collect();
        no_breaches("nothing is left undone", &breaches);
    }
}

#[test]
fn no_file_is_too_long_to_read() {
    for source in FOLDERS.into_iter().flat_map(sources) {
        let lines = source.text.lines().count();
        let Source { path, .. } = source;
        assert!(lines <= MAX_LINES, "{path}:{MAX_LINES}: {lines} lines, of {MAX_LINES} at most");
    }
}

/// A file that no module declares is neither compiled nor run, and nobody says so.
#[test]
fn every_file_is_part_of_the_program_or_of_its_tests() {
    for folder in ["src", "tests"] {
        let all = sources(folder);
        let roots =
            ["src/lib.rs", "src/main.rs", "tests/main.rs", "tests/interop/rust_sdk/src/lib.rs"];
        for Source { path, .. } in all.iter().filter(|s| !roots.contains(&s.path.as_str())) {
            let (parents, name) = parents_of(path);
            let declaration = format!("mod {name};");
            let declared =
                all.iter().filter(|source| parents.contains(&source.path)).any(|source| {
                    source.code().any(|(_, line)| line.trim_end().ends_with(&declaration))
                });
            assert!(declared, "{path}:1: no `{declaration}` in any of {parents:?}");
        }
    }
}

/// The files that may declare a module, and its name.
fn parents_of(path: &str) -> (Vec<String>, String) {
    let path = Path::new(path);
    let file =
        if path.ends_with("mod.rs") { path.parent().unwrap().to_owned() } else { path.into() };
    let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
    let folder: PathBuf = file.parent().unwrap().into();
    let files = [folder.join("mod.rs"), folder.with_extension("rs")];
    let roots = ["lib.rs", "main.rs"].map(|root| folder.join(root));
    let parents = files.into_iter().chain(roots);
    (parents.map(|parent| parent.to_str().unwrap().replace('\\', "/")).collect(), name)
}
