//! `mynah converse --tools`: answers that take tools.

mod commands;
mod mistakes;
mod typed;

use std::{fs, path::PathBuf, process::Command};

use insta::assert_snapshot;
use serde_json::Value;

use super::{converse, file, said};
use crate::support::{Sidecar, process::Process, scratch};

const WEATHER: &str = r#"
tools:
- name: get_weather
  parameters: {type: object, properties: {location: {type: string}}}
  command: [sed, 's/.*"location":"\([^"]*\)".*/It is sunny in \1./']
"#;

/// A file of tools, in a folder of its own.
fn tools(yaml: &str) -> PathBuf {
    let file = scratch("tools").join("tools.yaml");
    fs::write(&file, yaml).unwrap();
    file
}

/// `mynah converse --tools`, in the folder of the tools.
fn with_tools(sidecar: &Sidecar, yaml: &str, args: &[&str]) -> Command {
    let mut command = converse(sidecar, args);
    let file = tools(yaml);
    command.current_dir(file.parent().unwrap()).arg("--tools").arg(file);
    command
}

fn weather(args: &[&str]) -> String {
    said(&mut with_tools(&Sidecar::start(), WEATHER, args))
}

fn chain(steps: &str) -> String {
    format!("<|instruction_start|>{{\"instruction_chain\": [{steps}]}}<|instruction_end|>")
}

fn scripted() -> Sidecar {
    Sidecar::with_components(
        r#"{"apiVersion": "dapr.io/v1alpha1", "kind": "Component", "metadata": {"name": "scripted"},
            "spec": {"type": "conversation.scripted", "version": "v1", "metadata": [
                {"name": "allowUnoffered", "value": "true"},
                {"name": "onExhausted", "value": "repeat_last"}]}}"#,
    )
}

/// What is said of a chain of these steps.
fn played(steps: &str, args: &[&str]) -> String {
    let chain = chain(steps);
    said(&mut with_tools(&scripted(), WEATHER, &[&[chain.as_str()], args].concat()))
}

