//! What requests may contain, and how it changes the answer.

use serde_json::{Value, json};

use super::{asking, called, chain, complete, message, scripted, tool, user, weather, with};
use crate::support::Sidecar;

#[tokio::test]
async fn an_answer_has_the_form_of_openai() {
    let sidecar = Sidecar::start();
    let reply = complete(&sidecar, &asking("Hello, world!")).await;
    assert_eq!((reply.status, reply.content_type.as_str()), (200, "application/json"));
    let mut answer = reply.json();
    let id = answer["id"].take();
    let id = id.as_str().unwrap().strip_prefix("chatcmpl-").unwrap();
    assert!(id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    let message = json!({"role": "assistant", "content": "Hello, world!", "refusal": null});
    let expected = json!({
        "id": null, "object": "chat.completion", "created": 0, "model": "echo",
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6},
    });
    assert_eq!(answer, expected);
    assert_eq!(complete(&sidecar, &asking("Hello, world!")).await.body, reply.body);
    assert_ne!(complete(&sidecar, &asking("Hello!")).await.json()["id"], reply.json()["id"]);
}

#[tokio::test]
async fn calls_tools_and_answers_with_their_results() {
    let sidecar = Sidecar::start();
    let reply = complete(&sidecar, &weather()).await;
    let (call, finish) =
        (message(&reply)["tool_calls"][0].clone(), reply.json()["choices"][0].clone());
    assert_eq!(finish["finish_reason"], "tool_calls");
    assert_eq!(message(&reply)["content"], Value::Null);
    assert_eq!(call["type"], "function");
    assert_eq!(call["function"], json!({"name": "get_weather", "arguments": r#"{"city":"Oslo"}"#}));
    let mut next = weather();
    let history = next["messages"].as_array_mut().unwrap();
    history.push(message(&reply));
    history.push(json!({"role": "tool", "tool_call_id": call["id"], "content": "3 degrees"}));
    let reply = complete(&sidecar, &next).await;
    assert_eq!(called(&reply), [""; 0]);
    assert!(message(&reply)["content"].as_str().unwrap().contains("3 degrees"), "{}", reply.body);
}

#[tokio::test]
async fn the_same_history_gives_the_same_answer_as_daprs_api() {
    let sidecar = Sidecar::start();
    let openai = message(&complete(&sidecar, &weather()).await);
    let body = json!({
        "inputs": [{"messages": [{"ofUser": {"content": [{"text": "What is the weather in Oslo?"}]}}]}],
        "tools": [{"function": tool("get_weather")["function"]}],
    });
    let dapr = sidecar.post("/v1.0-alpha2/conversation/echo/converse", body.to_string()).await;
    let dapr = dapr.json()["outputs"][0]["choices"][0]["message"]["toolCalls"][0].clone();
    assert_eq!(openai["tool_calls"][0]["id"], dapr["id"]);
    assert_eq!(openai["tool_calls"][0]["function"], dapr["function"]);
}

#[tokio::test]
async fn accepts_every_role_and_texts_in_parts() {
    let sidecar = Sidecar::start();
    let parts = json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]);
    let calls =
        json!([{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]);
    let messages = json!([
        {"role": "system", "content": "s"},
        {"role": "developer", "content": parts, "name": "d"},
        user("earlier"),
        {"role": "assistant", "content": null, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "1", "content": parts},
        {"role": "assistant", "content": "answer"},
        {"role": "user", "content": parts},
    ]);
    let reply = complete(&sidecar, &json!({"messages": messages})).await;
    assert_eq!(message(&reply)["content"], "one\ntwo");
    // Without a model, the answer names the component.
    assert_eq!(reply.json()["model"], "echo");
}

#[tokio::test]
async fn accepts_settings_without_effect() {
    let sidecar = Sidecar::start();
    let settings = json!({
        "temperature": 0.3, "top_p": 1, "seed": 7, "stop": ["x"], "max_tokens": 5, "max_completion_tokens": 6,
        "user": "u", "store": null, "logprobs": false, "metadata": {"k": "v"}, "frequency_penalty": 1.5,
        "tools": null, "tool_choice": null, "response_format": {"type": "text"}, "n": null, "unknown": [{}],
    });
    let mut body = asking("hi");
    body.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    assert_eq!(message(&complete(&sidecar, &body).await)["content"], "hi");
}

#[tokio::test]
async fn tool_choice_decides_what_is_called() {
    let sidecar = Sidecar::start();
    let body = with(
        asking("What is the weather in Oslo? Send mail."),
        "tools",
        json!([tool("get_weather"), tool("send_mail"), tool("get_time"),]),
    );
    let function = |name: &str| json!({"type": "function", "function": {"name": name}});
    let allowed = |mode: &str, names: &[&str]| {
        let tools: Vec<_> = names.iter().map(|name| function(name)).collect();
        json!({"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}})
    };
    let cases: [(Value, &[&str]); 9] = [
        (json!("auto"), &["get_weather", "send_mail"]),
        (json!("none"), &[]),
        (json!("required"), &["get_weather", "send_mail"]),
        (json!("get_time"), &["get_time"]),
        (function("get_time"), &["get_time"]),
        (allowed("auto", &["send_mail"]), &["send_mail"]),
        (allowed("auto", &["get_time"]), &[]),
        (allowed("required", &["get_time"]), &["get_time"]),
        (allowed("auto", &[]), &[]),
    ];
    for (choice, expected) in cases {
        let reply = complete(&sidecar, &with(body.clone(), "tool_choice", choice.clone())).await;
        assert_eq!(called(&reply), expected, "{choice}");
    }
    // daprd sends any text if there are no tools.
    let reply = complete(&sidecar, &with(asking("hi"), "tool_choice", json!("anything"))).await;
    assert_eq!(message(&reply)["content"], "hi");
}

#[tokio::test]
async fn without_parallel_calls_one_tool_is_called() {
    let sidecar = Sidecar::start();
    let tools = json!([tool("get_weather"), tool("get_time")]);
    let body = with(asking("What is the weather and the time?"), "tools", tools);
    assert_eq!(called(&complete(&sidecar, &body).await), ["get_weather", "get_time"]);
    let body = with(body, "parallel_tool_calls", json!(false));
    assert_eq!(called(&complete(&sidecar, &body).await), ["get_weather"]);
    let streamed = complete(&sidecar, &with(body, "stream", json!(true))).await;
    assert!(streamed.body.contains("get_weather") && !streamed.body.contains("get_time"));
    // The journal has the calls that the client received.
    let journal = sidecar.get("/mynah/v1/journal").await.json();
    let calls = |entry: &Value| entry["response"]["tool_calls"].as_array().unwrap().len();
    let counts: Vec<_> = journal["entries"].as_array().unwrap().iter().map(calls).collect();
    assert_eq!(counts, [2, 1, 1]);
}

#[tokio::test]
async fn several_choices_are_equal() {
    let sidecar = Sidecar::start();
    let reply = complete(&sidecar, &with(weather(), "n", json!(16))).await;
    let choices = reply.json()["choices"].as_array().unwrap().clone();
    assert_eq!(choices.len(), 16);
    for (at, choice) in choices.iter().enumerate() {
        assert_eq!(choice["index"], at);
        assert_eq!(choice["message"], choices[0]["message"]);
    }
}

#[tokio::test]
async fn response_formats_shape_the_answer() {
    let sidecar = Sidecar::start();
    let schema =
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let cases = [
        (json!({"type": "json_object"}), json!({"text": "I live in Oslo"})),
        (
            json!({"type": "json_schema", "json_schema": {"name": "n", "strict": true, "schema": schema}}),
            json!({"city": "Oslo"}),
        ),
    ];
    for (format, expected) in cases {
        let body = with(asking("I live in Oslo"), "response_format", format.clone());
        let message = message(&complete(&sidecar, &body).await);
        let content: Value = serde_json::from_str(message["content"].as_str().unwrap()).unwrap();
        assert_eq!(content, expected, "{format}");
    }
}

#[tokio::test]
async fn chains_see_the_whole_history() {
    let sidecar = scripted(&["chains"]);
    let steps = ["first", "second"].map(|text| json!({"messages": [{"text": text}]}));
    let mut messages = vec![chain(&json!(steps))];
    for expected in ["first", "second"] {
        let reply = complete(&sidecar, &json!({"messages": messages})).await;
        assert_eq!(message(&reply)["content"], expected);
        messages.extend([message(&reply), user("go on")]);
    }
}

/// Bodies that daprd 1.18.0 sent to a stub, recorded.
#[tokio::test]
async fn answers_what_daprd_sends() {
    let sidecar = Sidecar::start();
    let requests: Value = serde_json::from_str(include_str!("daprd_requests.json")).unwrap();
    for request in requests.as_array().unwrap() {
        let path = request["path"].as_str().unwrap();
        let reply = sidecar.post(path, request["body"].to_string()).await;
        assert_eq!(reply.status, 200, "{}: {}", request["name"], reply.body);
        assert_eq!(reply.json()["model"], request["body"]["model"], "{}", request["name"]);
    }
}
