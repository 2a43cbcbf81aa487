//! `mynah converse`, and daprd itself at the other end.

use std::{fs, process::Command};

use super::{
    child::{self, Ended},
    toolchain,
};
use crate::{
    parity::target::{Program, Setup, Target},
    support::{mynah, scratch},
};

#[test]
fn daprd_is_asked() {
    toolchain::suite("daprd", || {
        let program = Program::Daprd(toolchain::daprd()?);
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let setup = Setup {
            resources: vec![program.components()],
            token: Some("right"),
            ..Setup::default()
        };
        let daprd = runtime.block_on(program.start(&setup)).expect("a start");
        answers(&daprd);
        does_not_stream(&daprd);
        repeats_a_history(&daprd);
        refuses(&daprd);
        runs_tools(&daprd);
        Ok(())
    });
}

/// `mynah converse`, in the environment of daprd's application.
fn converse(daprd: &Target, args: &[&str]) -> Command {
    let mut command = mynah();
    command.env("DAPR_GRPC_ENDPOINT", daprd.grpc.to_string()).env("DAPR_API_TOKEN", "right");
    command.arg("converse").args(args);
    command
}

fn run(daprd: &Target, args: &[&str]) -> Ended {
    child::run(converse(daprd, args).arg("--component=echo"))
}

const ANSWER: &str = r#"{"outputs":[{"choices":[{"finishReason":"stop","message":{"content":"Hello, daprd!"}}],"usage":{"completionTokens":"2","promptTokens":"2","totalTokens":"4"}}]}"#;

fn answers(daprd: &Target) {
    let text = run(daprd, &["Hello, daprd!", "--system", "Be brief."]);
    assert_eq!(text.expect_success("text"), "Be brief.\nHello, daprd!\n");
    let json = run(daprd, &["Hello, daprd!", "--json"]);
    assert_eq!(json.expect_success("JSON").trim_end(), ANSWER);
}

fn does_not_stream(daprd: &Target) {
    let text = run(daprd, &["Hello, daprd!", "--stream"]);
    let note = "mynah: this sidecar does not stream; printing the answer when it is complete\n";
    assert_eq!((text.stdout.as_str(), text.stderr.as_str()), ("Hello, daprd!\n", note));
    assert!(text.success);
    let json = run(daprd, &["Hello, daprd!", "--stream", "--json"]);
    let lines = format!("{{\"complete\":{ANSWER}}}\n");
    assert_eq!((json.stdout.as_str(), json.stderr.as_str()), (lines.as_str(), note));
}

/// The calls of the history, too.
fn repeats_a_history(daprd: &Target) {
    let history = scratch("history").join("history.json");
    let messages = r#"[
        {"ofUser": {"content": [{"text": "Where is it warm?"}]}},
        {"ofAssistant": {"toolCalls": [{"id": "7", "function": {"name": "find", "arguments": "{}"}}]}},
        {"ofTool": {"toolId": "7", "name": "find", "content": [{"text": "Paris"}]}}
    ]"#;
    fs::write(&history, messages).expect("a file");
    let ended = run(daprd, &["And cold?", "--history", history.to_str().expect("a path in UTF-8")]);
    let answer = "Where is it warm?\n\
        Tool Response for tool ID '7' with name 'find': Paris\n\
        And cold?\n\
        find {}  (7)\n";
    assert_eq!(ended.expect_success("history"), answer);
}

fn refuses(daprd: &Target) {
    let said = |command: &mut Command| child::run(command).stderr;
    let unknown = said(&mut converse(daprd, &["Hello!", "--component=nope"]));
    assert!(unknown.contains("failed finding conversation component nope"), "{unknown}");
    let token = said(converse(daprd, &["Hello!"]).env("DAPR_API_TOKEN", "wrong"));
    assert!(token.contains("Unauthenticated: Unauthorized; DAPR_API_TOKEN"), "{token}");
    let names = said(&mut converse(daprd, &["Hello!"]));
    assert!(names.ends_with("one must be chosen: echo, we-ird+x (--component)\n"), "{names}");
}

/// daprd's echo calls its tools in every turn, and its arguments are no JSON: the run ends all the
/// same, and says why.
fn runs_tools(daprd: &Target) {
    let tools = scratch("tools").join("tools.yaml");
    let parameters = "{type: object, properties: {city: {type: string}}}";
    let yaml = format!("tools: [{{name: f, command: [echo], parameters: {parameters}}}]");
    fs::write(&tools, yaml).expect("a file");
    let ended = child::run(
        converse(daprd, &["The weather in Rome?", "--component=echo", "--tools"]).arg(tools),
    );
    assert!(!ended.success, "{ended:?}");
    let told = "tool:  Error executing f: the arguments are not a JSON";
    assert!(ended.stderr.contains(told), "{}", ended.stderr);
    let last = ended.stderr.lines().last().expect("a reason");
    assert!(last.starts_with("mynah: no answer: "), "{}", ended.stderr);
}
