//! Embeddings.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use super::{scripted, with};
use crate::support::{Sidecar, http::Reply};

const EMBEDDINGS: &str = "/v1/embeddings";

async fn embed(sidecar: &Sidecar, body: &Value) -> Reply {
    sidecar.post(EMBEDDINGS, body.to_string()).await
}

fn request(input: &Value) -> Value {
    json!({"model": "text-embedding-3-small", "input": input})
}

fn numbers(embedding: &Value) -> Vec<f64> {
    embedding.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// Returns the vectors of these inputs.
async fn vectors(sidecar: &Sidecar, input: &Value) -> Vec<Vec<f64>> {
    let reply = embed(sidecar, &request(input)).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let reply = reply.json();
    reply["data"].as_array().unwrap().iter().map(|it| numbers(&it["embedding"])).collect()
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[tokio::test]
async fn every_text_has_a_unit_vector() {
    let sidecar = Sidecar::start();
    let reply = embed(&sidecar, &request(&json!(["Hello, world!", "?!", "to be"]))).await;
    assert_eq!((reply.status, reply.content_type.as_str()), (200, "application/json"));
    let answer = reply.json();
    assert_eq!(
        (&answer["object"], &answer["model"]),
        (&json!("list"), &json!("text-embedding-3-small"))
    );
    assert_eq!(answer["usage"], json!({"prompt_tokens": 5, "total_tokens": 5}));
    for (at, item) in answer["data"].as_array().unwrap().iter().enumerate() {
        assert_eq!((&item["object"], &item["index"]), (&json!("embedding"), &json!(at)));
        let vector = numbers(&item["embedding"]);
        assert_eq!(vector.len(), 1536);
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-6);
    }
    let again = embed(&Sidecar::start(), &request(&json!(["Hello, world!", "?!", "to be"]))).await;
    assert_eq!(again.body, reply.body);
}

#[tokio::test]
async fn equal_texts_are_equal_and_similar_texts_are_near() {
    let sidecar = Sidecar::start();
    let texts = json!([
        "What is the capital of France?",
        "Paris is the capital of France.",
        "The recipe needs two eggs.",
        "What is the capital of France?",
    ]);
    let vectors = vectors(&sidecar, &texts).await;
    assert_eq!(vectors[0], vectors[3]);
    let (near, far) = (cosine(&vectors[0], &vectors[1]), cosine(&vectors[0], &vectors[2]));
    assert!(near > 0.5 && far < 0.3, "{near} {far}");
}

#[tokio::test]
async fn an_input_is_a_text_or_tokens_or_a_list_of_either() {
    let sidecar = Sidecar::start();
    let text = vectors(&sidecar, &json!("hi there")).await;
    assert_eq!(vectors(&sidecar, &json!(["hi there"])).await, text);
    let tokens = vectors(&sidecar, &json!([1, 2, 3])).await;
    assert_eq!(tokens.len(), 1);
    let both = vectors(&sidecar, &json!([[1, 2, 3], [4], [3, 2, 1]])).await;
    assert_eq!((&both[0], &both[2]), (&tokens[0], &tokens[0]));
    assert_ne!(both[1], both[0]);
    let usage = embed(&sidecar, &request(&json!([[1, 2, 3], [4]]))).await.json()["usage"].clone();
    assert_eq!(usage["prompt_tokens"], 4);
}

#[tokio::test]
async fn the_request_chooses_dimensions_and_encoding() {
    let sidecar = Sidecar::start();
    for dimensions in [1, 3, 256, 3072] {
        let body = with(request(&json!("Hello, world!")), "dimensions", json!(dimensions));
        let floats = numbers(&embed(&sidecar, &body).await.json()["data"][0]["embedding"]);
        assert_eq!(floats.len(), dimensions);
        let body = with(body, "encoding_format", json!("base64"));
        let base64 = embed(&sidecar, &body).await.json()["data"][0]["embedding"].clone();
        let bytes = BASE64_STANDARD.decode(base64.as_str().unwrap()).unwrap();
        let decoded = bytes.chunks(4).map(|it| f32::from_le_bytes(it.try_into().unwrap()));
        let expected: Vec<_> = floats.iter().map(|float| *float as f32).collect();
        assert_eq!(decoded.collect::<Vec<_>>(), expected);
    }
}

#[tokio::test]
async fn invalid_requests_name_their_parameter() {
    let sidecar = Sidecar::start();
    let with = |key: &str, value: Value| with(request(&json!("hi")), key, value);
    let cases = [
        (json!({"model": "echo"}), "input", "missing"),
        (request(&json!("")), "input", "the text is empty"),
        (request(&json!([])), "input", "empty; expected a text or an array of texts"),
        (request(&json!(["a", ""])), "input[1]", "the text is empty"),
        (request(&json!([[1], []])), "input[1]", "there are no tokens"),
        (request(&json!([1, "a"])), "input", "expected an array of tokens only"),
        (request(&json!(["a", 1])), "input[1]", "expected a text or an array of tokens"),
        (request(&json!([-1])), "input", "invalid value: a negative number, expected a text"),
        (request(&json!({"a": 1})), "input", "invalid type: map, expected a text"),
        (request(&json!(vec!["a"; 2049])), "input", "2049 texts; expected at most 2048"),
        (with("dimensions", json!(0)), "dimensions", "0 is out of range; expected 1 to 3072"),
        (with("dimensions", json!(3073)), "dimensions", "3073 is out of range; expected 1 to 3072"),
        (with("encoding_format", json!("int8")), "encoding_format", "\"int8\" is not supported"),
    ];
    for (body, param, reason) in cases {
        let reply = embed(&sidecar, &body).await;
        let error = reply.json()["error"].clone();
        assert_eq!(
            (reply.status, &error["type"]),
            (400, &json!("invalid_request_error")),
            "{body}"
        );
        let got = error["param"].as_str().unwrap();
        assert!(got == param || got.starts_with(&format!("{param}[")), "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("{got}: {reason}")), "{message}");
    }
}

#[tokio::test]
async fn models_are_those_of_completions() {
    let sidecar = scripted(&["alpha", "beta"]);
    let body = |model: &str| json!({"model": model, "input": "hi"});
    assert_eq!(embed(&sidecar, &body("beta")).await.json()["model"], "beta");
    let reply = embed(&sidecar, &body("gamma")).await;
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (404, &json!("model_not_found")));
    let path = "/v1/openai/deployments/beta/embeddings?api-version=2024-10-21";
    let reply = sidecar.post(path, json!({"input": "hi"}).to_string()).await;
    assert_eq!((reply.status, &reply.json()["model"]), (200, &json!("beta")));
}

#[tokio::test]
async fn answers_are_charged_to_the_memory_budget() {
    let sidecar = Sidecar::start_with(&["--max-memory=32Mi"]);
    let body = with(request(&json!(vec!["a"; 2048])), "dimensions", json!(3072));
    let reply = embed(&sidecar, &body).await;
    assert_eq!(reply.status, 503, "{}", &reply.body[..reply.body.len().min(200)]);
    assert!(reply.json()["error"]["message"].as_str().unwrap().contains("memory limit"));
    assert_eq!(embed(&sidecar, &request(&json!("hi"))).await.status, 200);
}

#[tokio::test]
async fn embeddings_are_not_in_the_journal() {
    let sidecar = Sidecar::start();
    assert_eq!(embed(&sidecar, &request(&json!("hi"))).await.status, 200);
    assert_eq!(sidecar.get("/mynah/v1/journal").await.json()["entries"], json!([]));
}
