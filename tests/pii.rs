//! Personal data is scrubbed where a request asks for it, on every surface.

use mynah::wire::proto::{ConversationInput, ConversationRequest, ConversationRequestAlpha2};
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

/// The request, with its only input to be scrubbed.
fn scrub_input(mut asked: ConversationRequestAlpha2) -> ConversationRequestAlpha2 {
    asked.inputs[0].scrub_pii = Some(true);
    asked
}

/// The request, with its answer to be scrubbed.
fn scrub_output(mut asked: ConversationRequestAlpha2) -> ConversationRequestAlpha2 {
    asked.scrub_pii = Some(true);
    asked
}

/// The unary answer, which must be that of the stream, too.
async fn both(sidecar: &Sidecar, asked: ConversationRequestAlpha2) -> Answer {
    let streamed = stream(sidecar, asked.clone()).await.unwrap();
    let unary = sidecar.converse(asked).await.unwrap();
    assert_eq!(streamed.answer.response, unary.response);
    assert_eq!(streamed.chunks.concat(), unary.content);
    unary
}

#[tokio::test]
async fn either_flag_scrubs_the_text() {
    let sidecar = Sidecar::start();
    let plain = request([user(TEXT)]);
    assert_eq!(both(&sidecar, plain.clone()).await.content, TEXT);
    assert_eq!(both(&sidecar, scrub_input(plain.clone())).await.content, SCRUBBED);
    assert_eq!(both(&sidecar, scrub_output(plain.clone())).await.content, SCRUBBED);
    assert_eq!(both(&sidecar, scrub_output(scrub_input(plain))).await.content, SCRUBBED);
}

#[tokio::test]
async fn no_chunk_of_a_scrubbed_stream_holds_a_part_of_a_match() {
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
async fn only_flagged_inputs_are_scrubbed() {
    let sidecar = Sidecar::start();
    let mut asked = request([user("bob@example.com")]);
    asked.inputs.push(input([user("ann@example.com")]));
    asked.inputs[0].scrub_pii = Some(true);
    assert_eq!(both(&sidecar, asked.clone()).await.content, "ann@example.com");
    asked.inputs[0].scrub_pii = Some(false);
    asked.inputs[1].scrub_pii = Some(true);
    assert_eq!(both(&sidecar, asked).await.content, "<EMAIL_ADDRESS>");
}

#[tokio::test]
async fn every_message_of_an_input_is_scrubbed_text_by_text() {
    let sidecar = Sidecar::start();
    for message in [system(TEXT), assistant(TEXT), user(TEXT), tool_result("1", "f", TEXT)] {
        let answer = both(&sidecar, scrub_input(request([message]))).await;
        assert_eq!(answer.content, SCRUBBED);
    }
    // "555" and "1234" are nothing on their own, but the answer joins them.
    let asked = request([tool_result("1", "f", "555"), tool_result("2", "f", "1234 5")]);
    assert_eq!(both(&sidecar, scrub_input(asked.clone())).await.content, "555\n<PHONE_NUMBER> 5");
    assert_eq!(both(&sidecar, scrub_output(asked)).await.content, "<PHONE_NUMBER> 5");
}

#[tokio::test]
async fn tool_calls_are_not_scrubbed() {
    let sidecar = Sidecar::start();
    let schema = json!({
        "type": "object",
        "properties": {"email": {"type": "string", "format": "email"}},
        "required": ["email"],
    });
    let mut asked = request([user("Invite bob@example.com")]);
    asked.tools.push(tool("invite", schema));
    let answer = both(&sidecar, scrub_output(asked.clone())).await;
    assert_eq!(answer.calls[0].arguments, json!({"email": "bob@example.com"}));
    // What the provider never saw it cannot say.
    let answer = both(&sidecar, scrub_input(asked)).await;
    assert!(!answer.calls[0].arguments.to_string().contains("bob"), "{answer:?}");

    let history = [
        user("go"),
        assistant_with_calls("", [tool_call("z", "f", r#"{"m":"bob@example.com"}"#)]),
        tool_result("z", "f", "mail bob@example.com please"),
    ];
    let answer = both(&sidecar, scrub_input(request(history))).await;
    assert_eq!(answer.content, "mail <EMAIL_ADDRESS> please");
}

#[tokio::test]
async fn tokens_are_counted_between_both() {
    let sidecar = Sidecar::start();
    let plain = request([user("from 10.8.9.1, 10.8.9.2 and 10.8.9.3")]);
    let tokens = async |asked| {
        let usage = both(&sidecar, asked).await.response.outputs[0].usage.unwrap();
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
async fn alpha1_scrubs_input_by_input() {
    let sidecar = Sidecar::start();
    let mut client = sidecar.client().await;
    let cases = [
        (alpha1(&[(TEXT, true), ("10.8.9.1", false)], false), format!("{SCRUBBED}\n10.8.9.1")),
        (alpha1(&[("10.8.9.1", false), (TEXT, true)], false), format!("10.8.9.1\n{SCRUBBED}")),
        (alpha1(&[(TEXT, false), ("10.8.9.1", false)], true), format!("{SCRUBBED}\n<IP>")),
    ];
    for (asked, expected) in cases {
        let answer = client.converse_alpha1(asked.clone()).await.unwrap().into_inner();
        assert_eq!(answer.outputs[0].result, expected);
        let (text, complete) = stream_alpha1(&sidecar, asked).await;
        assert_eq!((&text, &complete.outputs[0].result), (&expected, &expected));
    }
}

fn content(answer: &Value) -> &Value {
    &answer["outputs"][0]["choices"][0]["message"]["content"]
}

#[tokio::test]
async fn over_http_each_version_has_its_spelling() {
    let sidecar = Sidecar::start();
    let messages = json!([{"ofUser": {"content": [{"text": TEXT}]}}]);
    let cases = [
        (json!({"inputs": [{"scrubPii": true, "messages": messages}]}), SCRUBBED),
        (json!({"inputs": [{"scrub_pii": true, "messages": messages}]}), SCRUBBED),
        (json!({"scrubPii": true, "inputs": [{"messages": messages}]}), SCRUBBED),
        // daprd, too, passes over Alpha1's spelling here.
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
async fn events_are_scrubbed_before_they_are_cut() {
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
async fn large_texts_are_scrubbed_on_their_own_threads() {
    let sidecar = Sidecar::start();
    let text = "bob@example.com\n".repeat(10_000);
    let expected = "<EMAIL_ADDRESS>\n".repeat(10_000);
    let asked = request([user(&text)]);
    assert!(both(&sidecar, scrub_input(asked.clone())).await.content == expected);
    assert!(both(&sidecar, scrub_output(asked)).await.content == expected);
}

#[tokio::test]
async fn a_component_may_be_strict() {
    let sidecar = Sidecar::with_components(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {name: echo}\nspec:\n  \
         type: conversation.echo\n  version: v1\n  metadata: [{name: piiScrubber, value: strict}]\n",
    );
    let asked = request([user("5551234567 5551234568 https://x.com/5551234567")]);
    // The slash belongs to the match.
    let strict = "<ISBN><CREDIT_CARD><ISBN> https://x.com<PHONE_NUMBER>";
    assert_eq!(both(&sidecar, scrub_input(asked.clone())).await.content, strict);
    assert_eq!(both(&sidecar, scrub_output(asked.clone())).await.content, strict);
    let dapr = "<ISBN> <CREDIT_CARD>6<ISBN> https://x.com/5551234567";
    assert_eq!(both(&Sidecar::start(), scrub_output(asked)).await.content, dapr);
}
