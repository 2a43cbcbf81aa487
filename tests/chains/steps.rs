//! Tests of the contents of a step: text, calls, reasoning, errors and filler.

use serde_json::{Value, json};

use super::{answer, chain, content, failure, filler, scripted, tagged, text};
use crate::support::{
    messages::{assistant, request, tool, user},
    stream,
};

#[tokio::test]
async fn follows_a_chain_of_four_steps() {
    let call = json!([{"tool_call": [{"name": "get_weather", "args": {"location": "Paris"}}]}]);
    let steps = chain(json!([
        {"reasoning": {"length": 150}},
        {"id_message": "Something interesting", "messages": call},
        {"messages": call},
        {"id_message": "Now responding with summary", "messages": [{"text_message": {"length": 20}}]},
    ]));
    let sidecar = scripted("");
    let mut history = vec![steps];
    let mut turns = Vec::new();
    for _ in 0..4 {
        let mut request = request(history.clone());
        request.tools = vec![tool("get_weather", Value::Null)];
        let answer = sidecar.converse(request).await.unwrap();
        turns.push((answer.content.clone(), answer.called_tools().join(","), answer.finish_reason));
        history.extend([assistant("."), user("next")]);
    }
    let turn =
        |text: &str, call: &str, end: &str| (text.to_owned(), call.to_owned(), end.to_owned());
    assert_eq!(
        turns,
        [
            turn("", "", "stop"),
            turn("", "get_weather", "tool_calls"),
            turn("", "get_weather", "tool_calls"),
            turn(&filler(20), "", "stop"),
        ]
    );
}

#[tokio::test]
async fn nests_a_chain_in_the_arguments_of_a_call() {
    let inner = format!(
        "Go <|instruction_start|>{}<|instruction_end|>",
        json!({"instruction_chain": [text("from \"within\"")]})
    );
    let step = json!({"messages": [{"tool_call": [{"name": "Agent", "args": {"prompt": inner}}]}]});
    let mut request = request([chain(json!([step]))]);
    request.tools = vec![tool("Agent", json!({}))];
    let sidecar = scripted("");
    let answer = sidecar.converse(request).await.unwrap();
    assert_eq!(answer.called_tools(), ["Agent"]);
    assert_eq!(answer.calls[0].arguments["prompt"], inner);
    // A sub-agent that receives this prompt follows the inner chain.
    assert_eq!(content(&sidecar, [user(&inner)]).await, "from \"within\"");
}

