//! Tests of `dapr.proto.components.v1.Conversation`.

use std::fs;

use futures_util::{StreamExt, stream};
use mynah::internals::wire::{
    components::{
        ConverseRequest, ConverseResponse, FeaturesRequest, PingRequest,
        converse_stream_response::Message,
    },
    proto::conversation_tool_calls::ToolTypes,
};
use prost::Message as _;
use serde_json::json;
use tonic::{Code, Status};
use tonic_reflection::pb::v1alpha::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};

use super::{Pluggable, connect, on};
use crate::{
    mcp_tools::Server,
    support::{
        http::direct_client,
        messages::{assistant, system, tool, tool_result, user},
        scratch,
    },
};

pub(super) fn asking(text: &str) -> ConverseRequest {
    ConverseRequest { messages: vec![user(text)], ..ConverseRequest::default() }
}

fn content(response: &ConverseResponse) -> &str {
    &response.outputs[0].choices[0].message.as_ref().unwrap().content
}

pub(super) async fn answer(
    pluggable: &Pluggable,
    instance: &str,
    request: ConverseRequest,
) -> String {
    let response = pluggable.conversation().await.converse(on(instance, request)).await.unwrap();
    content(response.get_ref()).to_owned()
}

#[tokio::test]
async fn instances_have_rules() {
    let files = scratch("rules");
    let rules = "rules:\n- {match: {user: Hi}, respond: shared}\n";
    fs::write(files.join("shared.yaml"), rules).unwrap();
    fs::write(files.join("own.yaml"), rules.replace("shared", "own")).unwrap();
    let shared = files.join("shared.yaml");
    let flags = ["--rules", shared.to_str().unwrap(), "--component-files", files.to_str().unwrap()];
    let pluggable = Pluggable::start_with(&flags);
    pluggable.init("a", &[("provider", "scripted"), ("rules", "own.yaml")]).await.unwrap();
    pluggable.init("b", &[("provider", "scripted")]).await.unwrap();
    assert_eq!(answer(&pluggable, "a", asking("Hi")).await, "own");
    assert_eq!(answer(&pluggable, "b", asking("Hi")).await, "shared");
    let error = pluggable.init("c", &[("provider", "scripted"), ("rules", "no.yaml")]).await;
    assert!(error.unwrap_err().message().contains("no.yaml cannot be read"));
}

/// The control API knows instances like the components of mynah's own files.
#[tokio::test]
async fn instances_are_known_to_the_control_api() {
    let file = scratch("rules").join("rules.yaml");
    let rules = "\
rules:
- {name: greeting, match: {user: Hi}, respond: Hello!}
- {name: farewell, match: {user: Bye}, respond: Bye!}
";
    fs::write(&file, rules).unwrap();
    let pluggable = Pluggable::start_with(&["--rules", file.to_str().unwrap()]);
    pluggable.init("model", &[("provider", "scripted")]).await.unwrap();
    let mut call = on("model", asking("Hi"));
    call.metadata_mut().insert("mynah-session", "a".parse().unwrap());
    pluggable.conversation().await.converse(call).await.unwrap();
    let sidecar = &pluggable.sidecar;
    let journal = sidecar.get("/mynah/v1/journal?component=model&session=a").await.json();
    let entry = &journal["entries"][0];
    assert_eq!((&entry["surface"], &entry["api"]), (&json!("component"), &json!("alpha2")));
    let place = format!("{}:2", file.display());
    assert_eq!(entry["answered_by"], json!([{"rule": "greeting", "place": place}]));
    let unused = sidecar.post("/mynah/v1/verify", json!({"unused": true}).to_string()).await;
    assert_eq!((unused.status, &unused.json()["unused"][0]["rule"]), (409, &json!("farewell")));
    let request = json!({"inputs": [{"messages": [{"ofUser": {"content": [{"text": "Bye"}]}}]}]});
    let explain = json!({"component": "model", "request": request}).to_string();
    let explained = sidecar.post("/mynah/v1/explain", explain).await.json();
    assert_eq!(explained["answered_by"], "farewell");
    let fault = json!({"component": "model", "session": "a", "error": {"code": "ABORTED"}});
    let put = direct_client().put(sidecar.url("/mynah/v1/faults")).body(fault.to_string());
    let put = sidecar.send(put).await;
    assert_eq!((put.status, put.body.as_str()), (204, ""));
    let mut call = on("model", asking("Hi"));
    call.metadata_mut().insert("mynah-session", "a".parse().unwrap());
    let failed = pluggable.conversation().await.converse(call).await.unwrap_err();
    assert_eq!(failed.code(), Code::Aborted);
    assert_eq!(answer(&pluggable, "model", asking("Hi")).await, "Hello!", "another session");
}

