//! The program contains the files in `schemas/` instead of the code that generates them.

use std::{fs, path::Path};

use mynah::{
    internals::api::control::generate_openapi,
    provider::scripted::{chain_schema, faults, rules},
    simulate, tools,
};
use serde::Serialize;
use serde_json::{Serializer, Value, ser::PrettyFormatter};

/// Returns the text of a file: a line for each value, but no indentation, which the program would contain.
fn text(schema: &Value) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, PrettyFormatter::with_indent(b""));
    schema.serialize(&mut serializer).unwrap();
    text.push(b'\n');
    String::from_utf8(text).unwrap()
}

#[test]
fn files_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let stale: Vec<_> = [
        ("chain.json", chain_schema()),
        ("faults.json", faults::schema()),
        ("openapi.json", generate_openapi()),
        ("rules.json", rules::schema()),
        ("simulate.json", simulate::schema()),
        ("tools.json", tools::schema()),
    ]
    .into_iter()
    .map(|(name, schema)| (folder.join(name), text(&schema)))
    .filter(|(file, text)| fs::read_to_string(file).ok().as_ref() != Some(text))
    .collect();
    for (file, text) in &stale {
        fs::write(file, text).unwrap();
    }
    let files: Vec<_> = stale.iter().map(|(file, _)| file).collect();
    assert!(files.is_empty(), "stale files, which this test has updated: {files:?}");
}
