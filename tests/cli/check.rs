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
    [folder]/bad.yaml:6:9: unknown spec.type "conversation.ecko"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo, --replay or --upstream
    [folder]/bad.yaml:15:12: unknown spec.version "v7" for conversation.echo; expected v1
    [folder]/bad.yaml:18:12: chunkDelay: "fast" is not a duration; use Go's format, such as 50ms or 1.5s
    [folder]/torn.yaml:1:4: not valid YAML: unclosed bracket '['
    2 components, 4 errors, 0 warnings
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
    [folder]/b.yaml:6:9: unknown spec.type "conversation.ecko"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo, --replay or --upstream
    [folder]/b.yaml:15:12: unknown spec.version "v7" for conversation.echo; expected v1
    [folder]/b.yaml:18:12: chunkDelay: "fast" is not a duration; use Go's format, such as 50ms or 1.5s
    [folder]/c.yaml:9:5: unknown metadata key "key" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history (warning)
    [folder]/d.yaml:1:1: skipped: component store has type state.redis, which is not a conversation type
    [folder]/e: skipped: not a .yaml or .yml file
    4 components, 3 errors, 1 warning
    -- exit 1
    "#);
}

#[test]
fn exit_code_is_0_with_warnings() {
    assert_snapshot!(check_folder(&[("odd.yaml", WITH_WARNING)]), @r#"
    [folder]/odd.yaml:9:5: unknown metadata key "key" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history (warning)
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
    2 components, 1 error, 0 warnings
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

#[test]
fn checks_tools_files() {
    let tools = "tools:\n- {name: f, static: [{result: 1}]}\n- {name: g, command: [date]}\n";
    let report = check_folder(&[("good.yaml", VALID), ("tools.yaml", tools)]);
    assert_snapshot!(report, @"
    1 component, 1 tools file, 0 errors, 0 warnings
    -- exit 0
    ");
    let invalid = "tools:\n- {name: f, static: []}\n- {name: g, http: {url: 5}}\n";
    let twice = "tools:\n- {name: f, command: [date]}\n- {name: f, command: [date]}\n- {name: 'a b', command: [date]}\n";
    let torn = "tools:\n- [\n";
    let files = [("a.yaml", invalid), ("b.yaml", twice), ("c.yaml", torn)];
    assert_snapshot!(check_folder(&files), @r#"
    [folder]/c.yaml:2:3: not valid YAML: unclosed bracket '['
    [folder]/a.yaml:2:3: static is empty; expected a list of results
    [folder]/b.yaml:3:3: a tool named f is already registered
    [folder]/b.yaml:4:3: invalid tool name "a b"; expected 1 to 64 ASCII letters, digits, _ or -
    0 components, 2 tools files, 4 errors, 0 warnings
    -- exit 1
    "#);
    // Other programs also have files with this key.
    let other = "apiVersion: example.com/v1\nkind: Toolbox\ntools: [hammer]\n";
    let report = check_folder(&[("other.yaml", other), ("map.yaml", "tools: {a: b}")]);
    assert!(report.contains("0 components, 0 errors, 0 warnings"), "{report}");
}

#[test]
fn strict_checks_what_serve_refuses() {
    let folder = write_folder(&[("a.yaml", VALID)]);
    let check = |flags: &[&str]| {
        let args = [&["check", "--strict", folder.to_str().unwrap()][..], flags].concat();
        redact_folder(&run_report(&args), &folder)
    };
    assert_snapshot!(check(&[]), @"
    [folder]: --strict has no effect, because no component follows rules or instruction chains: use --rules, --stand-in scripted for other types, or a component of type conversation.scripted
    1 component, 1 error, 0 warnings
    -- exit 1
    ");
    assert_snapshot!(check(&["--stand-in", "echo"]), @"
    [folder]: --strict excludes --stand-in echo, which answers every call: use --stand-in scripted
    1 component, 1 error, 0 warnings
    -- exit 1
    ");
    let metadata = "  metadata: [{name: chains, value: true}]\n";
    std::fs::write(folder.join("a.yaml"), format!("{VALID}{metadata}")).unwrap();
    assert_snapshot!(check(&[]), @"
    1 component, 0 errors, 0 warnings
    -- exit 0
    ");
    let scripted = VALID.replace("conversation.echo", "conversation.scripted");
    std::fs::write(folder.join("a.yaml"), scripted).unwrap();
    assert_snapshot!(check(&[]), @"
    1 component, 0 errors, 0 warnings
    -- exit 0
    ");
}

#[test]
fn names_the_type_that_a_misspelled_one_resembles() {
    let named = |number: usize, kind: &str| {
        VALID.replace("parrot", &format!("c{number}")).replace("conversation.echo", kind)
    };
    let kinds = [
        "conversation.opnai",
        "conversation.scriptd",
        "conversation.aws-bedrock",
        "conversation.openai",
        "conversation.my-own-model",
        "conversation.echo",
    ];
    let components: Vec<_> = kinds.iter().enumerate().map(|(at, kind)| named(at, kind)).collect();
    let folder = write_folder(&[("a.yaml", &components.join("---\n"))]);
    let report = run_report(&["check", folder.to_str().unwrap(), "--stand-in", "echo"]);
    assert_snapshot!(redact_folder(&report, &folder), @r#"
    [folder]/a.yaml:6:9: unknown spec.type "conversation.opnai"; did you mean "conversation.openai"? (warning)
    [folder]/a.yaml:14:9: unknown spec.type "conversation.scriptd"; did you mean "conversation.scripted"? (warning)
    [folder]/a.yaml:22:9: unknown spec.type "conversation.aws-bedrock"; did you mean "conversation.aws.bedrock"? (warning)
    6 components, 0 errors, 3 warnings
    -- exit 0
    "#);
}

/// An error in a component does not hide errors in its fallback, nor does it add errors to those that
/// fall back to it.
#[test]
fn finds_the_errors_of_all_files_at_once() {
    let scripted = |name: &str, metadata: &str| {
        let text =
            VALID.replace("parrot", name).replace("conversation.echo", "conversation.scripted");
        format!("{text}  metadata: [{metadata}]\n")
    };
    let files = [
        scripted("one", "{name: rules, value: missing.yaml}, {name: fallback, value: nobody}"),
        scripted("two", "{name: fallback, value: one}"),
        scripted("three", "{name: fallback, value: two}, {name: tools, value: none.yaml}"),
        scripted("four", "{name: fallback, value: nowhere}"),
    ];
    assert_snapshot!(check_folder(&[("a.yaml", &files.join("---\n"))]), @r#"
    [folder]/a.yaml:8:35: rules: the rules file [folder]/missing.yaml cannot be read: No such file or directory (os error 2)
    [folder]/a.yaml:26:65: tools: the tools file [folder]/none.yaml cannot be read: No such file or directory (os error 2)
    [folder]/a.yaml:35:38: fallback: "nowhere" is not a component; expected echo, error or one of: two, four
    [folder]/a.yaml:8:74: fallback: "nobody" is not a component; expected echo, error or one of: two, four
    4 components, 4 errors, 0 warnings
    -- exit 1
    "#);
}

#[test]
fn policies_matter_beside_conversation_components_only() {
    let policies = "apiVersion: dapr.io/v1alpha1\nkind: Resiliency\n";
    let alone = check_folder(&[("policies.yaml", policies), ("state.yaml", STATE_STORE)]);
    assert!(alone.contains("0 errors, 0 warnings"), "{alone}");
    let beside = check_folder(&[("policies.yaml", policies), ("good.yaml", VALID)]);
    assert!(beside.contains("0 errors, 1 warning"), "{beside}");
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
        ("tools.yaml", "tools: [{name: f, static: [{result: 1}]}]"),
        ("state.yaml", STATE_STORE),
    ]);
    let check = |name: &str| {
        let report = run_report(&["check", folder.join(name).to_str().unwrap()]);
        redact_folder(&report, &folder).replace("[folder]/", "")
    };
    assert_snapshot!(check("foo.yaml"), @"
    foo.yaml: nothing to check; expected a Component, a list `scenarios` of a simulation, a list `rules` or `expect` of a rules file, a list `tools` of a tools file, or aimock fixtures
    foo.yaml:1:1: skipped: kind is Foo, not Component
    0 components, 1 error, 0 warnings
    -- exit 1
    ");
    for name in ["comment.yaml", "empty.yaml", "notes.md"] {
        let report = check(name);
        assert!(report.starts_with(&format!("{name}: nothing to check; expected")), "{report}");
        assert!(report.ends_with("-- exit 1"), "{report}");
    }
    for name in ["mixed.yaml", "rules.yaml", "tools.yaml", "state.yaml", ""] {
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
    2 components, 1 error, 0 warnings
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
