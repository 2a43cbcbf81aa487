//! Tests of answers without a chain and after the last step of a chain.

use mynah::internals::wire::proto::ConversationRequestAlpha2;
use serde_json::{Value, json};
use tonic::Code;

use super::{chain, component, content, failure, scripted, text};
use crate::support::{
    Sidecar,
    attacks::{now, report_row},
    messages::{assistant, prompt, request, tool, user},
    stream,
};

/// Returns the same request for another component.
fn to_component(name: &str, request: ConversationRequestAlpha2) -> ConversationRequestAlpha2 {
    ConversationRequestAlpha2 { name: name.to_owned(), ..request }
}

#[tokio::test]
async fn echoes_without_a_chain() {
    for metadata in ["", "{name: fallback, value: echo}"] {
        let sidecar = scripted(metadata);
        let answer =
            sidecar.converse(prompt("What is the weather?", [tool("get_weather", Value::Null)]));
        let answer = answer.await.unwrap();
        assert_eq!(answer.called_tools(), ["get_weather"]);
        assert_eq!(answer.response.outputs[0].model.as_deref(), Some("scripted"));
    }
}

#[tokio::test]
async fn fails_without_a_chain_if_the_fallback_is_error() {
    let sidecar = scripted("{name: fallback, value: error}");
    let (code, message) = failure(&sidecar, prompt("hi", [])).await;
    assert_eq!(code, Code::NotFound);
    assert_eq!(
        message,
        "no user message contains a chain between <|instruction_start|> and \
        <|instruction_end|>; add one, or set the component's fallback to echo"
    );
    assert_eq!(stream(&sidecar, prompt("hi", [])).await.unwrap_err().code(), Code::NotFound);
    assert_eq!(content(&sidecar, [chain(json!([text("x")]))]).await, "x");
}

#[tokio::test]
async fn ignores_chains_if_they_are_switched_off() {
    let sidecar = scripted("{name: chains, value: false}");
    let answer = content(&sidecar, [chain(json!([text("x")]))]).await;
    assert!(answer.starts_with("Start <|instruction_start|>"), "{answer}");
}

#[tokio::test]
async fn passes_requests_without_a_chain_to_another_component() {
    let yaml = [
        component("first", "{name: fallback, value: second}"),
        component("second", "{name: fallback, value: third}"),
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {name: third}\n\
         spec: {type: conversation.echo, metadata: [{name: model, value: third}]}\n"
            .to_owned(),
    ];
    let sidecar = Sidecar::with_components(&yaml.join("---\n"));
    for name in ["first", "second", "third"] {
        let answer = sidecar.converse(to_component(name, prompt("hi", []))).await.unwrap();
        let model = answer.response.outputs[0].model.as_deref();
        assert_eq!((answer.content.as_str(), model), ("hi", Some("third")), "{name}");
        let streamed = stream(&sidecar, to_component(name, prompt("hi there", []))).await.unwrap();
        assert_eq!(streamed.chunks, ["hi", " there"]);
    }
}

#[tokio::test]
async fn follows_chains_in_echo_if_they_are_switched_on() {
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
        assert_eq!(answer.response.outputs[0].model.as_deref(), Some("m"));
        assert_eq!(content(&sidecar, [user("hi")]).await, "hi");
    }
}

#[tokio::test]
async fn applies_on_exhausted_after_the_last_step() {
    let history = |turns: usize| {
        let steps = chain(json!([text("one"), text("two")]));
        [vec![steps], vec![assistant("-"); turns]].concat()
    };
    for (setting, answers) in [
        (
            "message",
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
        for (turns, expected) in (1..).zip(answers) {
            assert_eq!(content(&sidecar, history(turns)).await, expected, "{setting} {turns}");
        }
    }
    let sidecar = scripted("{name: onExhausted, value: error}");
    assert_eq!(content(&sidecar, history(1)).await, "two");
    let (code, message) = failure(&sidecar, request(history(2))).await;
    assert_eq!(code, Code::OutOfRange);
    assert_eq!(message, "chain in message 1 has 2 steps, but the history is at turn 3");
}

#[tokio::test]
async fn continues_with_the_fallback_after_the_last_step() {
    let metadata = "{name: onExhausted, value: fallback}, {name: fallback, value: ";
    let sidecar = scripted(&format!("{metadata}echo}}"));
    let steps = chain(json!([text("one")]));
    assert_eq!(content(&sidecar, [steps.clone()]).await, "one");
    let exhausted = request([steps.clone(), assistant("one")]);
    assert_eq!(sidecar.converse(exhausted.clone()).await.unwrap().content, "Start  now");
    assert_eq!(stream(&sidecar, exhausted.clone()).await.unwrap().answer.content, "Start  now");
    let history = [steps, assistant("one"), user("And now?")];
    assert_eq!(content(&sidecar, history).await, "And now?");

    let sidecar = scripted(&format!("{metadata}error}}"));
    let (code, message) = failure(&sidecar, exhausted).await;
    assert_eq!(code, Code::OutOfRange);
    assert_eq!(message, "chain in message 1 has 1 steps, but the history is at turn 2");
}

/// The time to load was cubic, and each component of the chain was a call within a call.
#[tokio::test]
async fn serves_a_chain_of_thousands_of_fallbacks() {
    const COUNT: usize = 5_000;
    let start = now();
    let next = |number| format!("{{name: fallback, value: c{}}}", number + 1);
    let scripted = (0..COUNT).map(|number| component(&format!("c{number}"), &next(number)));
    let last = component(&format!("c{COUNT}"), "{name: model, value: last}");
    let sidecar =
        Sidecar::with_components(&scripted.chain([last]).collect::<Vec<_>>().join("---\n"));
    let result = format!("starts within {:.1} s", start.elapsed().as_secs_f64());
    report_row(&["a chain of 5,000 fallbacks", &result]);
    for name in ["c0", "c2500"] {
        let answer = sidecar.converse(to_component(name, prompt("hi", []))).await.unwrap();
        assert_eq!(answer.content, "hi");
        assert_eq!(answer.response.outputs[0].model.as_deref(), Some("last"));
        let chain = request([chain(json!([text("scripted")]))]);
        assert_eq!(sidecar.converse(to_component(name, chain)).await.unwrap().content, "scripted");
    }
}
