//! What is in the files, and not for this sidecar.

use super::*;

#[test]
fn a_component_for_other_applications_is_passed_over() {
    let others = echo("e", "") + "scopes: [till, stock]\n";
    let ours = echo("e", "") + "scopes: [till, shop]\n";
    assert_snapshot!(outcome(&[("a.yaml", &others), ("b.yaml", &ours)]), @r#"
    + e conversation.echo
    Info a.yaml:1:1: passed over: component e is for other applications
    "#);
    let broken = echo("e", "") + "scopes: shop\n";
    assert_snapshot!(outcome(&[("a.yaml", &broken)]), @"! a.yaml:9:9: scopes must be a list of application ids");
}

#[test]
fn a_component_of_another_namespace_is_passed_over() {
    let within = |name: &str, namespace: &str| {
        echo(name, "").replace("spec:", &format!("  namespace: {namespace}\nspec:"))
    };
    // One that is passed over takes no name.
    let text = [within("a", "test"), within("a", "prod"), within("b", "''"), echo("c", "")];
    let files = [("a.yaml", text.join("---\n"))];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    assert_snapshot!(outcome(&files), @"
    + a conversation.echo
    + b conversation.echo
    + c conversation.echo
    Info a.yaml:1:1: passed over: component a is of namespace test, not prod
    ");
    let unset = outcome_in(&context_with(&[]), &files);
    assert_snapshot!(unset, @r#"
    + a conversation.echo
    + b conversation.echo
    + c conversation.echo
    ! a.yaml:14:9: component name "a" is taken by a.yaml:4:9
    "#);
    assert_eq!(outcome_in(&context_with(&[("NAMESPACE", "")]), &files), unset);
}

#[test]
fn documents_that_are_no_conversation_components_are_passed_over() {
    let subscription = "apiVersion: dapr.io/v1alpha1\nkind: Subscription\n";
    let other = component("conversation.echo", "v1").replace("v1alpha1", "v2");
    let state = component("state.redis", "v1");
    let files = [
        ("a.yaml", [subscription, &other, &state].join("---\n")),
        ("b.yaml", "rules:\n- match: hello\n".to_owned()),
        ("c.yaml", "{\n\t\"tools\": [\n\t\t\"".to_owned() + &"x".repeat(3000) + "\"\n\t]\n}"),
        ("d.yaml", "just text".to_owned()),
    ];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    assert_snapshot!(outcome(&files), @r#"
    Info a.yaml:1:1: passed over: a Subscription; mynah reads Components
    Info a.yaml:4:1: passed over: a Component of dapr.io/v2; mynah reads those of dapr.io/v1alpha1
    Info a.yaml:9:1: passed over: component c is a state.redis
    Info b.yaml:1:1: passed over: no Component, since it has no apiVersion and kind
    Info c.yaml:1:1: passed over: no Component, since it has no apiVersion and kind
    Info d.yaml:1:1: passed over: no Component, since it has no apiVersion and kind
    "#);
}
