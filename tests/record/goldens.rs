//! Requests to models and the answers of these, compared with those of daprd.

use std::fs;

use serde::Deserialize;
use serde_json::Value;

use super::server::{Model, mynah_with, response};
use crate::interop::folder;

/// The reply of the server in a case without one.
const TEXT: &str = r#"{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "stub-real-model",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello from stub"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}"#;

/// A request, and what daprd made of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    model: Option<String>,
    version: Option<String>,
    request: Value,
    sent: Option<Value>,
    reply: Option<Reply>,
    answer: Option<Value>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct Reply {
    status: u16,
    r#type: String,
    body: String,
}

#[tokio::test]
async fn requests_and_answers_are_those_of_daprd() {
    let text = fs::read_to_string(folder("tests/record/daprd_openai.yaml")).unwrap();
    let cases: Vec<Case> = serde_saphyr::from_str(&text).unwrap();
    let mut differences = Vec::new();
    for case in cases {
        differences.extend(case.differences().await);
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

impl Case {
    /// Makes the request, and returns what is different.
    async fn differences(self) -> Vec<String> {
        let Self { name, model, version, request, sent, reply, answer, error } = self;
        let reply = reply.unwrap_or_else(Reply::text);
        let mut server =
            Model::start(response(&format!("{} x", reply.status), &reply.r#type, &reply.body))
                .await;
        let sidecar = mynah_with(&server, model.as_deref().unwrap_or("my-model"));
        let version = version.as_deref().unwrap_or("v1.0-alpha2");
        let got = sidecar
            .post(&format!("/{version}/conversation/gpt/converse"), request.to_string())
            .await
            .json();
        let body = if sent.is_some() { Some(server.body().await) } else { None };
        let message = got.get("message").cloned();
        let expected = [
            (message, error.map(Value::from)),
            (answer.as_ref().map(|_| got), answer),
            (body, sent),
        ];
        let differs = |(got, expected): &(Option<Value>, Option<Value>)| got != expected;
        let shown = |(got, expected)| format!("{name}: {got:?} instead of {expected:?}");
        expected.into_iter().filter(differs).map(shown).collect()
    }
}

impl Reply {
    fn text() -> Self {
        Self { status: 200, r#type: "application/json".to_owned(), body: TEXT.to_owned() }
    }
}
