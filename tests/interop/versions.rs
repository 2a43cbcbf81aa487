//! The versions of the clients, which the README names.

use std::fs;

use super::folder;

/// Where versions are pinned: the client's name in the README, the file, and what precedes the
/// version there.
const PINS: [(&str, &str, &str); 7] = [
    ("Python SDK", "tests/interop/python/requirements.txt", "\ndapr=="),
    ("Dapr Agents", "tests/interop/dapr_agents/requirements.txt", "\ndapr-agents=="),
    ("Go SDK", "tests/interop/go/go.mod", "github.com/dapr/go-sdk v"),
    ("JavaScript SDK", "tests/interop/javascript/package.json", "\"@dapr/dapr\": \""),
    ("Java SDK", "tests/interop/java/suite/pom.xml", "<dapr.version>"),
    ("Rust SDK", "tests/interop/rust_sdk/Cargo.toml", "dapr = { version = \"="),
    ("grpcurl", "tests/interop/toolchain.rs", "cmd/grpcurl@v"),
];

#[test]
fn the_readme_names_the_versions() {
    let read = |path| fs::read_to_string(folder(path)).expect("a file");
    let readme = read("README.md");
    for (client, file, before) in PINS {
        let text = read(file);
        let after = text.split(before).nth(1).expect("a pinned version");
        let end = after.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(after.len());
        let row = format!("| {client} | {} |", &after[..end]);
        assert!(readme.contains(&row), "README.md has no {row:?}, which {file} pins");
    }
}
