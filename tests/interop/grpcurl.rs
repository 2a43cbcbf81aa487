//! grpcurl, which knows nothing of mynah but what reflection tells it.

use std::{path::PathBuf, process::Command};

use serde_json::{Value, json};

use super::{
    child::{self, Ended},
    toolchain,
};
use crate::support::Sidecar;

const DAPR: &str = "dapr.proto.runtime.v1.Dapr";
const SERVICES: [&str; 4] = [
    DAPR,
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
];

/// grpcurl, and the sidecar that it calls.
struct Grpcurl {
    program: PathBuf,
    sidecar: Sidecar,
}

#[test]
fn grpcurl_finds_its_way() {
    toolchain::suite("grpcurl", || {
        let grpcurl = Grpcurl { program: toolchain::grpcurl()?, sidecar: Sidecar::start() };
        lists(&grpcurl);
        describes(&grpcurl);
        calls(&grpcurl);
        streams(&grpcurl);
        is_refused(&grpcurl);
        reflects_as_before(&grpcurl);
        Ok(())
    });
}

impl Grpcurl {
    /// Runs it: its own arguments, then what to do at the sidecar's address.
    fn run(&self, options: &[&str], action: &[&str]) -> Ended {
        let mut command = Command::new(&self.program);
        command.arg("-plaintext").args(options).arg(self.sidecar.grpc.to_string()).args(action);
        child::run(command.env("NO_PROXY", "127.0.0.1"))
    }

    /// Calls a method; the answer is its messages.
    fn call(&self, method: &str, request: &Value) -> Vec<Value> {
        let ended = self.run(&["-d", &request.to_string()], &[method]);
        let answer = ended.expect_success(method);
        let messages = serde_json::Deserializer::from_str(&answer).into_iter();
        messages.map(|message| message.expect("JSON")).collect()
    }
}

fn lists(grpcurl: &Grpcurl) {
    let services = grpcurl.run(&[], &["list"]).expect_success("list");
    assert_eq!(services.lines().collect::<Vec<_>>(), SERVICES);
    let methods = grpcurl.run(&[], &["list", DAPR]).expect_success("list of methods");
    let has = |name| methods.lines().any(|line| line == format!("{DAPR}.{name}"));
    assert!(has("ConverseAlpha2") && has("ConverseStreamAlpha2"), "{methods}");
}

fn describes(grpcurl: &Grpcurl) {
    let method = format!("{DAPR}.ConverseStreamAlpha2");
    let text = grpcurl.run(&[], &["describe", &method]).expect_success("describe");
    let signature = "rpc ConverseStreamAlpha2 ( .dapr.proto.runtime.v1.ConversationRequestAlpha2 ) \
        returns ( stream .dapr.proto.runtime.v1.ConversationStreamResponseAlpha2 );";
    assert!(text.contains(signature), "{text}");
}

fn calls(grpcurl: &Grpcurl) {
    let method = format!("{DAPR}/ConverseAlpha2");
    assert_eq!(grpcurl.call(&method, &hello("echo")), [hello_back()]);
    let health = grpcurl.call("grpc.health.v1.Health/Check", &json!({ "service": DAPR }));
    assert_eq!(health, [json!({ "status": "SERVING" })]);
}

fn streams(grpcurl: &Grpcurl) {
    let method = format!("{DAPR}/ConverseStreamAlpha2");
    let messages = grpcurl.call(&method, &hello("echo"));
    let chunk = |content: &str| json!({ "chunk": { "content": content } });
    let expected = [chunk("Hello,"), chunk(" world!"), json!({ "complete": hello_back() })];
    assert_eq!(messages, expected);
}

fn is_refused(grpcurl: &Grpcurl) {
    for method in ["ConverseAlpha2", "ConverseStreamAlpha2"] {
        let request = hello("nope").to_string();
        let ended = grpcurl.run(&["-d", &request], &[&format!("{DAPR}/{method}")]);
        assert!(!ended.success, "{}", ended.stdout);
        let error = "ERROR:\n  Code: InvalidArgument\n  \
            Message: failed finding conversation component nope\n";
        assert_eq!(ended.stderr, error, "{method}");
    }
}

/// Older tools know reflection by the name that it had before v1.
fn reflects_as_before(grpcurl: &Grpcurl) {
    let method = "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
    let answers = grpcurl.call(method, &json!({ "listServices": "" }));
    let services = SERVICES.map(|name| json!({ "name": name }));
    assert_eq!(answers[0]["listServicesResponse"]["service"], json!(services));
}

fn hello(component: &str) -> Value {
    let user = json!({ "ofUser": { "content": [{ "text": "Hello, world!" }] } });
    json!({ "name": component, "inputs": [{ "messages": [user] }] })
}

fn hello_back() -> Value {
    let message = json!({ "content": "Hello, world!" });
    let usage = json!({ "promptTokens": "3", "completionTokens": "3", "totalTokens": "6" });
    let choices = json!([{ "finishReason": "stop", "message": message }]);
    json!({ "outputs": [{ "choices": choices, "model": "echo", "usage": usage }] })
}
