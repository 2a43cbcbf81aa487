//! Tests of scrubbing personal data on every API.

use mynah::internals::wire::proto::{
    ConversationInput, ConversationRequest, ConversationRequestAlpha2,
};
use serde_json::{Value, json};

use crate::support::{
    Sidecar,
    messages::{
        Answer, assistant, assistant_with_calls, input, request, system, tool, tool_call,
        tool_result, user,
    },
    stream, stream_alpha1,
};

const ALPHA1: &str = "/v1.0-alpha1/conversation/echo/converse";
const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";

const TEXT: &str = "well hello there, mail bob@example.com or call 555 123 4567";
const SCRUBBED: &str = "well hello there, mail <EMAIL_ADDRESS> or call <PHONE_NUMBER>";

/// Sets the flag that scrubs the first input.
fn scrub_input(mut request: ConversationRequestAlpha2) -> ConversationRequestAlpha2 {
    request.inputs[0].scrub_pii = Some(true);
    request
}

/// Sets the flag that scrubs the answer.
fn scrub_output(mut request: ConversationRequestAlpha2) -> ConversationRequestAlpha2 {
    request.scrub_pii = Some(true);
    request
}

/// Returns the unary answer. Checks that the streamed answer is the same.
async fn answer_both_ways(sidecar: &Sidecar, request: ConversationRequestAlpha2) -> Answer {
    let streamed = stream(sidecar, request.clone()).await.unwrap();
    let unary = sidecar.converse(request).await.unwrap();
    assert_eq!(streamed.answer.response, unary.response);
    assert_eq!(streamed.chunks.concat(), unary.content);
    unary
}

#[tokio::test]
async fn each_flag_scrubs_the_text() {
    let sidecar = Sidecar::start();
    let plain = request([user(TEXT)]);
    assert_eq!(answer_both_ways(&sidecar, plain.clone()).await.content, TEXT);
    assert_eq!(answer_both_ways(&sidecar, scrub_input(plain.clone())).await.content, SCRUBBED);
    assert_eq!(answer_both_ways(&sidecar, scrub_output(plain.clone())).await.content, SCRUBBED);
    assert_eq!(
        answer_both_ways(&sidecar, scrub_output(scrub_input(plain))).await.content,
        SCRUBBED
    );
}

#[tokio::test]
async fn chunks_never_contain_part_of_a_match() {
    let sidecar = Sidecar::start();
    let plain = request([user(TEXT)]);
    assert!(stream(&sidecar, plain.clone()).await.unwrap().chunks.contains(&" 123".to_owned()));
    let chunks = stream(&sidecar, scrub_output(plain)).await.unwrap().chunks;
    let expected = [
        "well",
        " hello",
        " there,",
        " mail",
        " <EMAIL_ADDRESS>",
        " or",
        " call",
        " <PHONE_NUMBER>",
    ];
    assert_eq!(chunks, expected);
}

#[tokio::test]
async fn scrubs_only_flagged_inputs() {
    let sidecar = Sidecar::start();
    let mut request = request([user("bob@example.com")]);
    request.inputs.push(input([user("ann@example.com")]));
    request.inputs[0].scrub_pii = Some(true);
    assert_eq!(answer_both_ways(&sidecar, request.clone()).await.content, "ann@example.com");
    request.inputs[0].scrub_pii = Some(false);
    request.inputs[1].scrub_pii = Some(true);
    assert_eq!(answer_both_ways(&sidecar, request).await.content, "<EMAIL_ADDRESS>");
}

#[tokio::test]
async fn scrubs_each_message_of_an_input_separately() {
    let sidecar = Sidecar::start();
    for message in [system(TEXT), assistant(TEXT), user(TEXT), tool_result("1", "f", TEXT)] {
        let answer = answer_both_ways(&sidecar, scrub_input(request([message]))).await;
        assert_eq!(answer.content, SCRUBBED);
    }
    // "555" and "1234" match nothing separately, but the answer joins them.
    let request = request([tool_result("1", "f", "555"), tool_result("2", "f", "1234 5")]);
    assert_eq!(
        answer_both_ways(&sidecar, scrub_input(request.clone())).await.content,
        "555\n<PHONE_NUMBER> 5"
    );
    assert_eq!(answer_both_ways(&sidecar, scrub_output(request)).await.content, "<PHONE_NUMBER> 5");
}

