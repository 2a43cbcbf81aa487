//! Tests of `mynah converse --tools`.

mod commands;
mod interactive;
mod invalid_files;

use std::{fs, path::PathBuf, process::Command};

use insta::assert_snapshot;
use serde_json::Value;

use super::{converse, history_file, run};
use crate::support::{Sidecar, process::Process, scratch};

const WEATHER: &str = r#"
tools:
- name: get_weather
  parameters: {type: object, properties: {location: {type: string}}}
  command: [sed, 's/.*"location":"\([^"]*\)".*/It is sunny in \1./']
"#;

/// Writes a tools file into a new folder.
fn tools_file(yaml: &str) -> PathBuf {
    let file = scratch("tools").join("tools.yaml");
    fs::write(&file, yaml).unwrap();
    file
}

/// Returns the command `mynah converse --tools`, which runs in the folder of the tools file.
fn with_tools(sidecar: &Sidecar, yaml: &str, args: &[&str]) -> Command {
    let mut command = converse(sidecar, args);
    let file = tools_file(yaml);
    command.current_dir(file.parent().unwrap()).arg("--tools").arg(file);
    command
}

/// Runs `mynah converse` with the weather tool.
fn run_weather(args: &[&str]) -> String {
    run(&mut with_tools(&Sidecar::start(), WEATHER, args))
}

fn chain(steps: &str) -> String {
    format!("<|instruction_start|>{{\"instruction_chain\": [{steps}]}}<|instruction_end|>")
}

/// Starts a sidecar that follows chains and repeats their last step.
fn scripted_sidecar() -> Sidecar {
    Sidecar::with_components(
        r#"{"apiVersion": "dapr.io/v1alpha1", "kind": "Component", "metadata": {"name": "scripted"},
            "spec": {"type": "conversation.scripted", "version": "v1", "metadata": [
                {"name": "allowUnoffered", "value": "true"},
                {"name": "onExhausted", "value": "repeat_last"}]}}"#,
    )
}

/// Runs `mynah converse` with the weather tool and a chain of these steps.
fn run_chain(steps: &str, args: &[&str]) -> String {
    let chain = chain(steps);
    run(&mut with_tools(&scripted_sidecar(), WEATHER, &[&[chain.as_str()], args].concat()))
}

