//! Tests of `mynah converse` with daprd.

use std::{fs, process::Command};

use mynah_needs::needs;

use super::{
    child::{self, Output},
    toolchain,
};
use crate::{
    parity::target::{Program, Setup, Target},
    support::{mynah, scratch},
};

#[needs("daprd")]
#[test]
fn converse_works_with_daprd() {
    toolchain::suite("daprd", || {
        let program = Program::Daprd(toolchain::daprd()?);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let setup = Setup {
            resources: vec![program.components()],
            token: Some("right"),
            ..Setup::default()
        };
        let daprd = runtime.block_on(program.start(&setup)).unwrap();
        prints_answers(&daprd);
        notes_that_daprd_does_not_stream(&daprd);
        sends_a_history(&daprd);
        reports_errors(&daprd);
        runs_tools(&daprd);
        Ok(())
    });
}

/// Returns a `mynah converse` command that calls daprd with daprd's token.
fn converse(daprd: &Target, args: &[&str]) -> Command {
    let mut command = mynah();
    command.env("DAPR_GRPC_ENDPOINT", daprd.grpc.to_string()).env("DAPR_API_TOKEN", "right");
    command.arg("converse").args(args);
    command
}

fn run(daprd: &Target, args: &[&str]) -> Output {
    child::run(converse(daprd, args).arg("--component=echo"))
}

const ANSWER: &str = r#"{"outputs":[{"choices":[{"finishReason":"stop","message":{"content":"Hello, daprd!"}}],"usage":{"completionTokens":"2","promptTokens":"2","totalTokens":"4"}}]}"#;

fn prints_answers(daprd: &Target) {
    let text = run(daprd, &["Hello, daprd!", "--system", "Be brief."]);
    assert_eq!(text.expect_success("text"), "Be brief.\nHello, daprd!\n");
    let json = run(daprd, &["Hello, daprd!", "--json"]);
    assert_eq!(json.expect_success("JSON").trim_end(), ANSWER);
}

fn notes_that_daprd_does_not_stream(daprd: &Target) {
    let text = run(daprd, &["Hello, daprd!", "--stream"]);
    let note = "mynah: this sidecar does not stream; printing the answer when it is complete\n";
    assert_eq!((text.stdout.as_str(), text.stderr.as_str()), ("Hello, daprd!\n", note));
    assert!(text.success);
    let json = run(daprd, &["Hello, daprd!", "--stream", "--json"]);
    let lines = format!("{{\"complete\":{ANSWER}}}\n");
    assert_eq!((json.stdout.as_str(), json.stderr.as_str()), (lines.as_str(), note));
}

/// daprd's echo also repeats the tool calls in the history.
fn sends_a_history(daprd: &Target) {
    let history = scratch("history").join("history.json");
    let messages = r#"[
        {"ofUser": {"content": [{"text": "Where is it warm?"}]}},
        {"ofAssistant": {"toolCalls": [{"id": "7", "function": {"name": "find", "arguments": "{}"}}]}},
        {"ofTool": {"toolId": "7", "name": "find", "content": [{"text": "Paris"}]}}
    ]"#;
    fs::write(&history, messages).unwrap();
    let output = run(daprd, &["And cold?", "--history", history.to_str().unwrap()]);
    let answer = "Where is it warm?\n\
        Tool Response for tool ID '7' with name 'find': Paris\n\
        And cold?\n\
        find {}  (7)\n";
    assert_eq!(output.expect_success("history"), answer);
}

fn reports_errors(daprd: &Target) {
    let stderr = |command: &mut Command| child::run(command).stderr;
    let unknown = stderr(&mut converse(daprd, &["Hello!", "--component=nope"]));
    assert!(unknown.contains("failed finding conversation component nope"), "{unknown}");
    let token = stderr(converse(daprd, &["Hello!"]).env("DAPR_API_TOKEN", "wrong"));
    assert!(token.contains("Unauthenticated: Unauthorized; set DAPR_API_TOKEN"), "{token}");
    let ambiguous = stderr(&mut converse(daprd, &["Hello!"]));
    assert!(
        ambiguous.ends_with("choose one of: echo, we-ird+x (with --component)\n"),
        "{ambiguous}"
    );
}

/// daprd's echo calls all tools in every turn, with arguments that are not JSON. The run must end
/// and report why.
fn runs_tools(daprd: &Target) {
    let tools = scratch("tools").join("tools.yaml");
    let parameters = "{type: object, properties: {city: {type: string}}}";
    let yaml = format!("tools: [{{name: f, command: [echo], parameters: {parameters}}}]");
    fs::write(&tools, yaml).unwrap();
    let output = child::run(
        converse(daprd, &["The weather in Rome?", "--component=echo", "--tools"]).arg(tools),
    );
    assert!(!output.success, "{output:?}");
    let failure = "tool:  Error executing f: the arguments are not a JSON";
    assert!(output.stderr.contains(failure), "{}", output.stderr);
    let last = output.stderr.lines().last().unwrap();
    assert_eq!(last, "mynah: no answer within the turn limit of 12 (set by --max-turns)");
}
