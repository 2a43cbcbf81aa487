//! Tests with documents that are not meant for this sidecar.

use super::*;

#[test]
fn skips_components_of_other_applications() {
    let others = echo("e", "") + "scopes: [till, stock]\n";
    let ours = echo("e", "") + "scopes: [till, shop]\n";
    assert_snapshot!(outcome(&[("a.yaml", &others), ("b.yaml", &ours)]), @r#"
    + e conversation.echo
    Warning a.yaml:1:1: skipped: component e is scoped to other applications: till, stock; --app-id is "shop"
    "#);
    let broken = echo("e", "") + "scopes: shop\n";
    assert_snapshot!(outcome(&[("a.yaml", &broken)]), @"! a.yaml:9:9: scopes must be a list of application ids");
}

#[test]
fn skips_components_of_other_namespaces() {
    let within = |name: &str, namespace: &str| {
        echo(name, "").replace("spec:", &format!("  namespace: {namespace}\nspec:"))
    };
    // The name of a skipped component stays free.
    let text = [within("a", "test"), within("a", "prod"), within("b", "''"), echo("c", "")];
    let files = [("a.yaml", text.join("---\n"))];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    assert_snapshot!(outcome(&files), @"
    + a conversation.echo
    + b conversation.echo
    + c conversation.echo
    Info a.yaml:1:1: skipped: component a is in namespace test, not prod
    ");
    let unset = outcome_in(&context_with(&[]), &files);
    assert_snapshot!(unset, @r#"
    + a conversation.echo
    + b conversation.echo
    + c conversation.echo
    ! a.yaml:14:9: duplicate component name "a"; first used at a.yaml:4:9
    "#);
    assert_eq!(outcome_in(&context_with(&[("NAMESPACE", "")]), &files), unset);
}

#[test]
fn skips_documents_that_are_not_conversation_components() {
    let subscription = "apiVersion: dapr.io/v1alpha1\nkind: Subscription\n";
    let resiliency = "apiVersion: dapr.io/v1alpha1\nkind: Resiliency\n";
    let other = component("conversation.echo", "v1").replace("v1alpha1", "v2");
    let state = component("state.redis", "v1");
    let files = [
        ("a.yaml", [subscription, &other, &state].join("---\n")),
        ("b.yaml", "rules:\n- match: hello\n".to_owned()),
        ("c.yaml", "{\n\t\"tools\": [\n\t\t\"".to_owned() + &"x".repeat(3000) + "\"\n\t]\n}"),
        ("d.yaml", "just text".to_owned()),
        ("e.yaml", resiliency.to_owned()),
    ];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    assert_snapshot!(outcome(&files), @"
    Info a.yaml:1:1: skipped: kind is Subscription, not Component
    Info a.yaml:4:1: skipped: apiVersion is dapr.io/v2, not dapr.io/v1alpha1
    Info a.yaml:9:1: skipped: component c has type state.redis, which is not a conversation type
    Info b.yaml:1:1: skipped: not a Component: apiVersion or kind is missing
    Info c.yaml:1:1: skipped: not a Component: apiVersion or kind is missing
    Info d.yaml:1:1: skipped: not a Component: apiVersion or kind is missing
    Info e.yaml:1:1: skipped: mynah does not apply Resiliency policies; to test them, let daprd apply them in front of mynah
    ");
}