#[tokio::test]
async fn instances_have_faults() {
    let pluggable = Pluggable::start();
    let fault = json!([
        {"fail_first": 1, "surfaces": ["grpc"], "error": {"code": "INTERNAL"}},
        {"fail_first": 1, "surfaces": ["component"], "error":
            {"code": "ABORTED", "details": {"reason": "BUSY"}}},
        {"fail_first": 1, "cut_after": 1},
    ]);
    pluggable.init("model", &[("faults", &fault.to_string())]).await.unwrap();
    let mut client = pluggable.conversation().await;
    let failed = client.converse(on("model", asking("Hi"))).await.unwrap_err();
    assert_eq!((failed.code(), &*reason(&failed)), (Code::Aborted, "BUSY"));
    let stream = client.converse_stream(on("model", asking("one two three"))).await.unwrap();
    let mut parts = stream.into_inner();
    parts.next().await.unwrap().unwrap();
    parts.next().await.unwrap().unwrap_err();
    assert_eq!(answer(&pluggable, "model", asking("Hi")).await, "Hi");
    let invalid = pluggable.init("other", &[("faults", "{}")]).await.unwrap_err();
    assert!(invalid.message().contains("faults: does nothing"), "{invalid:?}");
}

/// The fields of `google.rpc.ErrorInfo` that these tests read.
#[derive(Clone, PartialEq, prost::Message)]
struct ErrorInfo {
    #[prost(string, tag = "1")]
    reason: String,
}

/// Returns the reason in the details of an error.
fn reason(status: &Status) -> String {
    #[derive(Clone, PartialEq, prost::Message)]
    struct RpcStatus {
        #[prost(message, repeated, tag = "3")]
        details: Vec<prost_types::Any>,
    }
    let details = RpcStatus::decode(status.details()).unwrap().details;
    ErrorInfo::decode(&*details[0].value).unwrap().reason
}

/// daprd finds the services of a component like this.
#[tokio::test]
async fn reflection_lists_the_services() {
    let pluggable = Pluggable::start();
    let mut client = ServerReflectionClient::new(connect(&pluggable.socket).await);
    let list = MessageRequest::ListServices(String::new());
    let list = ServerReflectionRequest { host: String::new(), message_request: Some(list) };
    let mut answers =
        client.server_reflection_info(stream::iter([list])).await.unwrap().into_inner();
    let answer = answers.next().await.unwrap().unwrap().message_response.unwrap();
    let MessageResponse::ListServicesResponse(services) = answer else { panic!("{answer:?}") };
    let names: Vec<_> = services.service.iter().map(|service| service.name.as_str()).collect();
    for name in ["dapr.proto.components.v1.Conversation", "dapr.proto.components.v1.OutputBinding"]
    {
        assert!(names.contains(&name), "{names:?}");
    }
}

#[tokio::test]
async fn instances_have_their_own_settings() {
    let pluggable = Pluggable::start();
    pluggable.init("plain", &[]).await.unwrap();
    pluggable.init("daprd", &[("provider", "echo"), ("mode", "daprd")]).await.unwrap();
    pluggable.init("script", &[("Provider", "scripted"), ("model", "m")]).await.unwrap();
    let mut request = asking("hi");
    request.messages.insert(0, system("be brief"));
    assert_eq!(answer(&pluggable, "plain", request.clone()).await, "hi");
    assert_eq!(answer(&pluggable, "daprd", request).await, "be brief\nhi");
    let chain = r#"<|instruction_start|>{"messages": [{"text": "scripted"}]}<|instruction_end|>"#;
    assert_eq!(answer(&pluggable, "script", asking(chain)).await, "scripted");
}

