//! Tests that scrubbing of personal data skips chains but covers everything else.

use serde_json::json;

use super::{chain, component, content, scripted};
use crate::support::{
    Sidecar,
    messages::{assistant, request, tool_result, user},
    stream,
};

const MAIL: &str = "mail ann@example.org or call 555 123 4567";
const SCRUBBED: &str = "mail <EMAIL_ADDRESS> or call <PHONE_NUMBER>";

#[tokio::test]
async fn leaves_a_chain_in_a_scrubbed_input_unchanged() {
    // Outside a chain, every number here would be scrubbed as a phone number or a date.
    let step = json!({"messages": [{"text": MAIL}, {"json": {"year": 2024, "zip": 94105}},
        {"text_message": {"length": 12}}, {"tool_results": {}}]});
    let mut request = request([
        chain(json!([{"delay": "0s"}, step])),
        assistant("-"),
        tool_result("1", "f", MAIL),
    ]);
    request.inputs[0].scrub_pii = Some(true);
    let expected = format!(
        "{MAIL}\n\n{{\"year\":2024,\"zip\":94105}}\n\n\
         lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor\n\n{SCRUBBED}"
    );
    let sidecar = scripted("");
    assert_eq!(sidecar.converse(request.clone()).await.unwrap().content, expected);
    assert_eq!(stream(&sidecar, request).await.unwrap().chunks.concat(), expected);
}

#[tokio::test]
async fn scrubs_text_between_tags_that_is_not_a_chain() {
    let broken = format!("{MAIL} <|instruction_start|>{MAIL}<|instruction_end|> {MAIL}");
    let expected = broken.replace(MAIL, SCRUBBED);
    let mut request = request([user(&broken)]);
    request.inputs[0].scrub_pii = Some(true);
    let sidecar = scripted("{name: onMalformed, value: fallback}");
    assert_eq!(sidecar.converse(request.clone()).await.unwrap().content, expected);
    // By default, echo does not follow chains.
    let chain = user(&format!("<|instruction_start|>{{\"a\":\"{MAIL}\"}}<|instruction_end|>"));
    request.inputs[0].messages = vec![chain];
    let answer = Sidecar::start().converse(request).await.unwrap().content;
    assert!(answer.contains(SCRUBBED) && !answer.contains("ann@"), "{answer}");
}

#[tokio::test]
async fn leaves_a_chain_unchanged_that_only_the_fallback_follows() {
    let off =
        |fallback| format!("{{name: chains, value: false}}, {{name: fallback, value: {fallback}}}");
    let follows = component("follows", "");
    let without = component("without", "{name: chains, value: false}");
    let mut request = request([chain(json!([{"messages": [{"text": MAIL}]}]))]);
    request.inputs[0].scrub_pii = Some(true);
    for (fallback, other, expected) in
        [("follows", &follows, MAIL), ("without", &without, SCRUBBED)]
    {
        let yaml = [component("echo", &off(fallback)), other.clone()].join("---\n");
        let answer = Sidecar::with_components(&yaml).converse(request.clone()).await.unwrap();
        assert!(answer.content.contains(expected), "{fallback}: {}", answer.content);
    }
}

#[tokio::test]
async fn scrubs_unary_and_streamed_answers() {
    let mut request = request([chain(json!([{"messages": [{"text": MAIL}]}]))]);
    request.scrub_pii = Some(true);
    let sidecar = scripted("");
    assert_eq!(sidecar.converse(request.clone()).await.unwrap().content, SCRUBBED);
    let streamed = stream(&sidecar, request).await.unwrap();
    assert_eq!(
        (streamed.chunks.concat(), streamed.answer.content),
        (SCRUBBED.to_owned(), SCRUBBED.to_owned())
    );
    assert_eq!(content(&sidecar, [chain(json!([{"messages": [{"text": MAIL}]}]))]).await, MAIL);
}
