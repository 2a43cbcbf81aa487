//! Tests of curl and grpcurl with mynah in front of daprd.

use std::{io::Write, net::SocketAddr, path::PathBuf, process::Command};

use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use mynah_needs::needs;
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::InFront;
use crate::{
    forward::stub::{Body, Stub, full},
    interop::{
        child::{self, Output},
        toolchain,
    },
    parity::target::Program,
    support::process::{Process, wait_until},
};

const DAPR: &str = "dapr.proto.runtime.v1.Dapr";
/// daprd allows reflection only to calls for an application.
const REFLECT: [&str; 3] = ["-plaintext", "-reflect-header", "dapr-app-id: app"];

#[needs("daprd")]
#[test]
fn curl_uses_daprd_through_mynah() {
    toolchain::suite("daprd", || {
        let daprd = Program::Daprd(toolchain::daprd()?);
        Runtime::new().unwrap().block_on(async {
            let app = Stub::start(answer).await;
            let flags = [format!("--app-port={}", app.address.port())];
            let sidecar = InFront::start(daprd, &flags).await;
            let curl = Curl { address: sidecar.mynah.http };
            curl.wait_until_healthy().await;
            keeps_state(&curl);
            invokes_the_application(&curl);
            lists_components(&curl);
        });
        Ok(())
    });
}

#[needs("daprd")]
#[test]
fn grpcurl_uses_daprd_through_mynah() {
    toolchain::suite("daprd", || {
        let (daprd, grpcurl) = (Program::Daprd(toolchain::daprd()?), toolchain::grpcurl()?);
        Runtime::new().unwrap().block_on(async {
            let sidecar = InFront::start(daprd, &[]).await;
            let behind = Grpcurl { program: grpcurl.clone(), address: sidecar.daprd.grpc };
            let mynah = Grpcurl { program: grpcurl, address: sidecar.mynah.grpc };
            reflects_as_daprd(&mynah, &behind);
            keeps_state_over_grpc(&mynah);
            lists_components_over_grpc(&mynah);
        });
        Ok(())
    });
}

#[needs("daprd")]
#[test]
fn streams_end_as_unavailable_when_daprd_is_killed() {
    toolchain::suite("daprd", || {
        let (daprd, program) = (Program::Daprd(toolchain::daprd()?), toolchain::grpcurl()?);
        Runtime::new().unwrap().block_on(async {
            let mut sidecar = InFront::start(daprd, &[]).await;
            let mynah = Grpcurl { program, address: sidecar.mynah.grpc };
            let (stream, input) = mynah.subscribe();
            sidecar.daprd.kill();
            // grpcurl reads its input to the end before it exits.
            drop(input);
            let output = stream.wait();
            assert!(output.stderr.contains("Code: Unavailable"), "{output:?}");
            assert!(output.stderr.contains(&sidecar.daprd.grpc.to_string()), "{output:?}");
            sidecar.restart_daprd().await;
            let (stream, _input) = mynah.subscribe();
            stream.send(Signal::TERM);
        });
        Ok(())
    });
}

/// Answers daprd as an application without subscriptions and actors, which repeats invocations.
async fn answer(request: Request<Incoming>) -> Response<Body> {
    let (head, body) = request.into_parts();
    if head.method == Method::GET {
        let mut response = Response::new(full(""));
        *response.status_mut() = StatusCode::NOT_FOUND;
        return response;
    }
    let body = body.collect().await.unwrap().to_bytes();
    let target = head.uri.path_and_query().unwrap().as_str();
    Response::new(full(format!("{} {target} {}", head.method, String::from_utf8_lossy(&body))))
}

/// curl and the address that it calls.
struct Curl {
    address: SocketAddr,
}

impl Curl {
    /// Makes a request. Returns the body of the response and its status.
    fn call(&self, arguments: &[&str], path: &str) -> (String, String) {
        let mut command = Command::new("curl");
        command.args([
            "--silent",
            "--show-error",
            "--noproxy",
            "*",
            "--write-out",
            "\n%{http_code}",
        ]);
        command.args(arguments).arg(format!("http://{}{path}", self.address));
        let output = child::run(&mut command).expect_success(path);
        let (body, status) = output.rsplit_once('\n').unwrap();
        (body.to_owned(), status.to_owned())
    }

    /// daprd is healthy when it has found the application.
    async fn wait_until_healthy(&self) {
        let is_healthy = async || (self.call(&[], "/v1.0/healthz").1 == "204").then_some(());
        wait_until(is_healthy, "daprd is not healthy").await;
    }
}

