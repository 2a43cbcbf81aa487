//! Parts of messages that are not texts.

use serde_json::{Value, json};

use super::{asking, complete, message, with};
use crate::support::Sidecar;

fn image(url: &str) -> Value {
    json!({"type": "image_url", "image_url": {"url": url, "detail": "low"}})
}

fn audio(data: &str) -> Value {
    json!({"type": "input_audio", "input_audio": {"data": data, "format": "wav"}})
}

fn file(data: &str) -> Value {
    json!({"type": "file", "file": {"filename": "a.pdf", "file_data": data}})
}

fn with_content(content: &Value) -> Value {
    json!({"model": "echo", "messages": [{"role": "user", "content": content}]})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[tokio::test]
async fn echo_answers_the_texts_beside_attachments() {
    let sidecar = Sidecar::start();
    for part in [image("data:image/png;base64,AAAA"), audio("AAAA"), file("AAAA")] {
        let content = json!([text("Describe"), part, text("it")]);
        let answer = message(&complete(&sidecar, &with_content(&content)).await);
        assert_eq!(answer["content"], "Describe\nit", "{part}");
    }
    let only_image = complete(&sidecar, &with_content(&json!([image("x")]))).await;
    let empty = complete(&sidecar, &asking("")).await;
    assert_eq!(message(&only_image), message(&empty));
}

#[tokio::test]
async fn a_refusal_is_a_text() {
    let sidecar = Sidecar::start();
    let refusal = json!({"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]});
    let messages = json!([refusal, {"role": "user", "content": "hi"}]);
    let reply = complete(&sidecar, &with(asking(""), "messages", messages)).await;
    assert_eq!(message(&reply)["content"], "hi");
}

#[tokio::test]
async fn the_journal_has_the_sizes_of_large_attachments() {
    let sidecar = Sidecar::start();
    let small = image("https://example.com/cat.png");
    let large = [image(&"A".repeat(300)), audio(&"é\"".repeat(50_000)), file(&"A".repeat(300))];
    let content = json!([text("x"), large[0], small, text("y"), large[1], large[2]]);
    for body in [with_content(&content), with(with_content(&content), "model", json!("other"))] {
        assert_eq!(complete(&sidecar, &body).await.status, 200);
    }
    let size = |key: &str, part: &Value| {
        let bytes = part[key].to_string().len();
        json!({"type": part["type"], key: {"bytes": bytes}})
    };
    let stored = json!([
        text("x"),
        size("image_url", &large[0]),
        small,
        text("y"),
        size("input_audio", &large[1]),
        size("file", &large[2]),
    ]);
    let journal = sidecar.get("/mynah/v1/journal").await;
    assert!(journal.body.len() < 10_000);
    for entry in journal.json()["entries"].as_array().unwrap() {
        assert_eq!(entry["request"]["messages"][0]["content"], stored);
    }
    let check = json!({"match": {"user": "x\ny"}, "count": 2});
    let verdict = sidecar.post("/mynah/v1/verify", check.to_string()).await;
    assert_eq!(verdict.status, 200, "{}", verdict.body);
}
