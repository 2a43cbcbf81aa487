//! Tests of grpcurl, which discovers the API by server reflection.

use std::{path::PathBuf, process::Command};

use mynah_needs::needs;
use serde_json::{Value, json};

use super::{
    child::{self, Output},
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

/// grpcurl and the sidecar that it calls.
struct Grpcurl {
    program: PathBuf,
    sidecar: Sidecar,
}

#[needs("grpcurl")]
#[test]
fn grpcurl_lists_describes_and_calls() {
    toolchain::suite("grpcurl", || {
        let grpcurl = Grpcurl { program: toolchain::grpcurl()?, sidecar: Sidecar::start() };
        lists_services_and_methods(&grpcurl);
        describes_a_method(&grpcurl);
        calls_unary_methods(&grpcurl);
        calls_a_streaming_method(&grpcurl);
        prints_errors(&grpcurl);
        serves_reflection_v1alpha(&grpcurl);
        Ok(())
    });
}

impl Grpcurl {
    /// Runs grpcurl with options before the address and an action after it.
    fn run(&self, options: &[&str], action: &[&str]) -> Output {
        let mut command = Command::new(&self.program);
        command.arg("-plaintext").args(options).arg(self.sidecar.grpc.to_string()).args(action);
        child::run(command.env("NO_PROXY", "127.0.0.1"))
    }

    /// Calls a method and returns the messages of the response.
    fn call(&self, method: &str, request: &Value) -> Vec<Value> {
        let output = self.run(&["-d", &request.to_string()], &[method]);
        let answer = output.expect_success(method);
        let messages = serde_json::Deserializer::from_str(&answer).into_iter();
        messages.map(|message| message.unwrap()).collect()
    }
}

fn lists_services_and_methods(grpcurl: &Grpcurl) {
    let services = grpcurl.run(&[], &["list"]).expect_success("list");
    assert_eq!(services.lines().collect::<Vec<_>>(), SERVICES);
    let methods = grpcurl.run(&[], &["list", DAPR]).expect_success("list of methods");
    let has = |name| methods.lines().any(|line| line == format!("{DAPR}.{name}"));
    assert!(has("ConverseAlpha2") && has("ConverseStreamAlpha2"), "{methods}");
}

fn describes_a_method(grpcurl: &Grpcurl) {
    let method = format!("{DAPR}.ConverseStreamAlpha2");
    let text = grpcurl.run(&[], &["describe", &method]).expect_success("describe");
    let signature = "rpc ConverseStreamAlpha2 ( .dapr.proto.runtime.v1.ConversationRequestAlpha2 ) \
        returns ( stream .dapr.proto.runtime.v1.ConversationStreamResponseAlpha2 );";
    assert!(text.contains(signature), "{text}");
}

fn calls_unary_methods(grpcurl: &Grpcurl) {
    let method = format!("{DAPR}/ConverseAlpha2");
    assert_eq!(grpcurl.call(&method, &hello_request("echo")), [hello_response()]);
    let health = grpcurl.call("grpc.health.v1.Health/Check", &json!({ "service": DAPR }));
    assert_eq!(health, [json!({ "status": "SERVING" })]);
}

fn calls_a_streaming_method(grpcurl: &Grpcurl) {
    let method = format!("{DAPR}/ConverseStreamAlpha2");
    let messages = grpcurl.call(&method, &hello_request("echo"));
    let chunk = |content: &str| json!({ "chunk": { "content": content } });
    let expected = [chunk("Hello,"), chunk(" world!"), json!({ "complete": hello_response() })];
    assert_eq!(messages, expected);
}

fn prints_errors(grpcurl: &Grpcurl) {
    for method in ["ConverseAlpha2", "ConverseStreamAlpha2"] {
        let request = hello_request("nope").to_string();
        let output = grpcurl.run(&["-d", &request], &[&format!("{DAPR}/{method}")]);
        assert!(!output.success, "{}", output.stdout);
        let error = "ERROR:\n  Code: InvalidArgument\n  \
            Message: failed finding conversation component nope\n";
        assert_eq!(output.stderr, error, "{method}");
    }
}

/// Older tools use the reflection API from before v1.
fn serves_reflection_v1alpha(grpcurl: &Grpcurl) {
    let method = "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
    let answers = grpcurl.call(method, &json!({ "listServices": "" }));
    let services = SERVICES.map(|name| json!({ "name": name }));
    assert_eq!(answers[0]["listServicesResponse"]["service"], json!(services));
}

fn hello_request(component: &str) -> Value {
    let user = json!({ "ofUser": { "content": [{ "text": "Hello, world!" }] } });
    json!({ "name": component, "inputs": [{ "messages": [user] }] })
}

fn hello_response() -> Value {
    let message = json!({ "content": "Hello, world!" });
    let usage = json!({ "promptTokens": "3", "completionTokens": "3", "totalTokens": "6" });
    let choices = json!([{ "finishReason": "stop", "message": message }]);
    json!({ "outputs": [{ "choices": choices, "model": "echo", "usage": usage }] })
}
