//! Tests of `mynah check`.

use insta::assert_snapshot;

use super::{
    INVALID, STATE_STORE, VALID, WITH_WARNING, redact_folder, report, run_report, write_folder,
};
use crate::support::{mynah, process::Process};

/// Checks a folder with these files.
fn check_folder(files: &[(&str, &str)]) -> String {
    let folder = write_folder(files);
    redact_folder(&run_report(&["check", folder.to_str().unwrap()]), &folder)
}

#[test]
fn accepts_valid_folder() {
    assert_snapshot!(check_folder(&[("good.yaml", VALID)]), @"
    1 component, 0 errors, 0 warnings
    -- exit 0
    ");
}

#[test]
fn prints_all_errors() {
    assert_snapshot!(check_folder(&[("bad.yaml", INVALID), ("torn.yaml", "a: [b")]), @r#"
    [folder]/bad.yaml:6:9: unknown spec.type "conversation.ecko"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo
    [folder]/bad.yaml:15:12: unknown spec.version "v7" for conversation.echo; expected v1
    [folder]/bad.yaml:18:12: chunkDelay: "fast" is not a duration; use Go's format, such as 50ms or 1.5s
    [folder]/torn.yaml:1:4: not valid YAML: unclosed bracket '['
    0 components, 4 errors, 0 warnings
    -- exit 1
    "#);
}

#[test]
fn prints_errors_then_notices() {
    let files = [
        ("a.yaml", VALID),
        ("b.yaml", INVALID),
        ("c.yaml", WITH_WARNING),
        ("d.yaml", STATE_STORE),
        ("e", ""),
    ];
    assert_snapshot!(check_folder(&files), @r#"
    [folder]/b.yaml:6:9: unknown spec.type "conversation.ecko"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo
    [folder]/b.yaml:15:12: unknown spec.version "v7" for conversation.echo; expected v1
    [folder]/b.yaml:18:12: chunkDelay: "fast" is not a duration; use Go's format, such as 50ms or 1.5s
    [folder]/c.yaml:9:5: unknown metadata key "key" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history (warning)
    [folder]/d.yaml:1:1: skipped: component store has type state.redis, which is not a conversation type
    [folder]/e: skipped: not a .yaml or .yml file
    2 components, 3 errors, 1 warning
    -- exit 1
    "#);
}

#[test]
fn exit_code_is_0_with_warnings() {
    assert_snapshot!(check_folder(&[("odd.yaml", WITH_WARNING)]), @r#"
    [folder]/odd.yaml:9:5: unknown metadata key "key" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history (warning)
    1 component, 0 errors, 1 warning
    -- exit 0
    "#);
}

#[test]
fn accepts_empty_folder() {
    assert_snapshot!(check_folder(&[]), @"
    0 components, 0 errors, 0 warnings
    -- exit 0
    ");
}

#[test]
fn checks_all_paths_together() {
    let folder = write_folder(&[("one.yaml", VALID), ("two.yaml", VALID)]);
    let [one, two] = ["one.yaml", "two.yaml"].map(|name| folder.join(name));
    let report = run_report(&["check", one.to_str().unwrap(), two.to_str().unwrap()]);
    assert_snapshot!(redact_folder(&report, &folder), @r#"
    [folder]/two.yaml:4:9: duplicate component name "parrot"; first used at [folder]/one.yaml:4:9
    1 component, 1 error, 0 warnings
    -- exit 1
    "#);
}

#[test]
fn reports_missing_path() {
    let folder = write_folder(&[]);
    let report = run_report(&["check", folder.join("nothing").to_str().unwrap()]);
    assert_snapshot!(redact_folder(&report, &folder), @"
    [folder]/nothing: cannot be read: No such file or directory (os error 2)
    0 components, 1 error, 0 warnings
    -- exit 1
    ");
}

#[test]
fn samples_are_valid() {
    let mut check = mynah();
    check.current_dir(env!("CARGO_MANIFEST_DIR")).args(["check", "components"]);
    assert_snapshot!(report(&Process::start(&mut check).wait()), @"
    5 components, 0 errors, 0 warnings
    -- exit 0
    ");
}

/// In a folder, other files are skipped. A file that is named is probably meant to be checked.
#[test]
fn rejects_named_file_without_anything_to_check() {
    let foo = "apiVersion: dapr.io/v1alpha1\nkind: Foo\n";
    let folder = write_folder(&[
        ("comment.yaml", "# nothing\n---\n"),
        ("empty.yaml", ""),
        ("foo.yaml", foo),
        ("mixed.yaml", &format!("{foo}---\n{VALID}")),
        ("notes.md", "Remember the milk."),
        ("rules.yaml", "rules: [{respond: hi}]"),
        ("state.yaml", STATE_STORE),
    ]);
    let check = |name: &str| {
        let report = run_report(&["check", folder.join(name).to_str().unwrap()]);
        redact_folder(&report, &folder).replace("[folder]/", "")
    };
    assert_snapshot!(check("foo.yaml"), @"
    foo.yaml: nothing to check; expected a Component, a list `scenarios` of a simulation, a list `rules` or `expect` of rules, or aimock fixtures
    foo.yaml:1:1: skipped: kind is Foo, not Component
    0 components, 1 error, 0 warnings
    -- exit 1
    ");
    for name in ["comment.yaml", "empty.yaml", "notes.md"] {
        let report = check(name);
        assert!(report.starts_with(&format!("{name}: nothing to check; expected")), "{report}");
        assert!(report.ends_with("-- exit 1"), "{report}");
    }
    for name in ["mixed.yaml", "rules.yaml", "state.yaml", ""] {
        let report = check(name);
        assert!(report.ends_with(" 0 errors, 0 warnings\n-- exit 0"), "{report}");
    }
}

/// Components of different applications can have the same name.
#[test]
fn checks_components_of_all_applications_unless_one_is_given() {
    let scoped = |scope: &str, delay: &str| {
        format!(
            "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: echo}}\n\
             scopes: [{scope}]\nspec: {{type: conversation.echo, version: v1, \
             metadata: [{{name: chunkDelay, value: {delay}}}]}}\n"
        )
    };
    let files = [("a.yaml", &*scoped("shop", "soon")), ("b.yaml", &*scoped("bank", "1s"))];
    let folder = write_folder(&files);
    let path = folder.to_str().unwrap();
    assert_snapshot!(redact_folder(&run_report(&["check", path]), &folder), @r#"
    [folder]/a.yaml:5:83: chunkDelay: "soon" is not a duration; use Go's format, such as 50ms or 1.5s
    1 component, 1 error, 0 warnings
    -- exit 1
    "#);
    assert_snapshot!(redact_folder(&run_report(&["check", path, "--app-id", "bank"]), &folder), @r#"
    [folder]/a.yaml:1:1: skipped: component echo is scoped to other applications: shop; --app-id is "bank" (warning)
    1 component, 0 errors, 1 warning
    -- exit 0
    "#);
}

#[test]
fn checks_thousands_of_fallbacks() {
    const COUNT: usize = 5_000;
    let scripted = VALID.replace("conversation.echo", "conversation.scripted");
    let all = |last: &str| {
        let components = (0..COUNT).map(|number| {
            let next = if number + 1 < COUNT { &format!("c{}", number + 1) } else { last };
            let fallback = format!("  metadata: [{{name: fallback, value: {next}}}]\n");
            scripted.replace("parrot", &format!("c{number}")) + &fallback
        });
        components.collect::<Vec<_>>().join("---\n")
    };
    let ends = |last: &str| {
        let report = check_folder(&[("a.yaml", &all(last))]);
        assert!(report.len() < 2 << 20, "{} bytes", report.len());
        report.lines().rev().take(2).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(ends("echo"), @"
    -- exit 0
    5000 components, 0 errors, 0 warnings
    ");
    assert_snapshot!(ends("c0"), @"
    -- exit 1
    5000 components, 5000 errors, 0 warnings
    ");
}
