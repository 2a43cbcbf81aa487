//! The Responses API: requests and whole answers.

use serde_json::{Value, json};

use super::{asking, chain, complete, scripted, with};
use crate::support::{Sidecar, http::Reply};

pub(super) const RESPONSES: &str = "/v1/responses";

pub(super) async fn respond(sidecar: &Sidecar, body: &Value) -> Reply {
    sidecar.post(RESPONSES, body.to_string()).await
}

pub(super) async fn response(sidecar: &Sidecar, body: &Value) -> Value {
    let reply = respond(sidecar, body).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()
}

pub(super) fn request(input: &Value) -> Value {
    json!({"model": "echo", "input": input})
}

fn tool(name: &str) -> Value {
    let city =
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    json!({"type": "function", "name": name, "description": "d", "parameters": city})
}

pub(super) fn weather() -> Value {
    with(request(&json!("What is the weather in Oslo?")), "tools", json!([tool("get_weather")]))
}

pub(super) fn text(response: &Value) -> &str {
    response["output"][0]["content"][0]["text"].as_str().unwrap()
}

/// Returns the names of the called tools.
fn called(response: &Value) -> Vec<&str> {
    let items = response["output"].as_array().unwrap();
    let calls = items.iter().filter(|item| item["type"] == "function_call");
    calls.map(|call| call["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn answers_with_a_whole_response() {
    let sidecar = Sidecar::start();
    let body = with(request(&json!("Hello, world!")), "metadata", json!({"k": "v"}));
    let reply = respond(&sidecar, &body).await;
    assert_eq!((reply.status, reply.content_type.as_str()), (200, "application/json"));
    let answer = reply.json();
    let hash = answer["id"].as_str().unwrap().strip_prefix("resp_").unwrap().to_owned();
    let part = json!({
        "type": "output_text", "text": "Hello, world!", "annotations": [], "logprobs": [],
    });
    let message = json!({
        "id": format!("msg_{hash}"), "type": "message", "status": "completed",
        "role": "assistant", "content": [part],
    });
    let expected = json!({
        "id": format!("resp_{hash}"), "object": "response", "created_at": 0,
        "status": "completed", "error": null, "incomplete_details": null, "model": "echo",
        "output": [message],
        "usage": {
            "input_tokens": 3, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 3, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 6,
        },
        "background": false, "instructions": null, "max_output_tokens": null,
        "max_tool_calls": null, "metadata": {"k": "v"}, "parallel_tool_calls": true,
        "previous_response_id": null, "reasoning": {"effort": null, "summary": null},
        "service_tier": "default", "store": true, "temperature": 1.0,
        "text": {"format": {"type": "text"}}, "tool_choice": "auto", "tools": [], "top_p": 1.0,
        "truncation": "disabled", "user": null,
    });
    assert_eq!(answer, expected);
    assert_eq!(respond(&Sidecar::start(), &body).await.body, reply.body);
}

#[tokio::test]
async fn calls_tools_and_answers_with_their_results() {
    let sidecar = Sidecar::start();
    let asked = response(&sidecar, &weather()).await;
    let call = asked["output"][0].clone();
    assert_eq!((&call["type"], &call["status"]), (&json!("function_call"), &json!("completed")));
    assert_eq!(
        (&call["name"], &call["arguments"]),
        (&json!("get_weather"), &json!(r#"{"city":"Oslo"}"#))
    );
    assert_eq!(asked["tools"], weather()["tools"]);
    let output =
        json!({"type": "function_call_output", "call_id": call["call_id"], "output": "3 degrees"});
    let history =
        json!([{"role": "user", "content": "What is the weather in Oslo?"}, call, output]);
    let answer = response(&sidecar, &with(weather(), "input", history)).await;
    assert!(called(&answer).is_empty() && text(&answer).contains("3 degrees"), "{answer}");
    // The response has the call, so the output is enough.
    let next = with(weather(), "input", json!([output]));
    let next = with(next, "previous_response_id", asked["id"].clone());
    let continued = response(&sidecar, &next).await;
    assert_eq!(text(&continued), text(&answer));
    assert_eq!(continued["previous_response_id"], asked["id"]);
}

#[tokio::test]
async fn the_same_history_gives_the_same_answer_as_chat_completions() {
    let sidecar = Sidecar::start();
    let here = response(&sidecar, &with(weather(), "instructions", json!("Be brief."))).await;
    let function = json!({"type": "function", "function": {
        "name": "get_weather", "description": "d", "parameters": tool("")["parameters"],
    }});
    let messages = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What is the weather in Oslo?"},
    ]);
    let there = with(with(asking(""), "messages", messages), "tools", json!([function]));
    let there = complete(&sidecar, &there).await.json();
    let call = &there["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(here["output"][0]["call_id"], call["id"]);
    assert_eq!(here["usage"]["input_tokens"], there["usage"]["prompt_tokens"]);
}

#[tokio::test]
async fn accepts_every_role_item_and_part() {
    let sidecar = Sidecar::start();
    let parts = json!([
        {"type": "input_text", "text": "one"},
        {"type": "input_image", "image_url": "https://example.com/cat.png", "detail": "auto"},
        {"type": "input_file", "filename": "a.pdf", "file_data": "AAAA"},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        {"type": "input_text", "text": "two"},
    ]);
    let output = json!([{"type": "output_text", "text": "answer", "annotations": []}]);
    let input = json!([
        {"role": "system", "content": "s"},
        {"type": "message", "role": "developer", "content": parts},
        {"role": "user", "content": "earlier"},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}", "id": "fc_1"},
        {"type": "function_call_output", "call_id": "1", "output": parts},
        {"type": "message", "role": "assistant", "content": output, "id": "msg_1"},
        {"role": "user", "content": parts},
    ]);
    assert_eq!(text(&response(&sidecar, &request(&input)).await), "one\ntwo");
}

#[tokio::test]
async fn formats_choices_and_limits_shape_the_answer() {
    let sidecar = Sidecar::start();
    let schema =
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let format = json!({"type": "json_schema", "name": "n", "strict": true, "schema": schema});
    let body = with(request(&json!("I live in Oslo")), "text", json!({ "format": format }));
    let answer = response(&sidecar, &body).await;
    assert_eq!((text(&answer), &answer["text"]["format"]), (r#"{"city":"Oslo"}"#, &format));
    let body = with(request(&json!("one two three four")), "max_output_tokens", json!(2));
    let answer = response(&sidecar, &body).await;
    assert_eq!((text(&answer), &answer["status"]), ("one two ", &json!("incomplete")));
    assert_eq!(answer["incomplete_details"], json!({"reason": "max_output_tokens"}));
    let body = with(
        request(&json!("What is the weather in Oslo? Send mail.")),
        "tools",
        json!([tool("get_weather"), tool("send_mail"), tool("get_time")]),
    );
    let function = |name: &str| json!({"type": "function", "name": name});
    let allowed =
        json!({"type": "allowed_tools", "mode": "auto", "tools": [function("send_mail")]});
    let cases: [(Value, &[&str]); 5] = [
        (json!("auto"), &["get_weather", "send_mail"]),
        (json!("none"), &[]),
        (json!("required"), &["get_weather", "send_mail"]),
        (function("get_time"), &["get_time"]),
        (allowed, &["send_mail"]),
    ];
    for (choice, expected) in cases {
        let answer = response(&sidecar, &with(body.clone(), "tool_choice", choice.clone())).await;
        assert_eq!(called(&answer), expected, "{choice}");
    }
    let body = with(body, "parallel_tool_calls", json!(false));
    assert_eq!(called(&response(&sidecar, &body).await), ["get_weather"]);
}

#[tokio::test]
async fn invalid_requests_name_their_parameter() {
    let sidecar = Sidecar::start();
    let with = |key: &str, value: Value| with(request(&json!("hi")), key, value);
    let item = |item: Value| request(&json!([item]));
    let part = |part: Value| item(json!({"role": "user", "content": [part]}));
    let cases = [
        (json!({"model": "echo"}), "input", "missing; expected a text or an array of items"),
        (
            request(&json!(5)),
            "input",
            "invalid type: integer `5`, expected a text or an array of items",
        ),
        (item(json!({"content": "x"})), "input[0].role", "missing"),
        (
            item(json!({"role": "tool"})),
            "input[0].role",
            "\"tool\" is not supported; expected an item",
        ),
        (item(json!({"role": "human"})), "input[0].role", "unknown variant `human`"),
        (
            item(json!({"type": "web_search_call"})),
            "input[0].type",
            "\"web_search_call\" is not supported",
        ),
        (item(json!({"type": "function_call", "name": "f"})), "input[0].call_id", "missing"),
        (
            item(json!({"type": "function_call_output", "call_id": "1"})),
            "input[0].output",
            "missing",
        ),
        (part(json!({"type": "input_text"})), "input[0].content[0].text", "missing"),
        (part(json!({"type": "input_image"})), "input[0].content[0].image_url", "missing"),
        (part(json!({"type": "video"})), "input[0].content[0].type", "\"video\" is not supported"),
        (
            with("tools", json!([{"type": "web_search"}])),
            "tools[0].type",
            "\"web_search\" is not supported, because mynah runs no built-in tools; expected \"function\"",
        ),
        (with("tools", json!([{"type": "function"}])), "tools[0].name", "missing"),
        (with("tool_choice", json!({"type": "file_search"})), "tool_choice", "unknown variant"),
        (with("background", json!(true)), "background", "true is not supported"),
        (with("conversation", json!("conv_1")), "conversation", "not supported; expected previous"),
        (with("prompt", json!({"id": "p"})), "prompt", "not supported; expected instructions"),
        (with("max_output_tokens", json!(0)), "max_output_tokens", "0 is out of range"),
        (with("text", json!({"format": {"type": "json_schema"}})), "text.format.schema", "missing"),
        (
            with("text", json!({"format": {"type": "x"}})),
            "text.format.type",
            "\"x\" is not supported",
        ),
    ];
    for (body, param, reason) in cases {
        let reply = respond(&sidecar, &body).await;
        let error = reply.json()["error"].clone();
        assert_eq!((reply.status, &error["param"]), (400, &json!(param)), "{body}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("{param}: {reason}")), "{message}");
    }
}

#[tokio::test]
async fn parts_of_a_response_can_be_missing() {
    let sidecar = scripted(&["chains"]);
    for (part, items) in [("outputs", 0), ("choices", 0), ("message", 1)] {
        let body = request(&chain(&json!([{ "empty": part }]))["content"]);
        let answer = response(&sidecar, &body).await;
        let output = answer["output"].as_array().unwrap();
        assert_eq!(output.len(), items, "{part}: {answer}");
        assert!(output.iter().all(|item| item["content"] == json!([])), "{answer}");
        let streamed = respond(&sidecar, &with(body, "stream", json!(true))).await;
        let events = streamed.events();
        let (name, data) = events.last().unwrap();
        let streamed = data["response"]["output"].as_array().unwrap();
        assert_eq!((*name, streamed.len()), ("response.completed", items));
    }
}

#[tokio::test]
async fn models_are_components() {
    let sidecar = scripted(&["alpha", "beta"]);
    let answer = response(&sidecar, &with(request(&json!("hi")), "model", json!("beta"))).await;
    assert_eq!(answer["model"], "beta");
    let reply = respond(&sidecar, &with(request(&json!("hi")), "model", json!("gamma"))).await;
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (404, &json!("model_not_found")));
}
