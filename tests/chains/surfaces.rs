//! Tests that a chain gives the same answer on every surface.

use mynah::internals::wire::{
    json,
    proto::{ConversationInput, ConversationRequest, ConversationRequestAlpha2},
};
use serde_json::{Value, json};
use tonic::Code;

use super::{chain, reason, scripted, tagged, text};
use crate::support::{
    Sidecar,
    http::Reply,
    messages::{Answer, assistant, request, tool, tool_result},
    stream, stream_alpha1,
};

const ALPHA1: &str = "/v1.0-alpha1/conversation/echo/converse";
const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";

/// The text, the finish reason and the tool calls.
type Turn = (String, String, Vec<(String, String, Value)>);

fn turn(answer: Answer) -> Turn {
    let calls = answer.calls.into_iter().map(|call| (call.id, call.name, call.arguments));
    (answer.content, answer.finish_reason, calls.collect())
}

/// Returns the turn in a JSON answer.
fn turn_of_json(answer: &Value) -> Turn {
    let choice = &answer["outputs"][0]["choices"][0];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let call = |call: &Value| {
        let function = &call["function"];
        let arguments = serde_json::from_str(function["arguments"].as_str().unwrap()).unwrap();
        (text(&call["id"]), text(&function["name"]), arguments)
    };
    let message = &choice["message"];
    let calls = message["toolCalls"].as_array().into_iter().flatten().map(call).collect();
    (text(&message["content"]), text(&choice["finishReason"]), calls)
}

/// Returns the concatenated chunks of a stream and its final event.
fn events(reply: &Reply) -> (String, Value) {
    let events = reply.events();
    let (last, chunks) = events.split_last().expect("events");
    let text = chunks.iter().map(|(_, data)| data["chunk"]["content"].as_str().unwrap());
    (text.collect(), last.1["complete"].clone())
}

async fn alpha2_turns(sidecar: &Sidecar, request: &ConversationRequestAlpha2) -> [Turn; 4] {
    let body = json::write(request).unwrap();
    let streamed = stream(sidecar, request.clone()).await.unwrap();
    assert_eq!(streamed.chunks.concat(), streamed.answer.content);
    let posted = sidecar.post(ALPHA2, body.clone()).await;
    let (text, complete) = events(&sidecar.post_for_events(ALPHA2, body).await);
    assert_eq!(text, turn_of_json(&complete).0);
    [
        turn(sidecar.converse(request.clone()).await.unwrap()),
        turn(streamed.answer),
        turn_of_json(&posted.json()),
        turn_of_json(&complete),
    ]
}

fn alpha1(messages: &[(&str, String)]) -> ConversationRequest {
    let input = |(role, content): &(&str, String)| ConversationInput {
        content: content.clone(),
        role: Some((*role).to_owned()),
        scrub_pii: None,
    };
    let inputs = messages.iter().map(input).collect();
    ConversationRequest { name: "echo".to_owned(), inputs, ..Default::default() }
}

async fn alpha1_texts(sidecar: &Sidecar, request: &ConversationRequest) -> [String; 4] {
    let body = json::write(request).unwrap();
    let unary = sidecar.client().await.converse_alpha1(request.clone()).await.unwrap().into_inner();
    let (streamed, _) = stream_alpha1(sidecar, request.clone()).await;
    let posted = sidecar.post(ALPHA1, body.clone()).await.json();
    let (text, _) = events(&sidecar.post_for_events(ALPHA1, body).await);
    let posted = posted["outputs"][0]["result"].as_str().unwrap().to_owned();
    [unary.outputs[0].result.clone(), streamed, posted, text]
}

