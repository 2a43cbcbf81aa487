//! Which component answers for a model, and the list of models.

use serde_json::{Value, json};

use super::{COMPLETIONS, asking, complete, message, scripted, with};
use crate::support::{Sidecar, scratch};

#[tokio::test]
async fn the_only_component_answers_for_every_model() {
    let sidecar = Sidecar::start();
    let reply = complete(&sidecar, &with(asking("hi"), "model", json!("gpt-5-nano"))).await;
    assert_eq!(message(&reply)["content"], "hi");
    assert_eq!(reply.json()["model"], "gpt-5-nano");
}

#[tokio::test]
async fn of_several_components_the_named_one_answers() {
    let sidecar = scripted(&["alpha", "beta"]);
    for name in ["alpha", "beta"] {
        let reply = complete(&sidecar, &with(asking("hi"), "model", json!(name))).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
    for model in [json!("gamma"), Value::Null] {
        let reply = complete(&sidecar, &with(asking("hi"), "model", model.clone())).await;
        assert_eq!(reply.status, 404);
        let model = model.as_str().unwrap_or_default();
        let message = format!("the model {model:?} does not exist; mynah serves: alpha, beta");
        let error = json!({"message": message, "type": "invalid_request_error", "param": null, "code": "model_not_found"});
        assert_eq!(reply.json(), json!({ "error": error }));
    }
}

#[tokio::test]
async fn the_default_component_answers_for_other_models() {
    let folder = scratch("openai");
    let component = |name: &str| {
        format!(
            "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\n\
             spec: {{type: conversation.echo, version: v1}}\n"
        )
    };
    std::fs::write(folder.join("a.yaml"), component("alpha") + "---\n" + &component("beta"))
        .unwrap();
    let start = |name| {
        Sidecar::start_with(&[
            "--resources-path",
            folder.to_str().unwrap(),
            "--openai-component",
            name,
        ])
    };
    let sidecar = start("beta");
    let reply = complete(&sidecar, &with(asking("hi"), "model", json!("gamma"))).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(sidecar.get("/v1/models/gamma").await.json()["id"], "gamma");
    let sidecar = start("delta");
    let log = sidecar.log();
    assert!(log.contains("--openai-component: there is no component \"delta\""), "{log}");
    assert_eq!(complete(&sidecar, &with(asking("hi"), "model", json!("gamma"))).await.status, 404);
}

#[tokio::test]
async fn a_deployment_in_the_path_is_a_model() {
    let sidecar = scripted(&["alpha", "beta"]);
    let path = |model| format!("/v1/openai/deployments/{model}{}?api-version=x", &COMPLETIONS[3..]);
    assert_eq!(sidecar.post(&path("beta"), asking("hi").to_string()).await.status, 200);
    assert_eq!(sidecar.post(&path("gamma"), asking("hi").to_string()).await.status, 404);
}

#[tokio::test]
async fn components_are_listed_as_models() {
    let sidecar = scripted(&["beta", "alpha"]);
    let model = |id: &str| json!({"id": id, "object": "model", "created": 0, "owned_by": "mynah"});
    let list = json!({"object": "list", "data": [model("alpha"), model("beta")]});
    assert_eq!(sidecar.get("/v1/models").await.json(), list);
    assert_eq!(sidecar.get("/v1/models/beta").await.json(), model("beta"));
    let unknown = sidecar.get("/v1/models/gamma").await;
    let message = "the model \"gamma\" does not exist; mynah serves: alpha, beta";
    let error = json!({"message": message, "type": "invalid_request_error", "param": null,
        "code": "model_not_found"});
    assert_eq!((unknown.status, unknown.json()), (404, json!({ "error": error })));
}

#[tokio::test]
async fn every_model_that_gets_answers_can_be_retrieved() {
    let sidecar = Sidecar::start();
    for (path, id) in [
        ("gpt-5-nano", "gpt-5-nano"),
        ("ft%3Agpt-4o%3Amine", "ft:gpt-4o:mine"),
        ("meta%2Fllama", "meta/llama"),
        ("meta/llama-3/8b", "meta/llama-3/8b"),
    ] {
        let model = json!({"id": id, "object": "model", "created": 0, "owned_by": "mynah"});
        let reply = sidecar.get(&format!("/v1/models/{path}")).await;
        assert_eq!((reply.status, reply.json()), (200, model));
        assert_eq!(complete(&sidecar, &with(asking("hi"), "model", json!(id))).await.status, 200);
    }
}