#[test]
fn an_answer_that_takes_a_tool() {
    assert_snapshot!(weather(&["What is the weather in Paris?"]), @r#"
    It is sunny in Paris.
    -- stderr
    calls: get_weather {"location":"Paris"}
    tool:  get_weather: It is sunny in Paris.
    -- exit 0
    "#);
    assert_snapshot!(weather(&["Hello!"]), @"
    Hello!
    -- exit 0
    ");
}

#[test]
fn text_between_calls_is_said_whole_or_as_it_comes() {
    let steps = r#"
        {"messages": [{"text": "Let me see."}, {"tool_call": [
            {"name": "get_weather", "args": {"location": "Rome"}}, {"name": "nope", "args": {}}]}]},
        {"messages": [{"text": "Sunny.\n"}]}"#;
    assert_snapshot!(played(steps, &[]), @r#"
    Let me see.
    Sunny.
    -- stderr
    calls: get_weather {"location":"Rome"}
    calls: nope {}
    tool:  Tool 'nope' not found
    tool:  get_weather: It is sunny in Rome.
    -- exit 0
    "#);
    assert_eq!(played(steps, &["--stream"]), played(steps, &[]));
}

/// The second call has its result first; each says which it is.
#[test]
fn calls_side_by_side_are_told_apart() {
    let steps = r#"
        {"messages": [{"tool_call": [
            {"name": "wait", "args": {"for": "it"}}, {"name": "wait", "args": {}}]}]},
        {"messages": [{"text": "Done."}]}"#;
    let yaml = r#"
tools:
- name: wait
  command: [sh, -c, 'if grep -q it; then until [ -e done ]; do sleep 0.01; done; exit 1; else touch done; fi']
"#;
    let sidecar = scripted();
    let ended = Process::start(&mut with_tools(&sidecar, yaml, &[&chain(steps)])).wait();
    let mut told: Vec<_> = ended.stderr.lines().collect();
    // Which result is first is up to the system.
    told[2..].sort_unstable();
    assert_eq!(
        told,
        [
            r#"calls: wait {"for":"it"}"#,
            "calls: wait {}",
            r#"tool:  wait {"for":"it"}: Error executing wait: exit status 1"#,
            "tool:  wait {}: ",
        ]
    );
}

#[test]
fn json() {
    assert_snapshot!(weather(&["What is the weather in Paris?", "--json"]), @r#"
    {"end":"answered","turns":2,"text":"It is sunny in Paris.","finish_reason":"stop","model":"echo","usage":{"completionTokens":"5","promptTokens":"12","totalTokens":"17"},"calls":[{"id":"call_echo_1715012863290788346","name":"get_weather","arguments":"{\"location\":\"Paris\"}","result":"It is sunny in Paris.","outcome":"succeeded"}],"messages":[{"ofUser":{"content":[{"text":"What is the weather in Paris?"}]}},{"ofAssistant":{"toolCalls":[{"function":{"arguments":"{\"location\":\"Paris\"}","name":"get_weather"},"id":"call_echo_1715012863290788346"}]}},{"ofTool":{"content":[{"text":"It is sunny in Paris."}],"name":"get_weather","toolId":"call_echo_1715012863290788346"}},{"ofAssistant":{"content":[{"text":"It is sunny in Paris."}]}}]}
    -- exit 0
    "#);
    assert_snapshot!(weather(&["What is the weather in Paris?", "--json", "--stream"]), @r#"
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

/// What was said is a history to go on with: the messages, and whatever has them.
#[test]
fn a_run_is_a_history() {
    let sidecar = Sidecar::start();
    let paris = ["What is the weather in Paris?", "--json"];
    let run = Process::start(&mut with_tools(&sidecar, WEATHER, &paris)).wait().stdout;
    let mut streamed = with_tools(&sidecar, WEATHER, &paris);
    let events = Process::start(streamed.arg("--stream")).wait().stdout;
    let messages = serde_json::from_str::<Value>(&run).unwrap()["messages"].to_string();
    for history in [&messages, &run, events.lines().last().unwrap()] {
        let args = ["And in Rome: get_weather", "--json", "--system=Be brief."];
        let mut second = with_tools(&sidecar, WEATHER, &args);
        let ended = Process::start(second.arg("--history").arg(file(history))).wait();
        let json: Value = serde_json::from_str(&ended.stdout).expect(&ended.stderr);
        let messages = json["messages"].as_array().unwrap();
        let kinds: Vec<_> =
            messages.iter().map(|said| said.as_object().unwrap().keys().next().unwrap()).collect();
        let run = ["ofUser", "ofAssistant", "ofTool", "ofAssistant"];
        assert_eq!(kinds, [&["ofSystem"][..], &run, &run].concat());
        assert_eq!(json["text"], "It is sunny in Rome.");
    }
}

#[test]
fn a_tool_choice_may_name_a_tool_of_the_file() {
    let history = file(r#"{"toolChoice": "get_weather", "tools": [{"function": {"name": "f"}}]}"#);
    let sidecar = Sidecar::start();
    let mut command = with_tools(&sidecar, WEATHER, &["Oslo or Rome?"]);
    assert_snapshot!(said(command.arg("--history").arg(history)), @r#"
    It is sunny in Rome.
    -- stderr
    calls: get_weather {"location":"Rome"}
    tool:  get_weather: It is sunny in Rome.
    -- exit 0
    "#);
}

#[test]
fn no_answer_within_the_turns() {
    assert_snapshot!(weather(&["What is the weather in Paris?", "--max-turns=1"]), @r#"
    -- stderr
    calls: get_weather {"location":"Paris"}
    tool:  get_weather: It is sunny in Paris.
    mynah: no answer within the turn limit of 1 (--max-turns)
    -- exit 1
    "#);
    let json = weather(&["The weather in Paris?", "--max-turns=1", "--json"]);
    assert!(json.starts_with(r#"{"end":"max_turns","turns":1,"#), "{json}");
    assert!(json.ends_with("-- exit 1"), "{json}");
}

#[test]
fn turns_without_tools() {
    assert_snapshot!(crate::cli::ran(&["converse", "Hello!", "--max-turns=3"]), @"
    -- stderr
    error: the following required arguments were not provided:
      --tools <FILE>

    Usage: mynah converse --tools <FILE> --max-turns <NUMBER> <PROMPT>

    For more information, try '--help'.
    -- exit 64
    ");
}

#[test]
fn a_model_that_stalls() {
    let steps =
        r#"{"messages": [{"tool_call": [{"name": "get_weather", "args": {"location": "Rome"}}]}]}"#;
    assert_snapshot!(played(steps, &[]), @r#"
    -- stderr
    calls: get_weather {"location":"Rome"}
    tool:  get_weather: It is sunny in Rome.
    calls: get_weather {"location":"Rome"}
    tool:  get_weather: You just called the Get Weather tool with the exact same parameters as your previous action. Please try a different approach or use different parameters instead.
    calls: get_weather {"location":"Rome"}
    tool:  Error executing get_weather: the tool loop ended before there was a result
    mynah: no answer: the model kept repeating the same calls
    -- exit 1
    "#);
}

#[test]
fn a_model_that_fails() {
    let steps = r#"{"messages": [{"text": "Let me see."}, {"tool_call": [{"name": "get_weather", "args": {}}]}]},
        {"error": {"code": "UNAVAILABLE", "message": "the model is busy"}}"#;
    assert_snapshot!(played(steps, &[]), @"
    Let me see.
    -- stderr
    calls: get_weather {}
    tool:  get_weather: {}
    mynah: the call to 127.0.0.1:[port] failed with Unavailable: failed conversing with component scripted: the model is busy
    -- exit 1
    ");
    let json = played(steps, &["--json"]);
    assert!(json.starts_with(r#"{"end":"model_error","error":"the call to 127.0.0.1:"#), "{json}");
}

#[test]
fn an_answer_that_is_empty_or_cut() {
    assert_snapshot!(played(r#"{"messages": [{"text": ""}], "finish_reason": "length"}"#, &[]), @"
    -- stderr
    mynah: the model stopped early: length
    mynah: the answer is empty
    -- exit 0
    ");
    let steps = r#"{"messages": [{"text": "Let"}], "finish_reason": "length"}"#;
    let json = played(steps, &["--json"]);
    assert!(json.contains(r#""text":"Let","finish_reason":"length","model":"#), "{json}");
}

/// There is nothing to say of an answer that never came.
#[test]
fn json_without_an_answer() {
    let json = played(r#"{"error": {"code": "UNAVAILABLE", "message": "busy"}}"#, &["--json"]);
    assert!(json.contains(r#""turns":0,"text":"","calls":[],"#), "{json}");
}

/// A file for an editor, whose schema it names.
#[test]
fn a_file_that_names_its_schema() {
    let yaml = format!("$schema: tools.schema.json{WEATHER}");
    let sidecar = Sidecar::start();
    let ended = Process::start(&mut with_tools(&sidecar, &yaml, &["get_weather in Paris"])).wait();
    assert_eq!(ended.stdout, "It is sunny in Paris.\n");
}

/// A terminal would obey them; a pipe gets the text as it is.
#[test]
fn control_characters_are_shown_where_people_look() {
    let yaml = r#"tools: [{name: get_weather, command: [printf, '\033[31mred\nfog']}]"#;
    let ended = Process::start(&mut with_tools(&Sidecar::start(), yaml, &["get_weather"])).wait();
    assert_eq!(ended.stdout, "\x1b[31mred\nfog\n");
    assert_eq!(ended.stderr, "calls: get_weather {}\ntool:  get_weather: ␛[31mred fog\n");
}

#[test]
fn an_answer_that_nobody_reads() {
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

/// A folder of components may hold files of tools; the sidecar passes over them, and says so.
#[test]
fn a_file_of_tools_is_no_component() {
    let folder = crate::cli::folder(&[("a.yaml", crate::cli::GOOD), ("tools.yaml", WEATHER)]);
    let said = crate::cli::ran(&["check", folder.to_str().unwrap()]);
    assert_snapshot!(crate::cli::without_folder(&said, &folder), @"
    [folder]/tools.yaml:2:1: skipped: not a Component: apiVersion or kind is missing
    1 component, 0 errors, 0 warnings
    -- exit 0
    ");
}
