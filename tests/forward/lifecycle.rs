//! Health, shutdown and draining of mynah in front of daprd.

use http::{HeaderMap, Request, Response};
use hyper::body::Incoming;
use mynah::internals::wire::proto::ShutdownRequest;
use rustix::process::Signal;
use tokio::sync::mpsc;
use tonic::transport::Channel;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use super::{
    in_front_of,
    stub::{Caller, Stub, channel, full, headers, next},
};
use crate::support::{
    Sidecar,
    messages::prompt,
    process::{wait_until, with_timeout},
};

/// Longer than the time for which the tests wait.
const LONG_GRACE: &str = "--dapr-graceful-shutdown-seconds=600";

fn patient(stub: &Stub) -> Sidecar {
    let address = stub.address.to_string();
    Sidecar::start_with(&["--daprd", &address, "--daprd-http", &address, LONG_GRACE])
}

#[tokio::test]
async fn grpc_health_includes_daprd() {
    let mut stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[]);
    let channel = Channel::from_shared(format!("http://{}", mynah.grpc)).unwrap();
    let mut client = HealthClient::new(channel.connect().await.unwrap());
    let mut is_serving = async || {
        let answer = client.check(HealthCheckRequest::default()).await.unwrap();
        answer.into_inner().status == 1
    };
    assert!(is_serving().await);
    stub.kill().await;
    // mynah notices the loss of the connection in its own time.
    let is_lost = async || (!is_serving().await).then_some(());
    wait_until(is_lost, "mynah did not notice that daprd was gone").await;
    // Conversations need no daprd.
    mynah.converse(prompt("Hello", [])).await.unwrap();
    stub.restart().await;
    assert!(is_serving().await);
}

#[tokio::test]
async fn shutdown_stops_daprd_and_mynah() {
    let (report, mut seen) = mpsc::channel(2);
    let stub = Stub::start(move |request: Request<Incoming>| {
        let report = report.clone();
        async move {
            report.send(request.uri().path().to_owned()).await.unwrap();
            let mut response = Response::new(full(""));
            let lines = [("content-type", "application/grpc"), ("grpc-status", "0")];
            *response.headers_mut() = headers(&lines);
            response
        }
    })
    .await;
    let mut over_grpc = in_front_of(&stub, &[]);
    // The stub's answer has no message.
    let _ = over_grpc.client().await.shutdown(ShutdownRequest {}).await;
    assert_eq!(seen.recv().await.unwrap(), "/dapr.proto.runtime.v1.Dapr/Shutdown");
    assert!(over_grpc.wait().await.success());
    let mut over_http = in_front_of(&stub, &[]);
    assert_eq!(over_http.post("/v1.0/shutdown", "").await.status, 200);
    assert_eq!(seen.recv().await.unwrap(), "/v1.0/shutdown");
    assert!(over_http.wait().await.success());
}

#[tokio::test]
async fn shutdown_stops_mynah_without_daprd() {
    let mut stub = Stub::echo().await;
    stub.kill().await;
    let mut mynah = in_front_of(&stub, &[]);
    assert_eq!(mynah.post("/v1.0/shutdown", "").await.status, 503);
    assert!(mynah.wait().await.success());
}

#[tokio::test]
async fn open_streams_do_not_delay_the_end() {
    let stub = Stub::echo().await;
    let mut mynah = patient(&stub);
    let caller = Caller::connect(mynah.grpc).await;
    let (sender, body) = channel();
    let mut response = caller.call("/some.Service/Bidi", HeaderMap::new(), body).await;
    sender.send("before".into()).await.unwrap();
    assert_eq!(next(response.body_mut()).await.unwrap(), "before");
    mynah.signal(Signal::TERM);
    assert!(mynah.wait().await.success());
}

#[tokio::test]
async fn workers_that_wait_for_their_first_item_do_not_delay_the_end() {
    let (report, mut seen) = mpsc::channel(1);
    let stub = Stub::start(move |_: Request<Incoming>| {
        let report = report.clone();
        async move {
            report.send(()).await.unwrap();
            std::future::pending().await
        }
    })
    .await;
    let mut mynah = patient(&stub);
    let caller = Caller::connect(mynah.grpc).await;
    let call = tokio::spawn(async move {
        caller.call("/TaskHubSidecarService/GetWorkItems", HeaderMap::new(), full("")).await
    });
    seen.recv().await.unwrap();
    mynah.signal(Signal::TERM);
    assert!(mynah.wait().await.success());
    assert!(with_timeout(call).await.is_err());
}

#[tokio::test]
async fn unary_calls_finish_during_a_drain() {
    let (report, mut seen) = mpsc::channel(1);
    let (finish, finished) = tokio::sync::watch::channel(false);
    let stub = Stub::start(move |_: Request<Incoming>| {
        let (report, mut finished) = (report.clone(), finished.clone());
        async move {
            report.send(()).await.unwrap();
            finished.wait_for(|it| *it).await.unwrap();
            Response::new(full("done"))
        }
    })
    .await;
    let mut mynah = patient(&stub);
    let caller = Caller::connect(mynah.grpc).await;
    let call = tokio::spawn(async move {
        let mut response = caller.call("/some.Service/Unary", HeaderMap::new(), full("")).await;
        next(response.body_mut()).await.unwrap()
    });
    seen.recv().await.unwrap();
    mynah.signal(Signal::TERM);
    mynah.wait_until_refused(mynah.grpc).await;
    finish.send(true).unwrap();
    assert_eq!(with_timeout(call).await.unwrap(), "done");
    assert!(mynah.wait().await.success());
}