fn keeps_state(curl: &Curl) {
    const KEY: &str = "/v1.0/state/store/curl";
    let ok = |body: &str, status: &str| (body.to_owned(), status.to_owned());
    let saved = curl.call(&["--data", r#"[{"key": "curl", "value": "one"}]"#], "/v1.0/state/store");
    assert_eq!(saved, ok("", "204"));
    assert_eq!(curl.call(&[], KEY), ok("\"one\"", "200"));
    let (head, _) = curl.call(&["--include"], KEY);
    let etag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
    let delete = |etag: &str| {
        curl.call(&["--request", "DELETE", "--header", &format!("If-Match: {etag}")], KEY)
    };
    let (error, status) = delete("999");
    assert_eq!(status, "409", "{error}");
    let deleted = delete(etag);
    assert_eq!(deleted, ok("", "204"));
    assert_eq!(curl.call(&[], KEY), ok("", "204"));
    let (error, status) = curl.call(&[], "/v1.0/state/nope/curl");
    assert_eq!(status, "400");
    assert!(error.contains("ERR_STATE_STORE_NOT_FOUND"), "{error}");
}

fn invokes_the_application(curl: &Curl) {
    let put = ["--request", "PUT", "--data", "hello"];
    let answer = curl.call(&put, "/v1.0/invoke/app/method/a/b?q=1");
    assert_eq!(answer, ("PUT /a/b?q=1 hello".to_owned(), "200".to_owned()));
}

fn lists_components(curl: &Curl) {
    let (metadata, _) = curl.call(&[], "/v1.0/metadata");
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    assert_eq!(names(&metadata["components"]), ["bus", "echo", "environment", "store"]);
}

/// grpcurl and the address that it calls.
struct Grpcurl {
    program: PathBuf,
    address: SocketAddr,
}

impl Grpcurl {
    fn command(&self, options: &[&str], action: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(options).arg(self.address.to_string()).args(action);
        command.env("NO_PROXY", "127.0.0.1");
        command
    }

    fn run(&self, options: &[&str], action: &[&str]) -> Output {
        child::run(&mut self.command(options, action))
    }

    /// Calls a method of Dapr's service.
    fn call(&self, method: &str, request: &Value) -> Output {
        let request = request.to_string();
        let options = [&REFLECT[..], &["-d", &request]].concat();
        self.run(&options, &[&format!("{DAPR}/{method}")])
    }

    /// Opens a subscription. It lasts while the returned input exists.
    fn subscribe(&self) -> (Process, impl Write + use<>) {
        let options = [&REFLECT[..], &["-d", "@"]].concat();
        let method = format!("{DAPR}/SubscribeTopicEventsAlpha1");
        let mut command = self.command(&options, &[&method]);
        let (stream, mut input) = Process::start_with_open_input(&mut command);
        let request = json!({ "initialRequest": { "pubsubName": "bus", "topic": "orders" } });
        writeln!(input, "{request}").unwrap();
        stream.wait_for_stdout("{\n  \"initialResponse\": {}\n}\n");
        (stream, input)
    }
}

/// mynah passes reflection on, so that it describes all of daprd's API.
fn reflects_as_daprd(mynah: &Grpcurl, daprd: &Grpcurl) {
    for action in [&["list"][..], &["list", DAPR], &["describe", "dapr.proto.common.v1.Etag"]] {
        let of = |grpcurl: &Grpcurl| grpcurl.run(&REFLECT, action).expect_success("reflection");
        assert_eq!(of(mynah), of(daprd), "{action:?}");
    }
    let of = |grpcurl: &Grpcurl| grpcurl.run(&["-plaintext"], &["list"]);
    let (refused, by_daprd) = (of(mynah), of(daprd));
    assert!(!refused.success);
    assert_eq!(refused.stderr, by_daprd.stderr);
}

fn keeps_state_over_grpc(grpcurl: &Grpcurl) {
    let ok = |method: &str, request: Value| -> Value {
        let answer = grpcurl.call(method, &request).expect_success(method);
        serde_json::from_str(&answer).unwrap()
    };
    let item = json!({ "key": "grpcurl", "value": "b25l" });
    assert_eq!(ok("SaveState", json!({ "storeName": "store", "states": [item] })), json!({}));
    let key = json!({ "storeName": "store", "key": "grpcurl" });
    let saved = ok("GetState", key.clone());
    assert_eq!(saved["data"], "b25l");
    let delete = |etag: &Value| {
        let etag = json!({ "value": etag });
        json!({ "storeName": "store", "key": "grpcurl", "etag": etag })
    };
    let refused = grpcurl.call("DeleteState", &delete(&json!("999")));
    assert!(refused.stderr.contains("Code: Aborted"), "{refused:?}");
    assert_eq!(ok("DeleteState", delete(&saved["etag"])), json!({}));
    assert_eq!(ok("GetState", key), json!({}));
    let unknown = grpcurl.call("GetState", &json!({ "storeName": "nope", "key": "a" }));
    assert!(unknown.stderr.contains("Code: InvalidArgument"), "{unknown:?}");
    assert!(unknown.stderr.contains("DAPR_STATE_NOT_FOUND"), "{unknown:?}");
}

fn lists_components_over_grpc(grpcurl: &Grpcurl) {
    let metadata = grpcurl.call("GetMetadata", &json!({})).expect_success("GetMetadata");
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    assert_eq!(names(&metadata["components"]), ["bus", "echo", "environment", "store"]);
}

/// Returns the sorted names of components.
fn names(components: &Value) -> Vec<&str> {
    let mut names: Vec<_> =
        components.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}
