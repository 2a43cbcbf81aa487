//! The text of the model's reasoning, which only OpenAI's API transmits.

use std::fs;

use serde_json::{Value, json};

use super::{
    COMPLETIONS, chain, complete, message, scripted,
    streams::{chunks, events},
    with,
};
use crate::support::{Sidecar, http::direct_client, messages, scratch, stream};

#[expect(clippy::needless_pass_by_value, reason = "callers can pass a `json!` literal")]
fn asking(step: Value) -> Value {
    json!({"model": "chains", "messages": [chain(&json!([step]))]})
}

/// Returns the pieces of the reasoning and of the content that chunks add, in order.
fn texts(chunks: &[Value]) -> Vec<(&'static str, String)> {
    let mut texts = Vec::new();
    for chunk in chunks {
        for key in ["reasoning_content", "content"] {
            let text = chunk["choices"][0]["delta"][key].as_str();
            texts.extend(text.filter(|it| !it.is_empty()).map(|it| (key, it.to_owned())));
        }
    }
    texts
}

fn expected(pieces: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    pieces.iter().map(|(key, text)| (*key, (*text).to_owned())).collect()
}

#[tokio::test]
async fn reasoning_precedes_the_answer() {
    let sidecar = scripted(&["chains"]);
    let step = json!({"reasoning": {"length": 3}, "messages": [{"text": "It rains."}]});
    let reply = complete(&sidecar, &asking(step.clone())).await;
    let whole = json!({"role": "assistant", "content": "It rains.",
        "reasoning_content": "lorem ipsum dolor", "refusal": null});
    assert_eq!(message(&reply), whole);
    let details = json!({"reasoning_tokens": 3});
    assert_eq!(reply.json()["usage"]["completion_tokens_details"], details);
    let streamed = [
        ("reasoning_content", "lorem"),
        ("reasoning_content", " ipsum"),
        ("reasoning_content", " dolor"),
        ("content", "It"),
        ("content", " rains."),
    ];
    assert_eq!(texts(&chunks(&sidecar, asking(step)).await), expected(&streamed));
}

#[tokio::test]
async fn reasoning_can_be_a_text_of_the_author() {
    let sidecar = scripted(&["chains"]);
    let step = json!({"reasoning": "It is  autumn.\n", "messages": [{"text": "It rains."}]});
    let reply = complete(&sidecar, &asking(step.clone())).await;
    assert_eq!(message(&reply)["reasoning_content"], "It is  autumn.\n");
    assert_eq!(reply.json()["usage"]["completion_tokens_details"], json!({"reasoning_tokens": 3}));
    let streamed = texts(&chunks(&sidecar, asking(step)).await);
    let reasoning = streamed.iter().filter(|(key, _)| *key == "reasoning_content");
    assert_eq!(reasoning.map(|(_, text)| &**text).collect::<String>(), "It is  autumn.\n");
}

#[tokio::test]
async fn reasoning_of_a_rule_can_be_a_template() {
    let text =
        "rules:\n- {respond: {reasoning: 'They said {{ user }}.', messages: [{text: Yes.}]}}\n";
    let file = scratch("reasoning").join("rules.yaml");
    fs::write(&file, text).unwrap();
    let sidecar = Sidecar::start_with(&["--rules", file.to_str().unwrap()]);
    let body = json!({"model": "echo", "messages": [{"role": "user", "content": "Hi"}]});
    let reply = complete(&sidecar, &body).await;
    assert_eq!(message(&reply)["reasoning_content"], "They said Hi.");
    assert_eq!(message(&reply)["content"], "Yes.");
}

#[tokio::test]
async fn reasoning_is_streamed_for_every_choice_after_the_role() {
    let sidecar = scripted(&["chains"]);
    let step = json!({"reasoning": {"length": 1}});
    let body = with(asking(step), "n", json!(2));
    let chunks = chunks(&sidecar, body).await;
    let deltas = |index: u64| -> Vec<&Value> {
        let choices = chunks.iter().map(|chunk| &chunk["choices"][0]);
        choices.filter(|it| it["index"] == index).map(|it| &it["delta"]).collect()
    };
    for index in 0..2 {
        let role = json!({"role": "assistant", "content": ""});
        let reasoning = json!({"reasoning_content": "lorem"});
        assert_eq!(deltas(index), [&role, &reasoning, &json!({})]);
    }
}

#[tokio::test]
async fn responses_without_a_message_have_no_reasoning() {
    let sidecar = scripted(&["chains"]);
    for part in ["choices", "message"] {
        let step = json!({"reasoning": {"length": 3}, "empty": part});
        let reply = complete(&sidecar, &asking(step.clone())).await;
        assert!(!reply.body.contains("lorem"), "{}", reply.body);
        assert_eq!(texts(&chunks(&sidecar, asking(step)).await), []);
    }
}

/// Returns the text of a stream that breaks off.
async fn broken_text(sidecar: &Sidecar, step: Value) -> String {
    let body = with(asking(step), "stream", json!(true)).to_string();
    let body = sidecar.post_broken(COMPLETIONS, "*/*", body).await;
    texts(&events(&body)).into_iter().map(|(_, text)| text).collect()
}

#[tokio::test]
async fn reasoning_counts_as_chunks_of_a_response_that_breaks_off() {
    let sidecar = scripted(&["chains"]);
    for (chunks, text) in [(1, "lorem"), (2, "lorem ipsum"), (3, "lorem ipsuma")] {
        let step = json!({"reasoning": {"length": 2}, "messages": [{"text": "a b"}],
            "cut_after": chunks});
        assert_eq!(broken_text(&sidecar, step).await, text);
        let fault = json!({"cut_after": chunks}).to_string();
        let request = direct_client().put(sidecar.url("/mynah/v1/faults")).body(fault);
        assert_eq!(sidecar.send(request).await.status, 204);
        let step = json!({"reasoning": {"length": 2}, "messages": [{"text": "a b"}]});
        assert_eq!(broken_text(&sidecar, step).await, text);
        sidecar.send(direct_client().delete(sidecar.url("/mynah/v1/faults"))).await;
    }
}

#[tokio::test]
async fn daprs_api_counts_the_reasoning_but_does_not_transmit_it() {
    let sidecar = scripted(&["chains"]);
    let step = json!({"reasoning": {"length": 3}, "messages": [{"text": "It rains."}]});
    let prompt = chain(&json!([step]))["content"].as_str().unwrap().to_owned();
    let mut request = messages::request([messages::user(&prompt)]);
    request.name = "chains".to_owned();
    let streamed = stream(&sidecar, request.clone()).await.unwrap();
    assert_eq!(streamed.chunks, ["It", " rains."]);
    let answer = sidecar.converse(request).await.unwrap();
    assert_eq!(answer.content, "It rains.");
    let usage = answer.response.outputs[0].usage.unwrap();
    assert_eq!(usage.completion_tokens_details.unwrap().reasoning_tokens, 3);
}

#[tokio::test]
async fn the_journal_shows_the_reasoning() {
    let sidecar = scripted(&["chains"]);
    let step = json!({"reasoning": {"length": 2}, "messages": [{"text": "It rains."}]});
    complete(&sidecar, &asking(step.clone())).await;
    chunks(&sidecar, asking(step)).await;
    let journal = sidecar.get("/mynah/v1/journal").await.json();
    for call in journal["entries"].as_array().unwrap() {
        assert_eq!(call["response"]["reasoning"], "lorem ipsum", "{journal}");
    }
    assert_eq!(journal["entries"].as_array().unwrap().len(), 2);
}