#[test]
fn runs_tool_and_prints_answer() {
    assert_snapshot!(run_weather(&["What is the weather in Paris?"]), @r#"
    It is sunny in Paris.
    -- stderr
    calls: get_weather {"location":"Paris"}
    tool:  get_weather: It is sunny in Paris.
    -- exit 0
    "#);
    assert_snapshot!(run_weather(&["Hello!"]), @"
    Hello!
    -- exit 0
    ");
}

/// Runs `mynah converse --text-tools` with a model that writes its calls as text.
fn run_text_tools(args: &[&str]) -> String {
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/rules/text-tools.yaml");
    let sidecar = Sidecar::start_with(&["--rules", rules]);
    let args = [&["What is the weather in Paris?", "--text-tools"], args].concat();
    run(&mut with_tools(&sidecar, WEATHER, &args))
}

#[test]
fn runs_tools_of_a_model_without_tool_support() {
    assert_snapshot!(run_text_tools(&[]), @r#"
    The tool says: It is sunny in Paris.
    -- stderr
    calls: get_weather {"location":"Paris"}
    tool:  get_weather: It is sunny in Paris.
    -- exit 0
    "#);
    let call = "AI ACTION (Turn 1): Executing Get Weather with parameters: location: Paris";
    let streamed = run_text_tools(&["--stream"]);
    assert!(streamed.starts_with(&format!("{call}\nThe tool says: ")), "{streamed}");
    let json = run_text_tools(&["--json"]);
    let json: Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    let messages = json["messages"].as_array().unwrap();
    let text = |number: usize| {
        let message = messages[number].as_object().unwrap().values().next().unwrap();
        message["content"][0]["text"].as_str().unwrap()
    };
    assert!(text(0).contains("\n- Get Weather: "), "{}", text(0));
    assert_eq!(text(2), call);
    assert!(text(3).starts_with("TOOL RESPONSE (Turn 1): SUCCESS: Get Weather"), "{}", text(3));
    assert_eq!((messages.len(), json["calls"].as_array().unwrap().len()), (5, 1));

    // A history that has the system prompt already does not get it again.
    let file = history_file(&json.to_string());
    let again = run_text_tools(&["--json", "--history", file.to_str().unwrap()]);
    let again: Value = serde_json::from_str(again.lines().next().unwrap()).unwrap();
    let systems = again["messages"].as_array().unwrap().iter();
    assert_eq!(systems.filter(|message| message.get("ofSystem").is_some()).count(), 1);
}

#[test]
fn text_tools_need_tools() {
    let report = crate::cli::run_report(&["converse", "Hello!", "--text-tools"]);
    assert_snapshot!(report, @"
    -- stderr
    error: the following required arguments were not provided:
      --tools <FILE>

    Usage: mynah converse --tools <FILE> --text-tools <PROMPT>

    For more information, try '--help'.
    -- exit 64
    ");
}

#[test]
fn prints_text_between_calls() {
    let steps = r#"
        {"messages": [{"text": "Let me see."}, {"tool_call": [
            {"name": "get_weather", "args": {"location": "Rome"}}, {"name": "nope", "args": {}}]}]},
        {"messages": [{"text": "Sunny.\n"}]}"#;
    assert_snapshot!(run_chain(steps, &[]), @r#"
    Let me see.
    Sunny.
    -- stderr
    calls: get_weather {"location":"Rome"}
    calls: nope {}
    tool:  Tool 'nope' not found
    tool:  get_weather: It is sunny in Rome.
    -- exit 0
    "#);
    assert_eq!(run_chain(steps, &["--stream"]), run_chain(steps, &[]));
}

/// The second call finishes first.
#[test]
fn results_of_concurrent_calls_show_arguments() {
    let steps = r#"
        {"messages": [{"tool_call": [
            {"name": "wait", "args": {"for": "it"}}, {"name": "wait", "args": {}}]}]},
        {"messages": [{"text": "Done."}]}"#;
    let yaml = r#"
tools:
- name: wait
  command: [sh, -c, 'if grep -q it; then until [ -e done ]; do sleep 0.01; done; exit 1; else touch done; fi']
"#;
    let sidecar = scripted_sidecar();
    let output = Process::start(&mut with_tools(&sidecar, yaml, &[&chain(steps)])).wait();
    let mut lines: Vec<_> = output.stderr.lines().collect();
    // The order of the results depends on the operating system.
    lines[2..].sort_unstable();
    assert_eq!(
        lines,
        [
            r#"calls: wait {"for":"it"}"#,
            "calls: wait {}",
            r#"tool:  wait {"for":"it"}: Error executing wait: exit status 1"#,
            "tool:  wait {}: ",
        ]
    );
}

#[test]
fn prints_json() {
    assert_snapshot!(run_weather(&["What is the weather in Paris?", "--json"]), @r#"
    {"end":"answered","turns":2,"text":"It is sunny in Paris.","finish_reason":"stop","model":"echo","usage":{"completionTokens":"5","promptTokens":"12","totalTokens":"17"},"calls":[{"id":"call_echo_1715012863290788346","name":"get_weather","arguments":"{\"location\":\"Paris\"}","result":"It is sunny in Paris.","outcome":"succeeded"}],"messages":[{"ofUser":{"content":[{"text":"What is the weather in Paris?"}]}},{"ofAssistant":{"toolCalls":[{"function":{"arguments":"{\"location\":\"Paris\"}","name":"get_weather"},"id":"call_echo_1715012863290788346"}]}},{"ofTool":{"content":[{"text":"It is sunny in Paris."}],"name":"get_weather","toolId":"call_echo_1715012863290788346"}},{"ofAssistant":{"content":[{"text":"It is sunny in Paris."}]}}]}
    -- exit 0
    "#);
    assert_snapshot!(run_weather(&["What is the weather in Paris?", "--json", "--stream"]), @r#"
    {"started":{"id":"call_echo_1715012863290788346","name":"get_weather","arguments":"{\"location\":\"Paris\"}"}}
    {"finished":{"id":"call_echo_1715012863290788346","name":"get_weather","arguments":"{\"location\":\"Paris\"}","result":"It is sunny in Paris.","outcome":"succeeded"}}
    {"text":"It"}
    {"text":" is"}
    {"text":" sunny"}
    {"text":" in"}
    {"text":" Paris."}
    {"ended":{"end":"answered","turns":2,"text":"It is sunny in Paris.","finish_reason":"stop","model":"echo","usage":{"completionTokens":"5","promptTokens":"12","totalTokens":"17"},"calls":[{"id":"call_echo_1715012863290788346","name":"get_weather","arguments":"{\"location\":\"Paris\"}","result":"It is sunny in Paris.","outcome":"succeeded"}],"messages":[{"ofUser":{"content":[{"text":"What is the weather in Paris?"}]}},{"ofAssistant":{"toolCalls":[{"function":{"arguments":"{\"location\":\"Paris\"}","name":"get_weather"},"id":"call_echo_1715012863290788346"}]}},{"ofTool":{"content":[{"text":"It is sunny in Paris."}],"name":"get_weather","toolId":"call_echo_1715012863290788346"}},{"ofAssistant":{"content":[{"text":"It is sunny in Paris."}]}}]}}
    -- exit 0
    "#);
}

/// The messages, the whole JSON output and the last event are all valid history files.
#[test]
fn output_can_be_continued_as_history() {
    let sidecar = Sidecar::start();
    let paris = ["What is the weather in Paris?", "--json"];
    let run = Process::start(&mut with_tools(&sidecar, WEATHER, &paris)).wait().stdout;
    let mut streamed = with_tools(&sidecar, WEATHER, &paris);
    let events = Process::start(streamed.arg("--stream")).wait().stdout;
    let messages = serde_json::from_str::<Value>(&run).unwrap()["messages"].to_string();
    for history in [&messages, &run, events.lines().last().unwrap()] {
        let args = ["And in Rome: get_weather", "--json", "--system=Be brief."];
        let mut second = with_tools(&sidecar, WEATHER, &args);
        let output = Process::start(second.arg("--history").arg(history_file(history))).wait();
        let json: Value = serde_json::from_str(&output.stdout).expect(&output.stderr);
        let messages = json["messages"].as_array().unwrap();
        let kinds: Vec<_> = messages
            .iter()
            .map(|message| message.as_object().unwrap().keys().next().unwrap())
            .collect();
        let run = ["ofUser", "ofAssistant", "ofTool", "ofAssistant"];
        assert_eq!(kinds, [&["ofSystem"][..], &run, &run].concat());
        assert_eq!(json["text"], "It is sunny in Rome.");
    }
}

#[test]
fn tool_choice_can_name_tool_of_file() {
    let history =
        history_file(r#"{"toolChoice": "get_weather", "tools": [{"function": {"name": "f"}}]}"#);
    let sidecar = Sidecar::start();
    let mut command = with_tools(&sidecar, WEATHER, &["Oslo or Rome?"]);
    assert_snapshot!(run(command.arg("--history").arg(history)), @r#"
    It is sunny in Rome.
    -- stderr
    calls: get_weather {"location":"Rome"}
    tool:  get_weather: It is sunny in Rome.
    -- exit 0
    "#);
}

#[test]
fn fails_after_max_turns() {
    assert_snapshot!(run_weather(&["What is the weather in Paris?", "--max-turns=1"]), @r#"
    -- stderr
    calls: get_weather {"location":"Paris"}
    tool:  get_weather: It is sunny in Paris.
    mynah: no answer within the turn limit of 1 (set by --max-turns)
    -- exit 1
    "#);
    let json = run_weather(&["The weather in Paris?", "--max-turns=1", "--json"]);
    assert!(json.starts_with(r#"{"end":"max_turns","turns":1,"#), "{json}");
    assert!(json.ends_with("-- exit 1"), "{json}");
}

#[test]
fn max_turns_requires_tools() {
    assert_snapshot!(crate::cli::run_report(&["converse", "Hello!", "--max-turns=3"]), @"
    -- stderr
    error: the following required arguments were not provided:
      --tools <FILE>

    Usage: mynah converse --tools <FILE> --max-turns <NUMBER> <PROMPT>

    For more information, try '--help'.
    -- exit 64
    ");
}

#[test]
fn fails_if_model_stalls() {
    let steps =
        r#"{"messages": [{"tool_call": [{"name": "get_weather", "args": {"location": "Rome"}}]}]}"#;
    assert_snapshot!(run_chain(steps, &[]), @r#"
    -- stderr
    calls: get_weather {"location":"Rome"}
    tool:  get_weather: It is sunny in Rome.
    calls: get_weather {"location":"Rome"}
    tool:  get_weather: You just called the Get Weather tool with the exact same parameters as your previous action. Please try a different approach or use different parameters instead.
    calls: get_weather {"location":"Rome"}
    tool:  Error executing get_weather: the call did not run because the tool loop ended
    mynah: no answer: the model kept repeating the same calls
    -- exit 1
    "#);
}

#[test]
fn fails_if_model_fails() {
    let steps = r#"{"messages": [{"text": "Let me see."}, {"tool_call": [{"name": "get_weather", "args": {}}]}]},
        {"error": {"code": "UNAVAILABLE", "message": "the model is busy"}}"#;
    assert_snapshot!(run_chain(steps, &[]), @"
    Let me see.
    -- stderr
    calls: get_weather {}
    tool:  get_weather: {}
    mynah: the call to 127.0.0.1:[port] failed with Unavailable: failed conversing with component scripted: the model is busy
    -- exit 1
    ");
    let json = run_chain(steps, &["--json"]);
    assert!(json.starts_with(r#"{"end":"model_error","error":"the call to 127.0.0.1:"#), "{json}");
}

#[test]
fn notes_empty_or_truncated_answer() {
    assert_snapshot!(run_chain(r#"{"messages": [{"text": ""}], "finish_reason": "length"}"#, &[]), @"
    -- stderr
    mynah: the model stopped early: length
    mynah: the answer is empty
    -- exit 0
    ");
    let steps = r#"{"messages": [{"text": "Let"}], "finish_reason": "length"}"#;
    let json = run_chain(steps, &["--json"]);
    assert!(json.contains(r#""text":"Let","finish_reason":"length","model":"#), "{json}");
}

#[test]
fn json_without_response_omits_its_fields() {
    let json = run_chain(r#"{"error": {"code": "UNAVAILABLE", "message": "busy"}}"#, &["--json"]);
    assert!(json.contains(r#""turns":0,"text":"","calls":[],"#), "{json}");
}

/// Editors use this key.
#[test]
fn accepts_schema_key() {
    let yaml = format!("$schema: tools.schema.json{WEATHER}");
    let sidecar = Sidecar::start();
    let output = Process::start(&mut with_tools(&sidecar, &yaml, &["get_weather in Paris"])).wait();
    assert_eq!(output.stdout, "It is sunny in Paris.\n");
}

#[test]
fn sanitizes_stderr_but_not_a_piped_answer() {
    let yaml = r#"tools: [{name: get_weather, command: [printf, '\033[31mred\nfog']}]"#;
    let output = Process::start(&mut with_tools(&Sidecar::start(), yaml, &["get_weather"])).wait();
    assert_eq!(output.stdout, "\x1b[31mred\nfog\n");
    assert_eq!(output.stderr, "calls: get_weather {}\ntool:  get_weather: ␛[31mred fog\n");
}

#[test]
fn ignores_closed_stdout() {
    for flags in [&[][..], &["--json"], &["--stream"]] {
        let args = [&["What is the weather in Paris?"], flags].concat();
        let sidecar = Sidecar::start();
        let mut command = with_tools(&sidecar, WEATHER, &args);
        assert_eq!(
            Process::start_with_closed_output(&mut command).wait().code,
            Some(0),
            "{flags:?}"
        );
    }
}

#[test]
fn check_skips_tools_file() {
    let folder =
        crate::cli::write_folder(&[("a.yaml", crate::cli::VALID), ("tools.yaml", WEATHER)]);
    let report = crate::cli::run_report(&["check", folder.to_str().unwrap()]);
    assert_snapshot!(crate::cli::redact_folder(&report, &folder), @"
    1 component, 1 tools file, 0 errors, 0 warnings
    -- exit 0
    ");
}
