//! Warnings about rules that never answer.

use std::{fs, path::Path};

use insta::assert_snapshot;

use super::{component, errors::check};
use crate::support::{process::run, scratch};

#[test]
fn rules_after_one_that_matches_every_call_are_never_reached() {
    let text = "rules:
- {match: {user: a}, respond: a}
- {name: default, respond: b}
- {match: {user: c}, respond: c}
- {name: last, respond: d}
- {match: {user: e}, priority: 1, respond: e}
";
    assert_snapshot!(check(text), @r#"
    rules.yaml:4:3: rule 3 is never reached: rule "default" is tried before it and matches every call (warning)
    rules.yaml:5:3: rule "last" is never reached: rule "default" is tried before it and matches every call (warning)
    0 components, 1 rules file, 0 errors, 2 warnings
    "#);
    for reached in [
        "rules:\n- {times: 1, respond: a}\n- respond: b\n",
        "rules:\n- {match: {turn: 0}, respond: a}\n- respond: b\n",
        "rules:\n- respond: a\n- {match: {user: b}, priority: 1, respond: b}\n",
        // A rule that calls tools does not answer their results.
        "rules:\n- respond: [{tool_call: [{name: a}]}]\n- respond: b\n",
    ] {
        assert!(check(reached).ends_with("1 rules file, 0 errors, 0 warnings\n"), "{reached}");
    }
}

#[test]
fn an_exhausted_sequence_keeps_later_rules_from_answering() {
    let text = "rules:\n- {sequence: [a], on_exhausted: fallback}\n- respond: b\n";
    assert_snapshot!(check(text), @"
    rules.yaml:3:3: rule 2 is never reached: rule 1 is tried before it and matches every call (warning)
    0 components, 1 rules file, 0 errors, 1 warning
    ");
}

const RULES: &str = "rules:
- {match: {component: gtp}, respond: a}
- {match: {component: other, user: hi}, respond: b}
- {match: {component: {starts_with: gp}}, respond: c}
- {match: {component: gpt}, respond: d}
- {match: {component: {matches: '^x'}}, respond: e}
";

/// Returns the output of a command for these files.
fn output(files: &[(&str, &str)], args: impl Fn(&Path) -> Vec<String>) -> String {
    let folder = scratch("unreached");
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    let args = args(&folder);
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    run(&args).stdout.replace(&format!("{}/", folder.display()), "")
}

#[test]
fn rules_for_unknown_components_are_never_reached() {
    let gpt = component("gpt", "{name: rules, value: rules.yaml}");
    let all = |folder: &Path| vec!["check".to_owned(), folder.display().to_string()];
    assert_snapshot!(output(&[("gpt.yaml", &gpt), ("rules.yaml", RULES)], all), @r#"
    rules.yaml:2:3: rule 1 is never reached: no component is "gtp"; did you mean "gpt"? (warning)
    rules.yaml:3:3: rule 2 is never reached: no component is "other" (warning)
    rules.yaml:6:3: rule 5 is never reached: no component is a match of /^x/ (warning)
    1 component, 1 rules file, 0 errors, 3 warnings
    "#);
    let alone =
        |folder: &Path| vec!["check".to_owned(), folder.join("rules.yaml").display().to_string()];
    // Without components, every component may exist.
    let report = output(&[("rules.yaml", RULES)], alone);
    assert!(report.ends_with("0 errors, 0 warnings\n"), "{report}");
    let broken = gpt.replace("version: v1", "version: v7");
    let report = output(&[("gpt.yaml", &broken), ("rules.yaml", RULES)], all);
    assert!(report.ends_with("1 error, 0 warnings\n"), "{report}");
}
