//! Checks that the documentation lists the pinned versions of the clients.

use std::fs;

use super::folder;

/// The name of each client in the documentation, the file that pins its version, and the text
/// before the version in that file.
const PINS: [(&str, &str, &str); 12] = [
    ("Python SDK", "tests/interop/python/requirements.txt", "\ndapr=="),
    ("Dapr Agents", "tests/interop/dapr_agents/requirements.txt", "\ndapr-agents=="),
    ("Go SDK", "tests/interop/go/go.mod", "github.com/dapr/go-sdk v"),
    ("JavaScript SDK", "tests/interop/javascript/package.json", "\"@dapr/dapr\": \""),
    ("Java SDK", "tests/interop/java/suite/pom.xml", "<dapr.version>"),
    ("Rust SDK", "tests/interop/rust_sdk/Cargo.toml", "dapr = { version = \"="),
    ("OpenAI's Python client", "tests/interop/openai/requirements.txt", "\nopenai=="),
    ("OpenAI's JavaScript client", "tests/interop/javascript/package.json", "\"openai\": \""),
    (
        "LangChain's OpenAI package",
        "tests/interop/langchain/requirements.txt",
        "\nlangchain-openai==",
    ),
    ("OpenAI Agents SDK", "tests/interop/openai_agents/requirements.txt", "\nopenai-agents=="),
    ("MCP Python SDK", "tests/interop/mcp/requirements.txt", "\nmcp=="),
    ("grpcurl", "tests/interop/toolchain.rs", "cmd/grpcurl@v"),
];

#[test]
fn documents_the_pinned_versions() {
    let read = |path| fs::read_to_string(folder(path)).unwrap();
    let page = read("docs/compatibility.md");
    for (client, file, before) in PINS {
        let text = read(file);
        let after = text.split(before).nth(1).unwrap();
        let end = after.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(after.len());
        let row = format!("| {client} | {} |", &after[..end]);
        assert!(page.contains(&row), "docs/compatibility.md has no {row:?}, but {file} pins it");
    }
}