#[tokio::test]
async fn counts_reasoning_in_the_usage() {
    for (messages, content, words) in [
        (json!([{"text_message": {"length": 50}}]), filler(50), 100),
        (Value::Null, String::new(), 200),
        (json!([]), String::new(), 50),
    ] {
        let answer = answer(json!({"reasoning": {"length": words}, "messages": messages})).await;
        assert_eq!((answer.content.as_str(), answer.finish_reason.as_str()), (&*content, "stop"));
        let usage = answer.response.outputs[0].usage.unwrap();
        let text_tokens = (content.len() as u64 / 4).max(1);
        assert_eq!(usage.completion_tokens, text_tokens + words);
        assert_eq!(usage.completion_tokens_details.unwrap().reasoning_tokens, words);
        assert_eq!(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
    }
}

#[tokio::test]
async fn omits_labels_from_the_answer() {
    let step = json!({"id": "secret-id", "id_message": "secret", "messages": [{"text": "x"}]});
    let whole = format!("{:?}", answer(step).await.response);
    assert!(!whole.contains("secret"), "{whole}");
}

#[tokio::test]
async fn rejects_an_empty_step() {
    let steps = json!([{}, {"messages": [{"text_message": {"length": 10}}]}]);
    let (_, message) = failure(&scripted(""), request([chain(steps)])).await;
    assert_eq!(
        message,
        "chain in message 1, step 1: needs one of messages, respond, reasoning, error, delay, empty, cut_after"
    );
}

#[tokio::test]
async fn keeps_the_order_and_ids_of_calls() {
    let calls = json!([{"name": "b", "args": {"n": 1}, "id": "mine"}, {"name": "a"}]);
    let mut request = request([chain(json!([{"messages": [{"tool_call": calls}]}]))]);
    request.tools = ["a", "b"].map(|name| tool(name, Value::Null)).into();
    let answer = scripted("").converse(request).await.unwrap();
    assert_eq!(answer.called_tools(), ["b", "a"]);
    assert_eq!(
        [&answer.calls[0].arguments, &answer.calls[1].arguments],
        [&json!({"n": 1}), &json!({})]
    );
    assert_eq!(answer.calls[0].id, "mine");
    assert!(answer.calls[1].id.starts_with("call_echo_"), "{}", answer.calls[1].id);
}

#[tokio::test]
async fn answers_with_texts_unchanged() {
    for words in ["Hello world", "", " \n ", "__TOOLS_LIST__", "é\u{1f600}\"\\"] {
        assert_eq!(answer(text(words)).await.content, words);
    }
    let two = json!({"messages": [{"text": ""}, {"text": "a"}, {"json": {"b": 1.50, "a": [ ] }}]});
    assert_eq!(answer(two).await.content, "\n\na\n\n{\"a\":[],\"b\":1.5}");
}

/// Users' tests can depend on the key order and the number format.
#[tokio::test]
async fn keeps_the_key_order_and_number_spelling_of_json() {
    let step = r#"{"messages": [{"json": {"b": 1.50, "a": [ 1e3, "x y" ]}},
        {"tool_call": [{"name": "f", "args": { "z" : 1.0, "y": "\u00e9" }}]}]}"#;
    let mut request = request([tagged(step)]);
    request.tools = vec![tool("f", Value::Null)];
    let answer = scripted("").converse(request).await.unwrap();
    assert_eq!(answer.content, r#"{"b":1.50,"a":[1e3,"x y"]}"#);
    let whole = format!("{:?}", answer.response);
    assert!(whole.contains(r#"{\"z\":1.0,\"y\":\"\\u00e9\"}"#), "{whole}");
}

#[tokio::test]
async fn fails_once_and_then_answers() {
    let steps = chain(json!([{"error": {"code": "UNAVAILABLE"}}, text("fine now")]));
    let sidecar = scripted("");
    let (code, message) = failure(&sidecar, request([steps.clone()])).await;
    assert_eq!((code, message.as_str()), (tonic::Code::Unavailable, "scripted UNAVAILABLE"));
    assert_eq!(content(&sidecar, [steps, assistant("failed")]).await, "fine now");
}

#[tokio::test]
async fn streams_three_words_per_chunk() {
    let words = "alpha beta gamma delta epsilon zeta eta";
    let step = json!({"messages": [{"text": words}], "words_per_chunk": 3});
    let streamed = stream(&scripted(""), request([chain(json!([step]))])).await.unwrap();
    assert_eq!(streamed.chunks, ["alpha beta gamma", " delta epsilon zeta", " eta"]);
    assert_eq!(streamed.answer.content, words);
}

#[tokio::test]
async fn streams_chunks_that_end_within_words() {
    let step = json!({"messages": [{"json": {"city": "Rome"}}], "characters_per_chunk": 6});
    let streamed = stream(&scripted(""), request([chain(json!([step]))])).await.unwrap();
    assert_eq!(streamed.chunks, [r#"{"city"#, r#"":"Rom"#, r#"e"}"#]);
    assert_eq!(streamed.answer.content, r#"{"city":"Rome"}"#);
}

#[tokio::test]
async fn streams_filler_word_by_word() {
    let step = json!({"messages": [{"text_message": {"length": 20}}]});
    let streamed = stream(&scripted(""), request([chain(json!([step]))])).await.unwrap();
    assert_eq!(streamed.chunks.len(), 20);
    assert_eq!(streamed.chunks.concat(), filler(20));
}

#[tokio::test]
async fn streams_a_call_once() {
    let step = json!({"messages": [{"tool_call": [{"name": "getWeather", "args": {}}]}]});
    let mut request = request([chain(json!([step]))]);
    request.tools = vec![tool("getWeather", Value::Null)];
    let sidecar = scripted("");
    assert_eq!(sidecar.converse(request.clone()).await.unwrap().called_tools(), ["getWeather"]);
    let streamed = stream(&sidecar, request).await.unwrap();
    assert!(streamed.chunks.is_empty());
    assert_eq!(streamed.answer.called_tools(), ["getWeather"]);
}

#[tokio::test]
async fn token_counts_can_be_replaced_or_left_out() {
    let with = |usage: Value| json!({"messages": [{"text": "x"}], "reasoning": {"length": 9}, "usage": usage});
    let counts = json!({"prompt_tokens": 100, "completion_tokens": 20, "reasoning_tokens": 5, "cached_tokens": 80});
    let usage = answer(with(counts)).await.response.outputs[0].usage.unwrap();
    assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (100, 20, 120));
    assert_eq!(usage.completion_tokens_details.unwrap().reasoning_tokens, 5);
    assert_eq!(usage.prompt_tokens_details.unwrap().cached_tokens, 80);
    // The reasoning is a part of the answer.
    let few =
        answer(with(json!({"completion_tokens": 4}))).await.response.outputs[0].usage.unwrap();
    assert_eq!(few.completion_tokens_details.unwrap().reasoning_tokens, 4);
    assert_eq!(few.prompt_tokens_details, None);
    let none = answer(with(json!("none"))).await;
    assert_eq!((none.content.as_str(), none.response.outputs[0].usage), ("x", None));
}
