//! Tests that daprd's clients get mynah's answers.

use mynah_needs::needs;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::{
    super::{clients, load::prompt},
    Sockets, converse, exit_log, with_daprd,
};
use crate::{interop::toolchain, parity::target::Program};

#[needs("daprd")]
#[test]
fn daprd_without_the_adaptor_has_no_pluggable_conversation_components() {
    toolchain::suite("daprd", || {
        let sockets = Sockets::new("mynah");
        let _mynah = sockets.serve();
        let program = Program::Daprd(toolchain::daprd()?);
        let start = sockets.start(&program, &[("assistant", &[])]);
        let log = Runtime::new().unwrap().block_on(exit_log(start));
        assert!(log.contains("couldn't find conversation conversation.mynah/v1"), "{log}");
        Ok(())
    });
}

#[needs("daprd")]
#[test]
fn answers_are_those_of_mynah() {
    with_daprd("mynah", &[("echo", &[("provider", "echo")])], async |_, mynah, daprd| {
        // The ids of calls depend on the component's name.
        for messages in [question(), results()] {
            let request = json!({ "inputs": [{ "messages": messages }], "tools": tools() });
            let direct = converse(mynah.http, "echo", &request).await;
            let through = converse(daprd.http, "echo", &request).await;
            assert_eq!(through, direct, "{request}");
            assert_eq!(direct.0, 200, "{direct:?}");
        }
    });
}

#[needs("daprd", "python", "go", "dapr-agents", "grpcurl")]
#[test]
fn clients_work_with_a_pluggable_component() {
    with_daprd("mynah", &[("echo", &[("provider", "scripted")])], async |_, _mynah, daprd| {
        clients::work_with(daprd.grpc, daprd.http).await;
    });
}

#[needs("daprd")]
#[test]
fn components_on_one_socket_have_their_own_settings() {
    let components = [("first", [("model", "a")].as_slice()), ("second", &[("model", "b")])];
    with_daprd("mynah", &components, async |_, _mynah, daprd| {
        let listed = ["first conversation.mynah", "second conversation.mynah"];
        assert_eq!(daprd.components().await, listed);
        for (name, model) in [("first", "a"), ("second", "b"), ("first", "a")] {
            let (_, body) = converse(daprd.http, name, &prompt("Hello!")).await;
            assert_eq!(body["outputs"][0]["model"], model, "{body}");
        }
    });
}

#[needs("daprd")]
#[test]
fn a_socket_takes_over_a_built_in_type() {
    // The provider of the real component is not called.
    let properties = [("endpoint", "http://127.0.0.1:1/v1"), ("key", "k"), ("model", "m")];
    with_daprd("openai", &[("gpt", &properties)], async |_, mynah, daprd| {
        let (status, body) = converse(daprd.http, "gpt", &prompt("Hello!")).await;
        assert_eq!((status, &body["outputs"][0]["model"]), (200, &json!("m")), "{body}");
        assert!(mynah.log().contains("endpoint"), "{}", mynah.log());
    });
}

#[needs("daprd")]
#[test]
fn errors_have_the_message_of_the_provider() {
    let properties = [("provider", "scripted"), ("fallback", "error")];
    with_daprd("mynah", &[("strict", &properties)], async |_, _mynah, daprd| {
        let (status, body) = converse(daprd.http, "strict", &prompt("Hello!")).await;
        assert_eq!(status, 500, "{body}");
        insta::assert_snapshot!(body["message"].as_str().unwrap(), @"failed conversing with component strict: no user message contains a chain between <|instruction_start|> and <|instruction_end|>; add one, or set the component's fallback to echo");
    });
}

/// A history of several roles, whose last message mentions the tool.
fn question() -> Value {
    json!([
        { "ofSystem": { "content": [{ "text": "Be brief." }] } },
        { "ofUser": { "content": [{ "text": "Hello!" }, { "text": "Hello?" }] } },
        { "ofAssistant": { "content": [{ "text": "Hello." }] } },
        { "ofUser": { "content": [{ "text": "What is the weather in Oslo?" }] } },
    ])
}

/// A history that ends with the results of two calls, one of them in two parts.
fn results() -> Value {
    let call = |id| json!({ "id": id, "function": { "name": "get_weather", "arguments": "{}" } });
    let result = |id, parts: &[&str]| {
        let content: Vec<_> = parts.iter().map(|text| json!({ "text": text })).collect();
        json!({ "ofTool": { "toolId": id, "name": "get_weather", "content": content } })
    };
    json!([
        { "ofUser": { "content": [{ "text": "What is the weather in Oslo and in Rome?" }] } },
        { "ofAssistant": { "toolCalls": [call("1"), call("2")] } },
        result("1", &["Rain", "and wind"]),
        result("2", &["Sun"]),
    ])
}

fn tools() -> Value {
    let parameters = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    json!([{ "function": { "name": "get_weather", "parameters": parameters } }])
}
