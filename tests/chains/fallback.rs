//! What answers without a chain, and after one.

use mynah::wire::proto::ConversationRequestAlpha2;
use serde_json::{Value, json};
use tonic::Code;

use super::{chain, component, content, failure, scripted, text};
use crate::support::{
    Sidecar,
    messages::{ask, assistant, request, tool, user},
    stream,
};

fn ask_of(name: &str, asked: ConversationRequestAlpha2) -> ConversationRequestAlpha2 {
    ConversationRequestAlpha2 { name: name.to_owned(), ..asked }
}

#[tokio::test]
async fn without_a_chain_echo_answers() {
    for metadata in ["", "{name: fallback, value: echo}"] {
        let sidecar = scripted(metadata);
        let answer =
            sidecar.converse(ask("What is the weather?", [tool("get_weather", Value::Null)]));
        let answer = answer.await.unwrap();
        assert_eq!(answer.called(), ["get_weather"]);
        assert_eq!(answer.whole.outputs[0].model.as_deref(), Some("scripted"));
    }
}

#[tokio::test]
async fn without_a_chain_an_error_says_what_is_missing() {
    let sidecar = scripted("{name: fallback, value: error}");
    let (code, said) = failure(&sidecar, ask("hi", [])).await;
    assert_eq!(code, Code::NotFound);
    assert_eq!(
        said,
        "no user message has a chain between <|instruction_start|> and \
        <|instruction_end|>, and fallback is error"
    );
    assert_eq!(stream(&sidecar, ask("hi", [])).await.unwrap_err().code(), Code::NotFound);
    assert_eq!(content(&sidecar, [chain(json!([text("x")]))]).await, "x");
}

#[tokio::test]
async fn chains_can_be_switched_off() {
    let sidecar = scripted("{name: chains, value: false}");
    let said = content(&sidecar, [chain(json!([text("x")]))]).await;
    assert!(said.starts_with("Start <|instruction_start|>"), "{said}");
}

#[tokio::test]
async fn another_component_answers_without_a_chain() {
    let yaml = [
        component("first", "{name: fallback, value: second}"),
        component("second", "{name: fallback, value: third}"),
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {name: third}\n\
         spec: {type: conversation.echo, metadata: [{name: model, value: third}]}\n"
            .to_owned(),
    ];
    let sidecar = Sidecar::with_components(&yaml.join("---\n"));
    for name in ["first", "second", "third"] {
        let answer = sidecar.converse(ask_of(name, ask("hi", []))).await.unwrap();
        let model = answer.whole.outputs[0].model.as_deref();
        assert_eq!((answer.content.as_str(), model), ("hi", Some("third")), "{name}");
        let streamed = stream(&sidecar, ask_of(name, ask("hi there", []))).await.unwrap();
        assert_eq!(streamed.chunks, ["hi", " there"]);
    }
}

#[tokio::test]
async fn echo_follows_chains_where_it_is_told_to() {
    let echo = |metadata: &str| {
        Sidecar::with_components(&format!(
            "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: echo}}\n\
             spec: {{type: conversation.echo, metadata: [{metadata}]}}\n"
        ))
    };
    let steps = chain(json!([text("scripted")]));
    let plain = content(&echo(""), [steps.clone()]).await;
    assert!(plain.starts_with("Start "), "{plain}");
    for mode in ["mynah", "daprd"] {
        let sidecar = echo(&format!(
            "{{name: chains, value: true}}, {{name: model, value: m}}, {{name: mode, value: {mode}}}"
        ));
        let answer = sidecar.converse(request([steps.clone()])).await.unwrap();
        assert_eq!(answer.content, "scripted");
        assert_eq!(answer.whole.outputs[0].model.as_deref(), Some("m"));
        assert_eq!(content(&sidecar, [user("hi")]).await, "hi");
    }
}

#[tokio::test]
async fn what_comes_after_the_last_step_is_a_setting() {
    let history = |turns: usize| {
        let steps = chain(json!([text("one"), text("two")]));
        [vec![steps], vec![assistant("-"); turns]].concat()
    };
    for (setting, said) in [
        (
            "fallback",
            [
                "two",
                "Chain completed - using fallback response",
                "Chain completed - using fallback response",
            ],
        ),
        ("repeat_last", ["two", "two", "two"]),
        ("loop", ["two", "one", "two"]),
    ] {
        let sidecar = scripted(&format!("{{name: onExhausted, value: {setting}}}"));
        for (turns, said) in (1..).zip(said) {
            assert_eq!(content(&sidecar, history(turns)).await, said, "{setting} {turns}");
        }
    }
    let sidecar = scripted("{name: onExhausted, value: error}");
    assert_eq!(content(&sidecar, history(1)).await, "two");
    let (code, said) = failure(&sidecar, request(history(2))).await;
    assert_eq!(code, Code::OutOfRange);
    assert_eq!(said, "chain in message 1: has 2 steps, and this is turn 3 after it");
}
