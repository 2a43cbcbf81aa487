//! Tests of health, metadata and reflection.

use futures_util::{StreamExt, stream};
use mynah::internals::wire::proto::{GetMetadataRequest, SetMetadataRequest};
use serde_json::json;
use tonic::{
    Code,
    transport::{Channel, Endpoint},
};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use tonic_reflection::pb::{v1, v1alpha};

use crate::support::{Sidecar, http::direct_client};

const TWO_COMPONENTS: &str = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: second}
spec: {type: conversation.ECHO, version: V1}
---
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: first}
spec: {type: conversation.echo}
";

async fn channel(sidecar: &Sidecar) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{}", sidecar.grpc)).unwrap();
    endpoint.connect().await.unwrap()
}

#[tokio::test]
async fn is_healthy_when_it_listens() {
    let sidecar = Sidecar::start_with(&["--app-id", "app"]);
    let healthy =
        ["/v1.0/healthz", "/v1.0/healthz/", "/v1.0/healthz/outbound", "/v1.0/healthz?appid=app"];
    for path in healthy {
        let reply = sidecar.get(path).await;
        assert_eq!((reply.status, reply.body.as_str()), (204, ""), "{path}");
    }
    let other = sidecar.get("/v1.0/healthz?appid=other").await;
    let message = "dapr app-id does not match";
    let expected = json!({"errorCode": "ERR_HEALTH_APPID_NOT_MATCH", "message": message});
    assert_eq!((other.status, other.json()), (500, expected));

    let mut client = HealthClient::new(channel(&sidecar).await);
    for service in ["", "dapr.proto.runtime.v1.Dapr"] {
        let check = HealthCheckRequest { service: service.to_owned() };
        assert_eq!(client.check(check).await.unwrap().into_inner().status, 1, "serving");
    }
}

#[tokio::test]
async fn metadata_lists_the_components_as_written() {
    let sidecar = Sidecar::with_components(TWO_COMPONENTS);
    let metadata =
        sidecar.client().await.get_metadata(GetMetadataRequest {}).await.unwrap().into_inner();
    assert_eq!(metadata.id, "mynah");
    assert_eq!(metadata.runtime_version, "1.18.0");
    let components: Vec<_> = metadata
        .registered_components
        .iter()
        .map(|c| (c.name.as_str(), c.r#type.as_str(), c.version.as_str()))
        .collect();
    let expected = [("first", "conversation.echo", ""), ("second", "conversation.ECHO", "V1")];
    assert_eq!(components, expected);

    let reply = sidecar.get("/v1.0/metadata").await;
    assert_eq!((reply.status, reply.content_type.as_str()), (200, "application/json"));
    assert!(reply.body.ends_with("}\n"), "daprd ends the body with a line break");
    let expected = json!({
        "id": "mynah",
        "runtimeVersion": "1.18.0",
        "components": [
            {"name": "first", "type": "conversation.echo"},
            {"name": "second", "type": "conversation.ECHO", "version": "V1"},
        ],
        "extended": {
            "daprRuntimeVersion": "1.18.0",
            "mynahVersion": env!("CARGO_PKG_VERSION"),
        },
        "appConnectionProperties": {"protocol": "http", "channelAddress": "127.0.0.1"},
        "actorRuntime": {
            "runtimeStatus": "DISABLED", "hostReady": false,
            "placement": "placement: disconnected",
        },
    });
    assert_eq!(reply.json(), expected);
}

#[tokio::test]
async fn sets_labels_over_grpc_and_http() {
    let sidecar = Sidecar::start();
    let mut client = sidecar.client().await;
    let mut set = async |key: &str, value: &str| {
        let (key, value) = (key.to_owned(), value.to_owned());
        client.set_metadata(SetMetadataRequest { key, value }).await.unwrap();
    };
    set("over", "grpc").await;
    set("", "nameless").await;
    set("daprRuntimeVersion", "0.1").await;
    let put = direct_client().put(sidecar.url("/v1.0/metadata/my%20key")).body("over http");
    assert_eq!(sidecar.send(put).await.status, 204);
    let extended = sidecar.get("/v1.0/metadata").await.json()["extended"].take();
    let expected = json!({
        "daprRuntimeVersion": "1.18.0",
        "mynahVersion": env!("CARGO_PKG_VERSION"),
        "my key": "over http",
        "over": "grpc",
    });
    assert_eq!(extended, expected);
}

/// Clients accept about 16 KiB of headers, in which errors are sent.
#[tokio::test]
async fn shortens_errors_of_reflection() {
    use v1::server_reflection_request::MessageRequest;
    let sidecar = Sidecar::start();
    let mut client =
        v1::server_reflection_client::ServerReflectionClient::new(channel(&sidecar).await);
    for (symbol, length) in [("short".to_owned(), 24), ("é".repeat(10_000), 4095)] {
        let request = v1::ServerReflectionRequest {
            host: String::new(),
            message_request: Some(MessageRequest::FileContainingSymbol(symbol)),
        };
        let answers = client.server_reflection_info(stream::iter([request])).await;
        let status = answers.unwrap().into_inner().next().await.unwrap().unwrap_err();
        assert_eq!(status.code(), Code::NotFound, "{status:?}");
        assert!(status.message().starts_with("symbol '"), "{status:?}");
        assert_eq!(status.message().len(), length, "{status:?}");
    }
}

#[tokio::test]
async fn serves_both_versions_of_reflection() {
    let sidecar = Sidecar::start();
    let services = [
        "dapr.proto.runtime.v1.Dapr",
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
    ];

    use v1::server_reflection_request::MessageRequest;
    let list = v1::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut client =
        v1::server_reflection_client::ServerReflectionClient::new(channel(&sidecar).await);
    let request = stream::iter([list]);
    let mut answers = client.server_reflection_info(request).await.unwrap().into_inner();
    let answer = answers.next().await.unwrap().unwrap().message_response.unwrap();
    let v1::server_reflection_response::MessageResponse::ListServicesResponse(listed) = answer
    else {
        panic!("not a list: {answer:?}");
    };
    let names: Vec<_> = listed.service.into_iter().map(|service| service.name).collect();
    assert_eq!(names, services);

    use v1alpha::server_reflection_request::MessageRequest as AlphaRequest;
    let file = v1alpha::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(AlphaRequest::FileContainingSymbol(services[0].to_owned())),
    };
    let mut client =
        v1alpha::server_reflection_client::ServerReflectionClient::new(channel(&sidecar).await);
    let request = stream::iter([file]);
    let mut answers = client.server_reflection_info(request).await.unwrap().into_inner();
    let answer = answers.next().await.unwrap().unwrap().message_response.unwrap();
    use v1alpha::server_reflection_response::MessageResponse as AlphaResponse;
    assert!(matches!(answer, AlphaResponse::FileDescriptorResponse(_)), "{answer:?}");
}