#[tokio::test]
async fn does_not_scrub_tool_calls() {
    let sidecar = Sidecar::start();
    let schema = json!({
        "type": "object",
        "properties": {"email": {"type": "string", "format": "email"}},
        "required": ["email"],
    });
    let mut invite = request([user("Invite bob@example.com")]);
    invite.tools.push(tool("invite", schema));
    let answer = answer_both_ways(&sidecar, scrub_output(invite.clone())).await;
    assert_eq!(answer.calls[0].arguments, json!({"email": "bob@example.com"}));
    // The provider does not see data that was scrubbed from the input.
    let answer = answer_both_ways(&sidecar, scrub_input(invite)).await;
    assert!(!answer.calls[0].arguments.to_string().contains("bob"), "{answer:?}");

    let history = [
        user("go"),
        assistant_with_calls("", [tool_call("z", "f", r#"{"m":"bob@example.com"}"#)]),
        tool_result("z", "f", "mail bob@example.com please"),
    ];
    let answer = answer_both_ways(&sidecar, scrub_input(request(history))).await;
    assert_eq!(answer.content, "mail <EMAIL_ADDRESS> please");
}

#[tokio::test]
async fn counts_tokens_between_input_and_output_scrubbing() {
    let sidecar = Sidecar::start();
    let plain = request([user("from 10.8.9.1, 10.8.9.2 and 10.8.9.3")]);
    let tokens = async |request| {
        let usage = answer_both_ways(&sidecar, request).await.response.outputs[0].usage.unwrap();
        (usage.prompt_tokens, usage.completion_tokens)
    };
    let unscrubbed = tokens(plain.clone()).await;
    assert_eq!(tokens(scrub_output(plain.clone())).await, unscrubbed);
    let scrubbed = tokens(request([user("from <IP>, <IP> and <IP>")])).await;
    assert_eq!(tokens(scrub_input(plain)).await, scrubbed);
    assert_ne!(scrubbed, unscrubbed);
}

fn alpha1(inputs: &[(&str, bool)], output: bool) -> ConversationRequest {
    let input = |(content, scrub): &(&str, bool)| ConversationInput {
        content: (*content).to_owned(),
        scrub_pii: Some(*scrub),
        role: Some("function".to_owned()),
    };
    ConversationRequest {
        name: "echo".to_owned(),
        inputs: inputs.iter().map(input).collect(),
        scrub_pii: Some(output),
        ..Default::default()
    }
}

#[tokio::test]
async fn alpha1_scrubs_each_input_separately() {
    let sidecar = Sidecar::start();
    let mut client = sidecar.client().await;
    let cases = [
        (alpha1(&[(TEXT, true), ("10.8.9.1", false)], false), format!("{SCRUBBED}\n10.8.9.1")),
        (alpha1(&[("10.8.9.1", false), (TEXT, true)], false), format!("10.8.9.1\n{SCRUBBED}")),
        (alpha1(&[(TEXT, false), ("10.8.9.1", false)], true), format!("{SCRUBBED}\n<IP>")),
    ];
    for (request, expected) in cases {
        let answer = client.converse_alpha1(request.clone()).await.unwrap().into_inner();
        assert_eq!(answer.outputs[0].result, expected);
        let (text, complete) = stream_alpha1(&sidecar, request).await;
        assert_eq!((&text, &complete.outputs[0].result), (&expected, &expected));
    }
}

fn content(answer: &Value) -> &Value {
    &answer["outputs"][0]["choices"][0]["message"]["content"]
}

#[tokio::test]
async fn each_http_version_has_its_own_keys() {
    let sidecar = Sidecar::start();
    let messages = json!([{"ofUser": {"content": [{"text": TEXT}]}}]);
    let cases = [
        (json!({"inputs": [{"scrubPii": true, "messages": messages}]}), SCRUBBED),
        (json!({"inputs": [{"scrub_pii": true, "messages": messages}]}), SCRUBBED),
        (json!({"scrubPii": true, "inputs": [{"messages": messages}]}), SCRUBBED),
        // As in daprd, Alpha2 ignores Alpha1's key.
        (json!({"scrubPII": true, "inputs": [{"scrubPII": true, "messages": messages}]}), TEXT),
    ];
    for (body, expected) in cases {
        let reply = sidecar.post(ALPHA2, body.to_string()).await;
        assert_eq!(content(&reply.json()), expected, "{body}");
    }
    let cases = [
        json!({"inputs": [{"content": TEXT, "scrubPII": true}]}),
        json!({"scrubPII": true, "inputs": [{"content": TEXT}]}),
    ];
    for body in cases {
        let reply = sidecar.post(ALPHA1, body.to_string()).await;
        assert_eq!(reply.json()["outputs"][0]["result"], SCRUBBED, "{body}");
    }
}

#[tokio::test]
async fn scrubs_before_splitting_into_events() {
    let sidecar = Sidecar::start();
    let body = json!({"scrubPii": true, "inputs": [{"messages": [
        {"ofUser": {"content": [{"text": "call 555 123 4567 now"}]}},
    ]}]});
    let reply = sidecar.post_for_events(ALPHA2, body.to_string()).await;
    let events = reply.events();
    let (complete, chunks) = events.split_last().unwrap();
    let chunks: Vec<_> = chunks.iter().map(|(_, data)| &data["chunk"]["content"]).collect();
    assert_eq!(chunks, ["call", " <PHONE_NUMBER>", " now"]);
    assert_eq!(content(&complete.1["complete"]), "call <PHONE_NUMBER> now");
}

#[tokio::test]
async fn scrubs_large_texts() {
    let sidecar = Sidecar::start();
    let text = "bob@example.com\n".repeat(10_000);
    let expected = "<EMAIL_ADDRESS>\n".repeat(10_000);
    let request = request([user(&text)]);
    assert!(answer_both_ways(&sidecar, scrub_input(request.clone())).await.content == expected);
    assert!(answer_both_ways(&sidecar, scrub_output(request)).await.content == expected);
}

#[tokio::test]
async fn component_setting_selects_the_strict_scrubber() {
    let sidecar = Sidecar::with_components(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {name: echo}\nspec:\n  \
         type: conversation.echo\n  version: v1\n  metadata: [{name: piiScrubber, value: strict}]\n",
    );
    let request = request([user("5551234567 5551234568 https://x.com/5551234567")]);
    // The slash is part of the match.
    let strict = "<ISBN><CREDIT_CARD><ISBN> https://x.com<PHONE_NUMBER>";
    assert_eq!(answer_both_ways(&sidecar, scrub_input(request.clone())).await.content, strict);
    assert_eq!(answer_both_ways(&sidecar, scrub_output(request.clone())).await.content, strict);
    let dapr = "<ISBN> <CREDIT_CARD>6<ISBN> https://x.com/5551234567";
    assert_eq!(answer_both_ways(&Sidecar::start(), scrub_output(request)).await.content, dapr);
}