#[tokio::test]
async fn calls_tools_and_streams() {
    let pluggable = Pluggable::start();
    pluggable.init("test", &[]).await.unwrap();
    let request = ConverseRequest {
        messages: vec![user("What is the weather in Oslo?")],
        tools: vec![tool("get_weather", json!({"type": "object"}))],
        ..ConverseRequest::default()
    };
    let mut client = pluggable.conversation().await;
    let response = client.converse(on("test", request.clone())).await.unwrap().into_inner();
    let choice = &response.outputs[0].choices[0];
    assert_eq!(choice.finish_reason, "tool_calls");
    let call = &choice.message.as_ref().unwrap().tool_calls[0];
    let Some(ToolTypes::Function(function)) = &call.tool_types else { panic!("{call:?}") };
    assert_eq!(function.name, "get_weather");
    let stream = client.converse_stream(on("test", request.clone())).await.unwrap();
    let pieces: Vec<_> =
        stream.into_inner().map(|piece| piece.unwrap().message.unwrap()).collect().await;
    assert_eq!(pieces, [Message::Complete(response.clone())]);

    let mut next = request;
    let id = call.id.clone().unwrap();
    next.messages.push(assistant(""));
    next.messages.push(tool_result(&id, "get_weather", "3 degrees"));
    let response = client.converse(on("test", next)).await.unwrap().into_inner();
    assert_eq!(content(&response), "3 degrees");
    let stream = client.converse_stream(on("test", asking("a b"))).await.unwrap();
    let pieces: Vec<_> =
        stream.into_inner().map(|piece| piece.unwrap().message.unwrap()).collect().await;
    let texts = pieces.iter().filter_map(|piece| match piece {
        Message::Chunk(chunk) => Some(chunk.content.as_str()),
        Message::Complete(_) => None,
    });
    assert_eq!(texts.collect::<String>(), "a b");
    assert!(
        matches!(pieces.last(), Some(Message::Complete(response)) if content(response) == "a b")
    );
}

#[tokio::test]
async fn names_its_features_and_is_alive() {
    let pluggable = Pluggable::start();
    let mut client = pluggable.conversation().await;
    let features = client.features(FeaturesRequest {}).await.unwrap().into_inner();
    assert_eq!(features.features, ["stream"]);
    client.ping(PingRequest {}).await.unwrap();
}

