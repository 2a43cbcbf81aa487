//! `mynah schema`.

use insta::assert_snapshot;

use super::ran;
use crate::support::process::run;

#[test]
fn each_schema_says_what_it_is_of() {
    for (what, title) in [("chain", "Instruction chain"), ("tools", "Tools")] {
        let ended = run(&["schema", what]);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{what}");
        let schema: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{what}");
        assert_eq!(schema["title"], title);
    }
}

#[test]
fn an_unknown_schema() {
    assert_snapshot!(ran(&["schema", "nope"]), @"
    -- stderr
    error: invalid value 'nope' for '<FORMAT>'
      [possible values: chain, tools]

    For more information, try '--help'.
    -- exit 64
    ");
}
