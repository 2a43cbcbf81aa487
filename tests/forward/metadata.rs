//! daprd's metadata through mynah.

use bytes::{BufMut, Bytes};
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Body as _, Incoming};
use mynah::internals::wire::proto::{
    GetMetadataRequest, GetMetadataResponse, RegisteredComponents,
};
use prost::Message;
use serde_json::json;

use super::{
    in_front_of,
    stub::{Body, Caller, Stub, full, headers, status},
};
use crate::support::Sidecar;

/// Components of daprd, one of which has the name of mynah's.
fn components() -> [(&'static str, &'static str); 2] {
    [("echo", "conversation.openai"), ("store", "state.in-memory")]
}

fn metadata() -> GetMetadataResponse {
    let component = |(name, kind): (&str, &str)| RegisteredComponents {
        name: name.to_owned(),
        r#type: kind.to_owned(),
        ..Default::default()
    };
    GetMetadataResponse {
        id: "theirs".to_owned(),
        registered_components: components().map(component).into(),
        ..Default::default()
    }
}

async fn daprd() -> Stub {
    Stub::start(async |request: Request<Incoming>| match request.uri().path() {
        "/v1.0/metadata" => {
            let component = |(name, kind)| json!({ "name": name, "type": kind });
            let components = components().map(component);
            Response::new(full(json!({ "id": "theirs", "components": components }).to_string()))
        }
        _ => unary(&metadata().encode_to_vec()),
    })
    .await
}

/// Returns a gRPC response with one message.
fn unary(message: &[u8]) -> Response<Body> {
    let mut frame = vec![0];
    frame.put_u32(u32::try_from(message.len()).unwrap());
    frame.extend_from_slice(message);
    let trailers: HeaderMap = headers(&[("grpc-status", "0")]);
    let body = full(Bytes::from(frame)).with_trailers(std::future::ready(Some(Ok(trailers))));
    let mut response = Response::new(body.boxed_unsync());
    *response.headers_mut() = headers(&[("content-type", "application/grpc")]);
    response
}

async fn over_grpc(mynah: &Sidecar) -> Vec<(String, String)> {
    let answer = mynah.client().await.get_metadata(GetMetadataRequest {}).await.unwrap();
    let answer = answer.into_inner();
    assert_eq!(answer.id, "theirs");
    answer.registered_components.into_iter().map(|it| (it.name, it.r#type)).collect()
}

#[tokio::test]
async fn components_of_mynah_replace_those_of_daprd() {
    let stub = daprd().await;
    let mynah = in_front_of(&stub, &[]);
    let expected = [("store", "state.in-memory"), ("echo", "conversation.echo")];
    for _ in 0..2 {
        let listed = over_grpc(&mynah).await;
        let listed: Vec<_> = listed.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(listed, expected);
        let json = mynah.get("/v1.0/metadata").await.json();
        assert_eq!(json["id"], "theirs");
        let listed = json["components"].as_array().unwrap();
        let listed: Vec<_> = listed
            .iter()
            .map(|it| (it["name"].as_str().unwrap(), it["type"].as_str().unwrap()))
            .collect();
        assert_eq!(listed, expected);
    }
    let log = mynah.log();
    assert_eq!(log.matches("both have a component \"echo\"").count(), 1, "{log}");
}

#[tokio::test]
async fn metadata_that_is_not_understood_is_passed_on() {
    let stub = Stub::start(async |request: Request<Incoming>| match request.uri().path() {
        "/v1.0/metadata" => Response::new(full("not JSON")),
        // A field whose length is more than what follows.
        _ => unary(b"\x0a\x7f"),
    })
    .await;
    let mynah = in_front_of(&stub, &[]);
    assert_eq!(mynah.get("/v1.0/metadata").await.body, "not JSON");
    let answer = mynah.client().await.get_metadata(GetMetadataRequest {}).await;
    assert_eq!(answer.unwrap_err().code(), tonic::Code::Internal);
}

/// gRPC's C core accepts no data after headers with an error.
#[tokio::test]
async fn an_error_ends_with_its_headers() {
    let stub = Stub::start(async |_| {
        let mut response = Response::new(Empty::new().boxed_unsync());
        *response.headers_mut() =
            headers(&[("content-type", "application/grpc"), ("grpc-status", "7")]);
        response
    })
    .await;
    let mynah = in_front_of(&stub, &[]);
    let caller = Caller::connect(mynah.grpc).await;
    let path = "/dapr.proto.runtime.v1.Dapr/GetMetadata";
    let response = caller.call(path, HeaderMap::new(), full("\0\0\0\0\0")).await;
    assert_eq!(status(response.headers()).0, "7");
    assert!(response.body().is_end_stream());
}
