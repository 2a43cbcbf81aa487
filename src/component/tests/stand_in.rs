//! Tests of stand-ins for unsupported component types.

use super::*;

fn with_stand_in() -> Context {
    Context { stand_in: Some(StandIn::Echo), ..context() }
}

/// Returns a conversation component whose metadata has every kind of error.
fn other(name: &str, kind: &str) -> String {
    let metadata = "  - {name: key, secretKeyRef: {name: s, key: k}}\n  - {name: KEY, envRef: K}\n  \
                    - {name: mode, value: x}\n  - {name: endpoint, vaule: x}\n";
    let text = echo(name, metadata).replace("conversation.echo", &format!("conversation.{kind}"));
    text.replace("version: v1", "version: v9") + "auth: {secretStore: missing}\n"
}

fn model_of(item: &str) -> String {
    let text = echo("a", item).replace("conversation.echo", "conversation.openai");
    settings_in(&with_stand_in(), &text).model
}

#[test]
fn answers_for_types_that_mynah_does_not_have() {
    let text = [other("a", "openai"), other("b", "Mistral"), other("c", "echo")].join("---\n");
    assert_snapshot!(outcome_in(&with_stand_in(), &[("a.yaml", &text)]), @r#"
    + a conversation.openai
    + b conversation.Mistral
    Warning a.yaml:37:5: unknown metadata key "key" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history
    Warning a.yaml:40:5: unknown metadata key "endpoint" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history
    Warning a.yaml:40:22: unknown field "vaule" in a metadata item; expected one of: name, value, secretKeyRef, envRef
    ! a.yaml:35:12: unknown spec.version "v9" for conversation.echo; expected v1
    ! a.yaml:38:5: key KEY is duplicate in the metadata
    ! a.yaml:39:25: mode: "x" is invalid; use mynah or daprd
    "#);
}

#[test]
fn keeps_type_and_version() {
    let folder = folder(&[("a.yaml", other("a", "OpenAI").as_bytes())]);
    let loaded = load(&[folder.path().to_owned()], &with_stand_in());
    let spec = &loaded.components[0];
    assert_eq!((spec.kind.as_str(), spec.version.as_str()), ("conversation.OpenAI", "v9"));
    assert_eq!(spec.stand_in, Some(StandIn::Echo));
    assert_eq!(spec.scrubber, Scrubber::Dapr);
}

#[test]
fn reads_only_the_model() {
    assert_eq!(model_of("  - {name: Model, value: gpt-5}\n"), "gpt-5");
    assert_eq!(model_of("  - {name: model, envRef: MODEL}\n"), "echo");
    assert_eq!(model_of("  - {name: model, value: x, secretKeyRef: {name: s}}\n"), "echo");
    assert_eq!(model_of("  - {name: model, value: ''}\n  - {name: mode, value: daprd}\n"), "echo");
}

#[test]
fn does_not_hide_other_errors() {
    let nameless = other("a", "openai").replace("  name: a\n", "  labels: {}\n");
    let kinds = [component("llm.foo", "v1"), component("Conversation.openai", "v1")];
    let taken = [other("b", "openai"), other("b", "mistral")];
    let text = [&[nameless], &kinds[..], &taken].concat().join("---\n");
    assert_snapshot!(outcome_in(&with_stand_in(), &[("a.yaml", &text)]), @r#"
    + b conversation.openai
    ! a.yaml:1:1: metadata.name is missing; add one (daprd silently skips components without a name)
    ! a.yaml:18:14: unknown spec.type "llm.foo"; expected one of: conversation.echo, conversation.scripted
    ! a.yaml:22:18: duplicate component name "c"; first used at a.yaml:17:18
    ! a.yaml:23:14: unknown spec.type "Conversation.openai"; expected one of: conversation.echo, conversation.scripted
    ! a.yaml:42:9: duplicate component name "b"; first used at a.yaml:28:9
    "#);
}
