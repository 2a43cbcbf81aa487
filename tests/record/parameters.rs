//! The parameters of requests reach the model, and are a part of what is recorded.

use serde_json::{Value, json};

use super::{
    component, recorded, recorder, replay,
    server::{HI, Model, mynah, named},
    stop,
};
use crate::support::{
    Sidecar,
    http::Reply,
    messages::{encoded_schema, request, user},
    scratch,
};

/// Parameters that OpenAI's API has and Dapr's does not.
fn parameters() -> Value {
    json!({
        "seed": 7, "stop": ["END", "\n"], "top_p": 0.5, "presence_penalty": 0.25, "frequency_penalty": -1,
        "logit_bias": {"50256": -100},
    })
}

/// Returns a request of OpenAI's API with these keys.
fn with(keys: &Value) -> Value {
    let mut body = json!({ "model": "gpt", "messages": [{ "role": "user", "content": "hello" }] });
    body.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    body
}

async fn complete(sidecar: &Sidecar, keys: &Value) -> Reply {
    sidecar.post("/v1/chat/completions", with(keys).to_string()).await
}

#[tokio::test]
async fn parameters_of_openai_are_passed_on() {
    let mut model = Model::json("200 OK", HI).await;
    let sidecar = mynah(&model);
    assert_eq!(complete(&sidecar, &parameters()).await.status, 200);
    let body = model.body().await;
    for (name, value) in parameters().as_object().unwrap() {
        assert_eq!(&body[name], value, "{name}");
    }
    let nothing = json!({ "seed": null, "stop": null, "n": 1, "logit_bias": null });
    assert_eq!(complete(&sidecar, &nothing).await.status, 200);
    let body = model.body().await;
    assert_eq!(
        body,
        json!({ "model": "real", "messages": [{ "role": "user", "content": "hello" }], "temperature": 0.0 })
    );
    let response = json!({ "model": "gpt", "input": "hello", "top_p": 0.5 });
    assert_eq!(sidecar.post("/v1/responses", response.to_string()).await.status, 200);
    assert_eq!(model.body().await["top_p"], 0.5);
}

/// daprd does not pass them on.
#[tokio::test]
async fn parameters_of_dapr_are_not_passed_on() {
    let mut model = Model::json("200 OK", HI).await;
    let body = json!({
        "inputs": [{ "messages": [{ "ofUser": { "content": [{ "text": "hello" }] } }] }],
        "parameters": { "seed": { "@type": "type.googleapis.com/google.protobuf.Int64Value", "value": "7" } },
    });
    let reply =
        mynah(&model).post("/v1.0-alpha2/conversation/gpt/converse", body.to_string()).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(model.body().await.get("seed"), None);
}

#[tokio::test]
async fn parameters_distinguish_recorded_requests() {
    let (model, recordings) = (Model::json("200 OK", HI).await, scratch("recordings"));
    let components = component(&model.endpoint);
    let sidecar = recorder(&components, &recordings);
    assert_eq!(complete(&sidecar, &parameters()).await.status, 200);
    stop(sidecar).await;
    let text = recorded(&recordings);
    assert!(text.contains("parameters:") && text.contains("seed: 7"), "{text}");
    let sidecar = replay(&components, &recordings);
    assert_eq!(complete(&sidecar, &parameters()).await.status, 200);
    let mut other = parameters();
    other["seed"] = json!(8);
    let missed = complete(&sidecar, &other).await;
    assert!(missed.status == 400 && missed.body.contains("parameters.seed"), "{}", missed.body);
}

#[tokio::test]
async fn several_choices_of_a_real_model_are_refused() {
    let (model, recordings) = (Model::json("200 OK", HI).await, scratch("recordings"));
    let components = component(&model.endpoint);
    let expected = json!({ "error": {
        "message": "n is 2; a real model is asked for one choice, expected 1",
        "type": "invalid_request_error", "param": "n", "code": null,
    } });
    for sidecar in [mynah(&model), replay(&components, &recordings)] {
        let refused = complete(&sidecar, &json!({ "n": 2 })).await;
        assert_eq!((refused.status, refused.json()), (400, expected.clone()));
    }
}

#[tokio::test]
async fn formats_of_answers_are_passed_on() {
    let mut model = Model::json("200 OK", HI).await;
    let sidecar = mynah(&model);
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let named_schema = |strict: bool| json!({ "name": "Out", "strict": strict, "schema": schema });
    for strict in [true, false] {
        let format = json!({ "type": "json_schema", "json_schema": named_schema(strict) });
        complete(&sidecar, &json!({ "response_format": format.clone() })).await;
        assert_eq!(model.body().await["response_format"], format);
    }
    let format = json!({ "type": "json_object" });
    complete(&sidecar, &json!({ "response_format": format.clone() })).await;
    assert_eq!(model.body().await["response_format"], format);
    let mut format = named_schema(true);
    format["type"] = json!("json_schema");
    let response = json!({ "model": "gpt", "input": "hello", "text": { "format": format } });
    assert_eq!(sidecar.post("/v1/responses", response.to_string()).await.status, 200);
    assert_eq!(model.body().await["response_format"]["json_schema"], named_schema(true));
}

/// Dapr's API has the name and the strictness beside the keys of the schema.
#[tokio::test]
async fn formats_of_both_apis_are_one_request() {
    let (model, recordings) = (Model::json("200 OK", HI).await, scratch("recordings"));
    let components = component(&model.endpoint);
    let sidecar = recorder(&components, &recordings);
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let format = json!({ "name": "Out", "strict": true, "schema": schema });
    let format = json!({ "type": "json_schema", "json_schema": format });
    complete(&sidecar, &json!({ "response_format": format })).await;
    stop(sidecar).await;
    let mut schema = schema;
    schema["name"] = json!("Out");
    schema["strict"] = json!(true);
    let call = mynah::internals::wire::proto::ConversationRequestAlpha2 {
        response_format: Some(encoded_schema(&schema)),
        ..named(request([user("hello")]))
    };
    let answer = replay(&components, &recordings).converse(call).await.unwrap();
    assert_eq!(answer.content, "hi");
}
