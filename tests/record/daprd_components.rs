//! Components that only the daprd of `--upstream daprd` has. Another mynah stands where daprd stands.

use std::{fs, path::Path};

use mynah::internals::wire::proto::{ConversationRequestAlpha2, GetMetadataRequest};
use serde_json::json;
use tonic::Code;

use super::{
    recorded,
    server::{hello, named},
    stop,
};
use crate::support::{
    Sidecar,
    messages::{request, user},
    mynah,
    ports::ReservedPort,
    process::{Process, wait_until},
    scratch, stream,
};

/// Writes a component for the mynah that stands where daprd stands. It answers with its name.
fn add(folder: &Path, name: &str) {
    let rules = format!("{{rules: [{{respond: I am {name}.}}]}}\n");
    let yaml = format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\nspec:\n  type: \
         conversation.scripted\n  version: v1\n  metadata:\n  - name: rules\n    value: |\n      {rules}"
    );
    fs::write(folder.join(format!("{name}.yaml")), yaml).unwrap();
}

fn daprd(folder: &Path) -> Sidecar {
    Sidecar::start_with(&["--resources-path", folder.to_str().unwrap()])
}

/// Starts a mynah without components of its own but `echo`.
fn in_front_of(address: &str, flags: &[&str]) -> Sidecar {
    Sidecar::start_with(&[&["--upstream", "daprd", "--daprd", address], flags].concat())
}

fn of(name: &str, request: ConversationRequestAlpha2) -> ConversationRequestAlpha2 {
    ConversationRequestAlpha2 { name: name.to_owned(), ..request }
}

async fn openai(sidecar: &Sidecar, model: &str) -> (u16, serde_json::Value) {
    let body = json!({ "model": model, "messages": [{ "role": "user", "content": "hello" }] });
    let reply = sidecar.post("/v1/chat/completions", body.to_string()).await;
    (reply.status, reply.json())
}

async fn listed(sidecar: &Sidecar) -> Vec<String> {
    let metadata = sidecar.client().await.get_metadata(GetMetadataRequest {}).await.unwrap();
    let components = metadata.into_inner().registered_components;
    components.into_iter().map(|component| component.name).collect()
}

#[tokio::test]
async fn calls_are_passed_on_and_recorded() {
    let (folder, recordings) = (scratch("daprd"), scratch("recordings"));
    ["gpt", "claude", "echo"].iter().for_each(|name| add(&folder, name));
    let daprd = daprd(&folder);
    let record = ["--record", recordings.to_str().unwrap()];
    let mynah = in_front_of(&daprd.grpc.to_string(), &record);
    assert!(!mynah.log().contains("no component has a real model"), "{}", mynah.log());
    assert_eq!(mynah.converse(hello()).await.unwrap().content, "I am gpt.");
    assert_eq!(stream(&mynah, of("claude", hello())).await.unwrap().answer.content, "I am claude.");
    let text = &openai(&mynah, "claude").await.1["choices"][0]["message"]["content"];
    assert_eq!(text, "I am claude.");
    // Both have it: mynah answers.
    assert_eq!(mynah.converse(of("echo", hello())).await.unwrap().content, "hello");
    let mut names = listed(&mynah).await;
    names.sort();
    assert_eq!(names, ["claude", "echo", "gpt"]);
    let log = stop(mynah).await;
    assert!(!log.contains("both have a component \"gpt\""), "{log}");
    assert!(recorded(&recordings).contains("I am gpt."));
    let claude = fs::read_to_string(recordings.join("claude.yaml")).unwrap();
    assert_eq!(claude.matches("- name:").count(), 1, "{claude}");
    let mut command = mynah_diff(&recordings, &daprd);
    let output = Process::start(&mut command).wait();
    assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("2 requests: 0 changed"), "{}", output.stdout);
}

fn mynah_diff(recordings: &Path, daprd: &Sidecar) -> std::process::Command {
    let mut command = mynah();
    command.arg("diff").arg(recordings).args(["--upstream", "daprd", "--daprd"]);
    command.arg(daprd.grpc.to_string());
    command
}