#[tokio::test]
async fn texts_are_equal_on_all_surfaces() {
    let sidecar = scripted("");
    let chain_text = json!({"instruction_chain": [
        text("It  rains.\nTake é umbrella "), {"messages": [{"text_message": {"length": 30}}]},
    ]});
    let prompt = format!("<|instruction_start|>{chain_text}<|instruction_end|>");
    let mut history = vec![crate::support::messages::user(&prompt)];
    let mut inputs = vec![("user", prompt)];
    for _ in 0..3 {
        let turns = alpha2_turns(&sidecar, &request(history.clone())).await;
        let texts = alpha1_texts(&sidecar, &alpha1(&inputs)).await;
        let text = turns[0].0.clone();
        assert!(turns.iter().all(|turn| *turn == turns[0]), "{turns:?}");
        assert!(texts.iter().all(|other| *other == text), "{texts:?} {text}");
        history.push(assistant(&text));
        inputs.push(("assistant", text));
    }
    assert_eq!(inputs.last().unwrap().1, "Chain completed - using fallback response");
}

#[tokio::test]
async fn calls_are_equal_on_all_alpha2_surfaces() {
    let sidecar = scripted("");
    let calls = json!([{"name": "f", "args": {"n": 1}}, {"name": "g"}]);
    let steps = chain(json!([
        {"messages": [{"text": "Let me see."}, {"tool_call": calls}]},
        {"messages": [{"tool_results": {}}]},
        {"messages": [{"tool_call": calls}], "finish_reason": "length"},
    ]));
    let tools = ["f", "g"].map(|name| tool(name, Value::Null));
    let mut history = vec![steps];
    let mut ends = Vec::new();
    for _ in 0..3 {
        let mut request = request(history.clone());
        request.tools = tools.clone().into();
        let [first, others @ ..] = alpha2_turns(&sidecar, &request).await;
        assert!(others.iter().all(|turn| *turn == first), "{first:?} {others:?}");
        history.push(assistant(&first.0));
        history.push(tool_result(first.2.first().map_or("", |call| &call.0), "f", "sunny"));
        ends.push((first.0, first.1, first.2.len()));
    }
    let end = |text: &str, reason: &str, calls| (text.to_owned(), reason.to_owned(), calls);
    assert_eq!(
        ends,
        [end("Let me see.", "tool_calls", 2), end("sunny", "stop", 0), end("", "length", 2),]
    );
}

#[tokio::test]
async fn rejects_calls_on_alpha1() {
    let sidecar = scripted("");
    let step = json!({"messages": [{"tool_call": [{"name": "f"}]}]});
    let prompt = format!("<|instruction_start|>{step}<|instruction_end|>");
    let request = alpha1(&[("user", prompt)]);
    let expected = "chain in message 1, step 1: calls \"f\", which the request does not offer; \
        offered: none; ConverseAlpha1 cannot offer any; to call it anyway, set allow_unoffered in \
        a rule, or allowUnoffered in the component";
    let mut client = sidecar.client().await;
    let unary = client.converse_alpha1(request.clone()).await.unwrap_err();
    let streamed = client.converse_stream_alpha1(request.clone()).await.unwrap_err();
    for status in [unary, streamed] {
        assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, expected));
    }
    let body = json::write(&request).unwrap();
    for reply in
        [sidecar.post(ALPHA1, body.clone()).await, sidecar.post_for_events(ALPHA1, body).await]
    {
        assert_eq!(reply.status, 400);
        assert_eq!(reply.json()["errorCode"], "ERR_CONVERSATION_INVOKE");
        assert!(reply.json()["message"].as_str().unwrap().ends_with(expected));
    }
}

#[tokio::test]
async fn sends_the_finish_reason_and_usage_of_a_step() {
    let step = json!({"messages": [{"text": "x"}], "reasoning": {"length": 7},
        "finish_reason": "content_filter", "usage": {"prompt_tokens": 100, "completion_tokens": 50}});
    let sidecar = scripted("{name: model, value: parrot-9}");
    let request = request([tagged(&step.to_string())]);
    let reply = sidecar.post(ALPHA2, json::write(&request).unwrap()).await;
    assert_eq!(
        reply.json(),
        json!({"outputs": [{
            "model": "parrot-9",
            "choices": [{"finishReason": "content_filter", "message": {"content": "x"}}],
            "usage": {"promptTokens": "100", "completionTokens": "50", "totalTokens": "150",
                "completionTokensDetails": {"reasoningTokens": "7"}},
        }]})
    );
}
