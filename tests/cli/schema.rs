//! Tests of `mynah schema`.

use insta::assert_snapshot;

use super::run_report;
use crate::support::process::run;

#[test]
fn prints_each_schema() {
    for (format, title) in [
        ("chain", "Instruction chain"),
        ("faults", "Faults"),
        ("rules", "Rules"),
        ("tools", "Tools"),
        ("simulate", "Simulation"),
    ] {
        let output = run(&["schema", format]);
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{format}");
        let schema: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{format}");
        assert_eq!(schema["title"], title);
    }
}

#[test]
fn rejects_unknown_format() {
    assert_snapshot!(run_report(&["schema", "nope"]), @"
    -- stderr
    error: invalid value 'nope' for '<FORMAT>'
      [possible values: chain, faults, rules, tools, simulate]

    For more information, try '--help'.
    -- exit 64
    ");
}
