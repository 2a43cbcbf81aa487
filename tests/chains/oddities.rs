//! Tests of responses that no well-behaved model gives: parts are missing, or the response breaks off.

use mynah::internals::wire::{
    json,
    proto::{
        ConversationInput, ConversationRequest, ConversationRequestAlpha2,
        conversation_stream_response_alpha2::Message as Part,
    },
};
use serde_json::{Value, json};

use super::{chain, content, scripted, text};
use crate::support::{Sidecar, messages::request, stream};

const ALPHA1: &str = "/v1.0-alpha1/conversation/echo/converse";
const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";
const COMPLETIONS: &str = "/v1/chat/completions";

/// Returns the body of a request to OpenAI's API.
fn completion(request: &ConversationRequestAlpha2, is_streamed: bool) -> String {
    let body: Value = serde_json::from_str(&json::write(request).unwrap()).unwrap();
    let text = &body["inputs"][0]["messages"][0]["ofUser"]["content"][0]["text"];
    let messages = json!([{"role": "user", "content": text}]);
    json!({"model": "echo", "messages": messages, "stream": is_streamed}).to_string()
}

async fn post(sidecar: &Sidecar, path: &str, body: String) -> Value {
    let reply = sidecar.post(path, body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()
}

#[tokio::test]
async fn ends_with_any_finish_reason() {
    let sidecar = scripted("");
    for reason in ["", "function_call", "Ausgefallen é"] {
        let step = json!({"messages": [{"text": "a"}], "finish_reason": reason});
        let request = request([chain(json!([step]))]);
        let answer = sidecar.converse(request.clone()).await.unwrap();
        assert_eq!(answer.finish_reason, reason);
        let streamed = stream(&sidecar, request.clone()).await.unwrap();
        assert_eq!(streamed.answer.finish_reason, reason);
        let answer = post(&sidecar, COMPLETIONS, completion(&request, false)).await;
        assert_eq!(answer["choices"][0]["finish_reason"], reason);
        let events = sidecar.post(COMPLETIONS, completion(&request, true)).await.body;
        assert!(events.contains(&format!("\"finish_reason\":{}", json!(reason))), "{events}");
    }
}

#[tokio::test]
async fn leaves_out_parts_of_dapr_responses() {
    let sidecar = scripted("");
    for (part, expected) in [
        ("outputs", json!({})),
        ("choices", json!({"outputs": [{"model": "scripted"}]})),
        (
            "message",
            json!({"outputs": [{"choices": [{"finishReason": "stop"}], "model": "scripted"}]}),
        ),
    ] {
        let request = request([chain(json!([{"empty": part}]))]);
        let body = json::write(&request).unwrap();
        let mut answer = post(&sidecar, ALPHA2, body.clone()).await;
        if let Some(output) = answer["outputs"].get_mut(0) {
            assert!(output.as_object_mut().unwrap().remove("usage").is_some(), "{part}");
        }
        let answer = if answer == json!({"outputs": null}) { json!({}) } else { answer };
        assert_eq!(answer, expected, "{part}");

        let mut client = sidecar.client().await;
        let unary = client.converse_alpha2(request.clone()).await.unwrap().into_inner();
        let mut streamed =
            client.converse_stream_alpha2(request.clone()).await.unwrap().into_inner();
        let last = streamed.message().await.unwrap().unwrap().message.unwrap();
        let Part::Complete(last) = last else { panic!("{last:?}") };
        assert_eq!(last.outputs, unary.outputs);
        let counts = unary.outputs.first().map(|output| {
            let message = output.choices.first().map(|choice| choice.message.is_some());
            (output.choices.len(), message)
        });
        let expected = match part {
            "outputs" => None,
            "choices" => Some((0, None)),
            _ => Some((1, Some(false))),
        };
        assert_eq!(counts, expected, "{part}");
    }
}

#[tokio::test]
async fn alpha1_leaves_out_its_output() {
    let sidecar = scripted("");
    for part in ["outputs", "choices", "message"] {
        let message = request([chain(json!([{"empty": part}]))]);
        let body: Value = serde_json::from_str(&json::write(&message).unwrap()).unwrap();
        let text = body["inputs"][0]["messages"][0]["ofUser"]["content"][0]["text"].as_str();
        let content = text.unwrap().to_owned();
        let inputs = vec![ConversationInput { content, ..ConversationInput::default() }];
        let name = "echo".to_owned();
        let request = ConversationRequest { name, inputs, ..ConversationRequest::default() };
        let answer = sidecar.client().await.converse_alpha1(request.clone()).await.unwrap();
        assert_eq!(answer.into_inner().outputs.len(), 0, "{part}");
        let answer = post(&sidecar, ALPHA1, json::write(&request).unwrap()).await;
        assert_eq!(answer, json!({}), "{part}");
    }
}

#[tokio::test]
async fn leaves_out_parts_of_openai_responses() {
    let sidecar = scripted("");
    for (part, choices) in [
        ("outputs", json!([])),
        ("choices", json!([])),
        (
            "message",
            json!([
                {"index": 0, "message": null, "logprobs": null, "finish_reason": "stop"}
            ]),
        ),
    ] {
        let request = request([chain(json!([{"empty": part}]))]);
        let answer = post(&sidecar, COMPLETIONS, completion(&request, false)).await;
        assert_eq!(answer["choices"], choices, "{part}");
        let events = sidecar.post(COMPLETIONS, completion(&request, true)).await.body;
        assert!(events.ends_with("data: [DONE]\n\n") && !events.contains("\"role\""), "{events}");
        assert_eq!(events.contains("\"finish_reason\":\"stop\""), part == "message", "{events}");
    }
}

fn cut_after(chunks: usize) -> ConversationRequestAlpha2 {
    let items = json!([{"text": "one two three"}]);
    request([chain(json!([{"messages": items, "cut_after": chunks}]))])
}

#[tokio::test]
async fn breaks_off_grpc_responses() {
    let sidecar = scripted("");
    let texts = ["one", " two", " three"];
    for (chunks, expected) in [(0, &texts[..0]), (2, &texts[..2]), (3, &texts), (9, &texts)] {
        let mut client = sidecar.client().await;
        let mut received = Vec::new();
        if let Ok(stream) = client.converse_stream_alpha2(cut_after(chunks)).await {
            let mut stream = stream.into_inner();
            while let Ok(part) = stream.message().await {
                match part.expect("the stream breaks off").message.unwrap() {
                    Part::Chunk(chunk) => received.push(chunk.content),
                    Part::Complete(complete) => panic!("{complete:?}"),
                }
            }
        }
        assert_eq!(received, expected);
        assert!(client.converse_alpha2(cut_after(chunks)).await.is_err());
        // The connection still works.
        let other = request([chain(json!([text("fine")]))]);
        assert!(client.converse_alpha2(other).await.is_ok());
    }
    assert_eq!(content(&sidecar, [chain(json!([text("fine")]))]).await, "fine");
}

#[tokio::test]
async fn breaks_off_http_responses() {
    let sidecar = scripted("");
    let body = json::write(&cut_after(2)).unwrap();
    assert_eq!(sidecar.post_broken(ALPHA2, "*/*", body.clone()).await, "");
    let events = sidecar.post_broken(ALPHA2, "text/event-stream", body).await;
    assert_eq!(
        events,
        "data: {\"chunk\":{\"content\":\"one\"}}\n\ndata: {\"chunk\":{\"content\":\" two\"}}\n\n"
    );
    let unary = completion(&cut_after(2), false);
    assert_eq!(sidecar.post_broken(COMPLETIONS, "*/*", unary).await, "");
    let events = completion(&cut_after(2), true);
    let events = sidecar.post_broken(COMPLETIONS, "*/*", events).await;
    assert!(events.contains(" two") && !events.contains("three"), "{events}");
    assert!(!events.contains("DONE"), "{events}");
}

#[tokio::test]
async fn breaks_off_a_number_of_times() {
    let sidecar = scripted("");
    let steps = json!([{"messages": [{"text": "a b"}], "cut_after": 1, "times": 1}, text("fine")]);
    let request = request([chain(steps)]);
    assert!(stream(&sidecar, request.clone()).await.is_err());
    assert_eq!(stream(&sidecar, request).await.unwrap().answer.content, "fine");
}
