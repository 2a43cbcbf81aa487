//! `mynah schema`.

use insta::assert_snapshot;

use super::ran;
use crate::support::process::run;

#[test]
fn the_schema_of_a_chain() {
    let ended = run(&["schema", "chain"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let schema: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["title"], "Instruction chain");
}

#[test]
fn the_schema_of_a_file_of_tools() {
    let ended = run(&["schema", "tools"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let schema: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["title"], "Tools");
}

#[test]
fn an_unknown_schema() {
    assert_snapshot!(ran(&["schema", "nope"]), @"
    -- stderr
    error: invalid value 'nope' for '<WHAT>'
      [possible values: chain, tools]

    For more information, try '--help'.
    -- exit 64
    ");
}
