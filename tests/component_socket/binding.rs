//! Tests of `dapr.proto.components.v1.OutputBinding`.

use std::collections::BTreeMap;

use mynah::internals::wire::components::{
    InvokeRequest, ListOperationsRequest, OutputBindingInitRequest, PingRequest,
    output_binding_client::OutputBindingClient,
};
use serde_json::{Value, json};
use tonic::Code;

use super::{Pluggable, connect, metadata, on};

fn invoke(operation: &str, data: &Value) -> InvokeRequest {
    InvokeRequest {
        data: data.to_string().into(),
        metadata: BTreeMap::new(),
        operation: operation.to_owned(),
    }
}

#[tokio::test]
async fn converses_with_proto_json() {
    let pluggable = Pluggable::start();
    let mut client = OutputBindingClient::new(connect(&pluggable.socket).await);
    let operations = client.list_operations(ListOperationsRequest {}).await.unwrap().into_inner();
    assert_eq!(operations.operations, ["converse", "get"]);
    client.ping(PingRequest {}).await.unwrap();
    let settings = OutputBindingInitRequest { metadata: Some(metadata(&[("mode", "daprd")])) };
    client.init(on("llm", settings)).await.unwrap();

    let message = |role: &str, text: &str| json!({role: {"content": [{"text": text}]}});
    let messages = [message("ofSystem", "be brief"), message("ofUser", "hi")];
    let request =
        invoke("converse", &json!({"contextId": "c", "inputs": [{"messages": messages}]}));
    let answer = client.invoke(on("llm", request.clone())).await.unwrap().into_inner();
    assert_eq!(answer.content_type, "application/json");
    let answer: Value = serde_json::from_slice(&answer.data).unwrap();
    assert_eq!(answer["outputs"][0]["choices"][0]["message"]["content"], "be brief\nhi");
    assert_eq!(answer["contextId"], "c");

    let answer = client.invoke(on("llm", invoke("get", &Value::Null))).await.unwrap().into_inner();
    assert_eq!(answer.data, r#"{"name":"llm","type":"conversation.echo"}"#);
    let error = client.invoke(on("llm", invoke("delete", &Value::Null))).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    insta::assert_snapshot!(error.message(), @r#"unknown operation "delete"; expected converse or get"#);
    let error = client.invoke(on("llm", invoke("converse", &json!([])))).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    let error = client.invoke(on("other", request)).await.unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
}