/// A large request is decoded on another thread.
#[tokio::test]
async fn large_requests_find_the_component() {
    let folder = scratch("daprd");
    add(&folder, "gpt");
    let daprd = daprd(&folder);
    let mynah = in_front_of(&daprd.grpc.to_string(), &[]);
    let large = "word ".repeat(100_000);
    let answer = mynah.converse(named(request([user(&large)]))).await.unwrap();
    assert_eq!(answer.content, "I am gpt.");
    let large = of("other", named(request([user(&large)])));
    let status = mynah.converse(of("other", large)).await.unwrap_err();
    assert_eq!(status.message(), "failed finding conversation component other");
}

#[tokio::test]
async fn components_that_daprd_loads_later_are_found() {
    let folder = scratch("daprd");
    add(&folder, "gpt");
    let daprd = daprd(&folder);
    let mynah = in_front_of(&daprd.grpc.to_string(), &[]);
    let alone = Sidecar::start();
    let unknown = async |sidecar: &Sidecar| {
        let status = sidecar.converse(of("late", hello())).await.unwrap_err();
        (status.code(), status.message().to_owned())
    };
    assert_eq!(unknown(&mynah).await, unknown(&alone).await);
    mynah.converse(hello()).await.unwrap();
    assert_eq!(unknown(&mynah).await, unknown(&alone).await);
    let (status, error) = openai(&mynah, "late").await;
    let message = "the model \"late\" does not exist; mynah serves: echo, gpt";
    assert_eq!((status, &error["error"]["message"]), (404, &message.into()));
    add(&folder, "late");
    let answers = async || mynah.converse(of("late", hello())).await.ok();
    let answer = wait_until(answers, "the component was not found").await;
    assert_eq!(answer.content, "I am late.");
    fs::remove_file(folder.join("gpt.yaml")).unwrap();
    let is_gone = async || (!listed(&daprd).await.contains(&"gpt".to_owned())).then_some(());
    wait_until(is_gone, "the component was not removed").await;
    let status = mynah.converse(hello()).await.unwrap_err();
    let message = "failed conversing with component gpt: failed finding conversation component gpt";
    assert_eq!((status.code(), status.message()), (Code::InvalidArgument, message));
}

#[tokio::test]
async fn a_daprd_that_cannot_be_reached_is_named() {
    let port = ReservedPort::new();
    let address = format!("127.0.0.1:{}", port.number);
    let mynah = in_front_of(&address, &[]);
    let status = mynah.converse(hello()).await.unwrap_err();
    let expected = format!("daprd at {address} is not available: nothing listens at {address}");
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().starts_with(&expected), "{}", status.message());
    // Its own component needs no daprd, also for models that have no component.
    assert_eq!(mynah.converse(of("echo", hello())).await.unwrap().content, "hello");
    assert_eq!(openai(&mynah, "gpt").await.0, 200);
}

/// The rules for a component and its recording are read again, as those of mynah's own components.
#[tokio::test]
async fn rules_answer_before_daprd() {
    let (folder, own) = (scratch("daprd"), scratch("own"));
    add(&folder, "gpt");
    let (daprd, rules) = (daprd(&folder), own.join("rules.yaml"));
    let write = |answer: &str| {
        fs::write(&rules, format!("rules: [{{match: {{component: gpt}}, respond: {answer}}}]"))
    };
    write("By a rule.").unwrap();
    let flags = ["--rules", rules.to_str().unwrap()];
    let mynah = in_front_of(&daprd.grpc.to_string(), &flags);
    assert!(!mynah.log().contains("gpt"), "{}", mynah.log());
    assert_eq!(mynah.converse(hello()).await.unwrap().content, "By a rule.");
    write("By another.").unwrap();
    let is_read =
        async || (mynah.converse(hello()).await.unwrap().content == "By another.").then_some(());
    wait_until(is_read, "the rules were not read again").await;
}
