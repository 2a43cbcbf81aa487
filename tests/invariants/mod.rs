//! Checks design rules that types cannot express, by reading the sources.

mod helpers;
mod imports;
mod rooms;
mod schemas;
mod source;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use self::source::{Source, assert_none, has_word, identifier, sources, text_after};

/// The folders that contain the project's own Rust code.
const FOLDERS: [&str; 9] = [
    "src",
    "crates",
    "tests",
    "benches",
    "bench/src",
    "build",
    "examples",
    "fuzz/src",
    "fuzz/fuzz_targets",
];
/// The folders with the code of the product.
const PRODUCT: [&str; 2] = ["src", "crates"];
/// Maximum number of lines in a file.
const MAX_LINES: usize = 400;

/// Returns every Rust file of the product.
fn product() -> Vec<Source> {
    PRODUCT.into_iter().flat_map(sources).collect()
}

/// Asserts that this file contains one of the words and that no other file does.
fn assert_only_file_with(file: &str, words: &[&str]) {
    let is_match = |line: &str| words.iter().any(|word| has_word(line, word));
    let (allowed, others): (Vec<_>, Vec<_>) =
        product().into_iter().partition(|source| source.path == file);
    let uses: usize = allowed.iter().map(|source| source.violations(is_match).len()).sum();
    assert!(uses > 0, "{file} does not contain any of {words:?}");
    let violations: Vec<_> = others.iter().flat_map(|s| s.violations(is_match)).collect();
    assert_none(&format!("only {file} may use {words:?}"), &violations);
}

/// Other rooms may compare codes or report success.
#[test]
fn only_wire_maps_errors_to_codes() {
    const STATUS_WITHOUT_CODE: [&str; 3] = ["from", "from_header_map", "GRPC_STATUS"];
    let all = product();
    let (wire, others): (Vec<_>, Vec<_>) = all.iter().partition(|s| s.is_below("src/wire"));
    let is_success = |after: &str| matches!(identifier(after), "OK" | "NO_CONTENT");
    let http = |line: &str| text_after(line, "StatusCode::").any(|after| !is_success(after));
    let grpc = |line: &str| text_after(line, "Code::").any(|after| !after.contains("=>"));
    let status = |line: &str| {
        text_after(line, "Status::").any(|after| !STATUS_WITHOUT_CODE.contains(&identifier(after)))
    };
    // An alias would hide a code from this search.
    let alias = |line: &str| ["Code as ", "Status as "].iter().any(|alias| line.contains(alias));
    let maps = |line: &str| http(line) || grpc(line) || status(line) || alias(line);
    let violations: Vec<_> = others.iter().flat_map(|source| source.violations(maps)).collect();
    assert_none("only src/wire may map errors to codes", &violations);
    // Only one other file compares gRPC codes. It replaces tonic's messages with daprd's.
    let compares = |line: &str| text_after(line, "Code::").next().is_some();
    let comparing = others.iter().filter(|s| !s.violations(compares).is_empty());
    let comparing: BTreeSet<_> = comparing.map(|s| s.path.as_str()).collect();
    assert_eq!(comparing, BTreeSet::from(["src/api/grpc/refusal.rs"]));
    let table: Vec<_> = wire.iter().flat_map(|source| source.violations(grpc)).collect();
    assert!(!table.is_empty(), "the search does not find the table of codes");
    let elsewhere: Vec<_> =
        table.into_iter().filter(|line| !line.starts_with("src/wire/error/dapr.rs:")).collect();
    assert_none("only src/wire/error/dapr.rs may choose gRPC codes", &elsewhere);
}

#[test]
fn one_file_reads_the_clock() {
    let clock = ["Instant", "SystemTime", "tokio::time", "thread::sleep", "chrono", "UNIX_EPOCH"];
    assert_only_file_with("crates/core/src/base/clock.rs", &clock);
}

#[test]
fn one_file_uses_the_yaml_crate() {
    assert_only_file_with("crates/core/src/base/yaml/parse.rs", &["granit_parser"]);
}

#[test]
fn one_file_uses_the_json_schema_crate() {
    assert_only_file_with("crates/json-schema/src/lib.rs", &["jsonschema"]);
}

#[test]
fn one_file_uses_the_file_watching_crate() {
    assert_only_file_with("src/server/reload/watch.rs", &["notify"]);
}

#[test]
fn one_file_reads_the_environment() {
    const READER: &str = "crates/core/src/base/environment.rs";
    const FUNCTIONS: [&str; 6] = ["var", "var_os", "vars", "vars_os", "set_var", "remove_var"];
    // Functions in the standard library, clap's `env = "…"` and crates for .env files.
    let reads = |line: &str| {
        text_after(line, "env::").any(|after| FUNCTIONS.contains(&identifier(after)))
            || text_after(line, "env").any(|after| after.trim_start().starts_with("= "))
            || line.contains("dotenv")
    };
    let (reader, others): (Vec<_>, Vec<_>) =
        product().into_iter().partition(|source| source.path == READER);
    let finds_reader = reader.iter().any(|source| !source.violations(reads).is_empty());
    assert!(finds_reader, "{READER} does not read the environment");
    let violations: Vec<_> = others.iter().flat_map(|source| source.violations(reads)).collect();
    assert_none(&format!("only {READER} may read the environment"), &violations);
}

#[test]
fn no_code_is_unfinished() {
    // The marks are split so that this file does not contain them.
    let marks = [
        concat!("to", "do!"),
        concat!("unimple", "mented!"),
        concat!("db", "g!"),
        concat!("#[ig", "nore"),
    ];
    let is_match = |line: &str| marks.iter().any(|mark| line.contains(mark));
    let sources: Vec<_> = FOLDERS.into_iter().flat_map(sources).collect();
    let violations: Vec<_> = sources.iter().flat_map(|s| s.violations(is_match)).collect();
    assert_none("code must be finished", &violations);
}

#[test]
fn files_are_short() {
    for source in FOLDERS.into_iter().flat_map(sources) {
        let lines = source.text.lines().count();
        let Source { path, .. } = source;
        assert!(lines <= MAX_LINES, "{path}:{MAX_LINES}: {lines} lines, maximum {MAX_LINES}");
    }
}

/// The compiler does not notice a file that no module declares.
#[test]
fn every_file_is_declared_as_a_module() {
    for folder in ["src", "crates", "tests"] {
        let all = sources(folder);
        let is_root = |path: &str| path.ends_with("/lib.rs") || path.ends_with("/main.rs");
        for Source { path, .. } in all.iter().filter(|source| !is_root(&source.path)) {
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

/// Returns the files that may declare the module of a file, and the module's name.
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
