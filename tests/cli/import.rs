//! Tests of `mynah import`.

use insta::assert_snapshot;

use super::{redact_folder, report, run_report, write_folder};
use crate::support::process::run;

fn import(fixtures: &str) -> String {
    let folder = write_folder(&[("fixtures.json", fixtures)]);
    let file = folder.join("fixtures.json");
    redact_folder(&run_report(&["import", "aimock", file.to_str().unwrap()]), &folder)
}

#[test]
fn prints_rules_and_warnings() {
    let fixtures = r#"{"fixtures": [
      {"match": {"userMessage": "weather"}, "response": {"content": "Sunny."}},
      {"match": {"inputText": "x"}, "response": {"embedding": [0.5]}}
    ]}"#;
    assert_snapshot!(import(fixtures), @r#"
    rules:
      - name: fixture 1
        match: {"user":{"contains":"weather","join":"","skip_empty":true}}
        respond: [{"text":"Sunny."}]
    -- stderr
    [folder]/fixtures.json:3:17: skipped: the condition `inputText` never holds, because fixtures answer chats only (warning)
    -- exit 0
    "#);
}

#[test]
fn prints_errors() {
    assert_snapshot!(import("{\"fixtures\": [\n{}]}"), @"
    -- stderr
    [folder]/fixtures.json:2:1: the fixture has no `match`
    -- exit 1
    ");
    assert_snapshot!(report(&run(&["import", "aimock", "/no/such/file"])), @"
    -- stderr
    /no/such/file: cannot be read: No such file or directory (os error 2)
    -- exit 1
    ");
}