#[tokio::test]
async fn an_instance_without_settings_is_one_of_the_files_or_an_error() {
    let pluggable = Pluggable::start();
    assert_eq!(answer(&pluggable, "echo", asking("hi")).await, "hi");
    let mut client = pluggable.conversation().await;
    let error = client.converse(on("other", asking("hi"))).await.unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    insta::assert_snapshot!(error.message(), @"component other was not initialised since mynah started: restart daprd or edit its YAML");
    assert_eq!(reason(&error), "COMPONENT_NOT_INITIALIZED");
    let error = client.converse_stream(on("other", asking("hi"))).await.unwrap_err();
    assert_eq!(reason(&error), "COMPONENT_NOT_INITIALIZED");
    let error = client.converse(asking("hi")).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    insta::assert_snapshot!(error.message(), @r#"the metadata key "x-component-instance" is missing; expected the name of a component"#);
}

/// daprd adds the component's name to the message.
#[tokio::test]
async fn errors_have_the_message_of_the_provider() {
    let pluggable = Pluggable::start();
    pluggable.init("strict", &[("provider", "scripted"), ("fallback", "error")]).await.unwrap();
    let mut client = pluggable.conversation().await;
    let error = client.converse(on("strict", asking("hi"))).await.unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    insta::assert_snapshot!(error.message(), @"no user message contains a chain between <|instruction_start|> and <|instruction_end|>; add one, or set the component's fallback to echo");
    let streamed = client.converse_stream(on("strict", asking("hi"))).await.unwrap_err();
    assert_eq!((streamed.code(), streamed.message()), (error.code(), error.message()));
}

#[tokio::test]
async fn invalid_settings_are_rejected_together() {
    let pluggable = Pluggable::start();
    let cases: [&[(&str, &str)]; 3] = [
        &[("provider", "gpt")],
        &[("mode", "x"), ("chunkDelay", "y")],
        &[("provider", "scripted"), ("fallback", "echo2")],
    ];
    let mut errors = Vec::new();
    for properties in cases {
        let error = pluggable.init("bad", properties).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        errors.push(error.message().to_owned());
    }
    insta::assert_snapshot!(errors.join("\n"), @r#"
    invalid metadata: unknown provider "gpt"; expected one of: echo, scripted
    invalid metadata: chunkDelay: "y" is not a duration; use Go's format, such as 50ms or 1.5s | mode: "x" is invalid; use mynah or daprd
    invalid metadata: fallback: "echo2" is invalid; expected echo or error, since an instance cannot use other components
    "#);
    let error = pluggable.init("a/b", &[]).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
}

#[tokio::test]
async fn settings_are_replaced_with_a_warning_if_they_differ() {
    let pluggable = Pluggable::start();
    let log = || pluggable.sidecar.log();
    pluggable.init("test", &[("key", "secret"), ("model", "a")]).await.unwrap();
    assert!(log().contains("unknown metadata key \"key\" for conversation.echo"), "{}", log());
    assert!(!log().contains("secret"));
    pluggable.init("test", &[("key", "secret"), ("model", "a")]).await.unwrap();
    assert!(!log().contains("with other properties"), "{}", log());
    pluggable.init("test", &[("mode", "daprd")]).await.unwrap();
    assert!(log().contains("initialized again, with other properties"), "{}", log());
    let mut request = asking("hi");
    request.messages.insert(0, system("s"));
    assert_eq!(answer(&pluggable, "test", request).await, "s\nhi");
}

#[tokio::test]
async fn instances_own_tools() {
    let files = scratch("component-files");
    let tools = "tools:\n- {name: count_orders, static: [{result: 7}]}\n";
    fs::write(files.join("tools.yaml"), tools).unwrap();
    let pluggable = Pluggable::start_with(&["--component-files", files.to_str().unwrap()]);
    pluggable.init("file", &[("tools", "tools.yaml")]).await.unwrap();
    assert_eq!(answer(&pluggable, "file", asking("count orders")).await, "7");
    pluggable.init("text", &[("tools", tools)]).await.unwrap();
    assert_eq!(answer(&pluggable, "text", asking("count orders")).await, "7");
    let invalid = pluggable.init("invalid", &[("tools", "tools:\n- {name: f}\n")]).await;
    assert!(invalid.unwrap_err().message().contains("needs exactly one of"));
}

#[tokio::test]
async fn initializing_again_keeps_the_servers() {
    let (server, files) = (Server::new(), scratch("component-files"));
    let pluggable = Pluggable::start_with(&["--component-files", files.to_str().unwrap()]);
    let tools = format!("tools:\n{}", server.entry(""));
    for model in ["a", "a", "b"] {
        pluggable.init("files", &[("tools", &tools), ("model", model)]).await.unwrap();
        let answer = answer(&pluggable, "files", asking("read file")).await;
        assert_eq!(answer, format!("file of {}", server.pids().trim()));
    }
    let other = format!("{tools}- {{name: count_orders, static: [{{result: 7}}]}}\n");
    pluggable.init("files", &[("tools", &other)]).await.unwrap();
    assert_eq!(server.pids().lines().count(), 2);
}

#[tokio::test]
async fn the_number_of_tokens_is_limited() {
    let pluggable = Pluggable::start();
    pluggable.init("a", &[]).await.unwrap();
    let asked = ConverseRequest { max_tokens: Some(3), ..asking("Hello, world!") };
    let mut client = pluggable.conversation().await;
    let response = client.converse(on("a", asked.clone())).await.unwrap().into_inner();
    assert_eq!(content(&response), "Hello, world");
    assert_eq!(response.outputs[0].choices[0].finish_reason, "length");
    let mut stream = client.converse_stream(on("a", asked)).await.unwrap().into_inner();
    let mut text = String::new();
    while let Some(part) = stream.message().await.unwrap() {
        if let Some(Message::Chunk(chunk)) = part.message {
            text += &chunk.content;
        }
    }
    assert_eq!(text, "Hello, world");
    let none = ConverseRequest { max_tokens: Some(0), ..asking("hi") };
    let status = client.converse(on("a", none)).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
}
