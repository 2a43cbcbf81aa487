//! `mynah check`.

use insta::assert_snapshot;

use super::{BAD, GOOD, ODD, OTHER, folder, ran, report, without_folder};
use crate::support::{mynah, process::Process};

/// What it says of a folder of these files.
fn checked(files: &[(&str, &str)]) -> String {
    let folder = folder(files);
    without_folder(&ran(&["check", folder.to_str().unwrap()]), &folder)
}

#[test]
fn a_good_folder() {
    assert_snapshot!(checked(&[("good.yaml", GOOD)]), @"
    1 component, 0 errors, 0 warnings
    -- exit 0
    ");
}

#[test]
fn a_bad_folder() {
    assert_snapshot!(checked(&[("bad.yaml", BAD), ("torn.yaml", "a: [b")]), @r#"
    [folder]/bad.yaml:6:9: unknown spec.type "conversation.ecko"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo
    [folder]/bad.yaml:15:12: unknown spec.version "v7" of conversation.echo; expected v1
    [folder]/bad.yaml:18:12: chunkDelay: "fast" is not a duration; write it as Go does, such as 50ms or 1.5s
    [folder]/torn.yaml:1:4: not valid YAML: unclosed bracket '['
    0 components, 4 errors, 0 warnings
    -- exit 1
    "#);
}

#[test]
fn a_mixed_folder() {
    let files = [("a.yaml", GOOD), ("b.yaml", BAD), ("c.yaml", ODD), ("d.yaml", OTHER), ("e", "")];
    assert_snapshot!(checked(&files), @r#"
    [folder]/b.yaml:6:9: unknown spec.type "conversation.ecko"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo
    [folder]/b.yaml:15:12: unknown spec.version "v7" of conversation.echo; expected v1
    [folder]/b.yaml:18:12: chunkDelay: "fast" is not a duration; write it as Go does, such as 50ms or 1.5s
    [folder]/c.yaml:9:5: unknown metadata key "key" of conversation.echo; expected one of: mode, model, chunkDelay, arguments, chains, piiScrubber (warning)
    [folder]/d.yaml:1:1: skipped: component store has type state.redis
    [folder]/e: skipped: not a .yaml or .yml file
    2 components, 3 errors, 1 warning
    -- exit 1
    "#);
}

#[test]
fn warnings_are_no_problem() {
    assert_snapshot!(checked(&[("odd.yaml", ODD)]), @r#"
    [folder]/odd.yaml:9:5: unknown metadata key "key" of conversation.echo; expected one of: mode, model, chunkDelay, arguments, chains, piiScrubber (warning)
    1 component, 0 errors, 1 warning
    -- exit 0
    "#);
}

#[test]
fn an_empty_folder() {
    assert_snapshot!(checked(&[]), @"
    0 components, 0 errors, 0 warnings
    -- exit 0
    ");
}

#[test]
fn several_paths_are_one_set() {
    let folder = folder(&[("one.yaml", GOOD), ("two.yaml", GOOD)]);
    let [one, two] = ["one.yaml", "two.yaml"].map(|name| folder.join(name));
    let said = ran(&["check", one.to_str().unwrap(), two.to_str().unwrap()]);
    assert_snapshot!(without_folder(&said, &folder), @r#"
    [folder]/two.yaml:4:9: duplicate component name "parrot"; first used at [folder]/one.yaml:4:9
    1 component, 1 error, 0 warnings
    -- exit 1
    "#);
}

#[test]
fn a_missing_path() {
    let folder = folder(&[]);
    let said = ran(&["check", folder.join("nothing").to_str().unwrap()]);
    assert_snapshot!(without_folder(&said, &folder), @"
    [folder]/nothing: cannot be read: No such file or directory (os error 2)
    0 components, 1 error, 0 warnings
    -- exit 1
    ");
}

#[test]
fn the_samples_are_good() {
    let mut check = mynah();
    check.current_dir(env!("CARGO_MANIFEST_DIR")).args(["check", "components"]);
    assert_snapshot!(report(&Process::start(&mut check).wait()), @"
    5 components, 0 errors, 0 warnings
    -- exit 0
    ");
}

/// Each application may have its own component of a name.
#[test]
fn components_of_all_applications() {
    let scoped = |scope: &str, delay: &str| {
        format!(
            "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: echo}}\n\
             scopes: [{scope}]\nspec: {{type: conversation.echo, version: v1, \
             metadata: [{{name: chunkDelay, value: {delay}}}]}}\n"
        )
    };
    let files = [("a.yaml", &*scoped("shop", "soon")), ("b.yaml", &*scoped("bank", "1s"))];
    let folder = folder(&files);
    let path = folder.to_str().unwrap();
    assert_snapshot!(without_folder(&ran(&["check", path]), &folder), @r#"
    [folder]/a.yaml:5:83: chunkDelay: "soon" is not a duration; write it as Go does, such as 50ms or 1.5s
    1 component, 1 error, 0 warnings
    -- exit 1
    "#);
    assert_snapshot!(without_folder(&ran(&["check", path, "--app-id", "bank"]), &folder), @"
    [folder]/a.yaml:1:1: skipped: component echo is scoped to other applications
    1 component, 0 errors, 0 warnings
    -- exit 0
    ");
}
