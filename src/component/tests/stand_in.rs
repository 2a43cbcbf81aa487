//! Components of types that mynah does not know, with a stand-in.

use super::*;

fn with_stand_in() -> Context {
    Context { stand_in: Some(StandIn::Echo), ..context() }
}

/// A component of a type of conversation, with everything that could be wrong with its settings.
fn other(name: &str, kind: &str) -> String {
    let metadata = "  - {name: key, secretKeyRef: {name: s, key: k}}\n  - {name: KEY, envRef: K}\n  \
                    - {name: mode, value: x}\n  - {name: endpoint, vaule: x}\n";
    let text = echo(name, metadata).replace("conversation.echo", &format!("conversation.{kind}"));
    text.replace("version: v1", "version: v9") + "auth: {secretStore: nobody}\n"
}

fn model_of(item: &str) -> String {
    let text = echo("a", item).replace("conversation.echo", "conversation.openai");
    settings_in(&with_stand_in(), &text).model
}

#[test]
fn it_answers_for_every_type_that_mynah_does_not_know() {
    let text = [other("a", "openai"), other("b", "Mistral"), other("c", "echo")].join("---\n");
    assert_snapshot!(outcome_in(&with_stand_in(), &[("a.yaml", &text)]), @r#"
    + a conversation.openai
    + b conversation.Mistral
    Warning a.yaml:37:5: metadata key "key" is not read; conversation.echo has mode, model, chunkDelay, arguments, chains, piiScrubber
    Warning a.yaml:40:5: metadata key "endpoint" is not read; conversation.echo has mode, model, chunkDelay, arguments, chains, piiScrubber
    Warning a.yaml:40:22: field "vaule" is not read; an item has name, value, secretKeyRef, envRef
    ! a.yaml:35:12: spec.version "v9" of conversation.echo is unknown; use v1
    ! a.yaml:38:5: key KEY is duplicate in the metadata
    ! a.yaml:39:25: mode: "x" is unknown; use mynah or daprd
    "#);
}

#[test]
fn it_keeps_type_and_version() {
    let folder = folder(&[("a.yaml", other("a", "OpenAI").as_bytes())]);
    let loaded = load(&[folder.path().to_owned()], &with_stand_in());
    let spec = &loaded.components[0];
    assert_eq!((spec.kind.as_str(), spec.version.as_str()), ("conversation.OpenAI", "v9"));
    assert_eq!(spec.stand_in, Some(StandIn::Echo));
    assert_eq!(spec.scrubber, Scrubber::Dapr);
}

#[test]
fn it_reads_the_model_only() {
    assert_eq!(model_of("  - {name: Model, value: gpt-5}\n"), "gpt-5");
    assert_eq!(model_of("  - {name: model, envRef: MODEL}\n"), "echo");
    assert_eq!(model_of("  - {name: model, value: x, secretKeyRef: {name: s}}\n"), "echo");
    assert_eq!(model_of("  - {name: model, value: ''}\n  - {name: mode, value: daprd}\n"), "echo");
}

#[test]
fn it_is_no_excuse() {
    let nameless = other("a", "openai").replace("  name: a\n", "  labels: {}\n");
    let kinds = [component("llm.foo", "v1"), component("Conversation.openai", "v1")];
    let taken = [other("b", "openai"), other("b", "mistral")];
    let text = [&[nameless], &kinds[..], &taken].concat().join("---\n");
    assert_snapshot!(outcome_in(&with_stand_in(), &[("a.yaml", &text)]), @r#"
    + b conversation.openai
    ! a.yaml:1:1: metadata.name is missing; daprd would pass over this component in silence
    ! a.yaml:18:14: spec.type "llm.foo" is unknown; mynah knows conversation.echo, conversation.scripted
    ! a.yaml:22:18: component name "c" is taken by a.yaml:17:18
    ! a.yaml:23:14: spec.type "Conversation.openai" is unknown; mynah knows conversation.echo, conversation.scripted
    ! a.yaml:42:9: component name "b" is taken by a.yaml:28:9
    "#);
}
