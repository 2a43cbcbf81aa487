//! Tests of participants that are programs.

use std::fs;

use insta::assert_snapshot;

use super::{
    files::folder_with,
    play::{lines, play, play_agent, play_in, results, with_agent},
};

/// Plays a conversation with a shell script as the agent.
fn play_shell(script: &str) -> String {
    play_agent("command: [sh, agent.sh]", "", &[("agent.sh", script)])
}

#[test]
fn each_turn_is_a_line() {
    let script = r#"
n=0
while read -r line; do
  n=$((n + 1))
  case $n in
    1) echo '"first"';;
    2) echo 'null';;
    3) echo '["third", {"content": "fourth", "tool_calls": [{"name": "f", "arguments": {"a": 1}, "result": "b"}]}]';;
    *) echo '""';;
  esac
done
"#;
    assert_snapshot!(play_shell(script), @r#"
    customer: one
    agent: first
    customer: two
    customer: three
    agent: third
    agent: fourth {"arguments":"{\"a\":1}","name":"f","result":"b"}
    -- both_passed
    "#);
}

#[test]
fn a_line_has_the_conversation() {
    let script = "read -r line; echo \"$line\" > seen.json; echo null";
    let simulation = with_agent("command: [sh, agent.sh]", "clock: virtual").replace(
        "initial_message",
        "intents: [{role: agent, description: Sell}, {role: customer, description: Buy}], initial_message",
    );
    let folder = folder_with(&[("simulate.yaml", &simulation), ("agent.sh", script)]);
    assert_eq!(play_in(&folder, &[]).code, Some(0));
    assert_snapshot!(fs::read_to_string(folder.join("seen.json")).unwrap(), @r#"{"conversation":{"id":"s-0","messages":[{"content":"one","sender":"customer","timestamp":"2000-01-01T00:00:00Z"}]},"intents":["Sell"],"last":{"content":"one","sender":"customer","timestamp":"2000-01-01T00:00:00Z"},"now":"2000-01-01T00:00:00Z","role":"agent","turn":0,"unread":[{"content":"one","sender":"customer","timestamp":"2000-01-01T00:00:00Z"}]}"#);
}

#[test]
fn the_exit_code_tells_of_failures_if_wanted() {
    let simulation = with_agent("command: [sh, agent.sh]", "clock: virtual");
    for (script, flags, code, stderr) in [
        ("exit 3", [].as_slice(), 0, ""),
        ("exit 3", &["--exit-code"], 1, "mynah: 1 of 1 conversation failed\n"),
        ("exit 3", &["--exit-code", "--shard=0/1"], 1, "mynah: 1 of 1 conversation failed\n"),
        ("while read -r line; do echo null; done", &["--exit-code"], 0, ""),
    ] {
        let folder = folder_with(&[("simulate.yaml", &simulation), ("agent.sh", script)]);
        let output = play_in(&folder, flags);
        let ending = output.stderr.split_inclusive('\n').rfind(|line| line.starts_with("mynah"));
        assert_eq!((output.code, ending.unwrap_or_default()), (Some(code), stderr), "{script}");
        assert!(output.stdout.contains("1 conversation, "), "{}", output.stdout);
    }
}

#[test]
fn failures_end_the_conversation() {
    let cases = [
        "exit 3",
        "echo oops >&2; exit 1",
        "kill -9 $$",
        "read -r line; echo 'not JSON'; sleep 60",
        "read -r line; printf '\"no line break\"'",
        "read -r line; echo '{\"text\": \"a\"}'",
        "read -r line; echo 7",
        "read -r line; echo '[[\"a\"]]'",
        "read -r line; echo '[\"a\", null]'",
        "read -r line; echo '{\"content\": \"a\", \"tool_calls\": [{}]}'",
        "read -r line; head -c 1100000 /dev/zero | tr '\\0' a; sleep 60",
        "read -r line; echo '\"a\"'",
    ];
    let endings = cases.map(|script| play_shell(script).lines().last().unwrap().to_owned());
    assert_snapshot!(endings.join("\n"), @r#"
    -- participant_error: agent: sh: no reply: it ended with exit status 3
    -- participant_error: agent: sh: no reply: it ended with exit status 1: oops
    -- participant_error: agent: sh: no reply: it was terminated by signal 9 (SIGKILL)
    -- participant_error: agent: sh: the reply is not a line of JSON: expected ident at line 1 column 2: "not JSON"
    -- participant_error: agent: sh: no reply: it ended with exit status 0
    -- participant_error: agent: the reply is an object without a text in `content`
    -- participant_error: agent: the reply is a number; expected a text, a list of texts, an object with `content`, or null
    -- participant_error: agent: the reply has a list in a list; expected a text or an object with `content`
    -- participant_error: agent: the reply has null in a list; expected a text or an object with `content`
    -- participant_error: agent: a tool call of the reply has no `name`
    -- participant_error: agent: sh: the reply is longer than 1 MiB
    -- participant_error: agent: sh: no reply: it ended with exit status 0
    "#);
    assert_snapshot!(play_agent("command: [./missing]", "", &[]), @"
    customer: one
    -- participant_error: agent: ./missing: cannot run: No such file or directory (os error 2)
    ");
}

/// A second line would be the reply to a later turn.
#[test]
fn a_program_must_not_write_more_than_one_line_in_a_turn() {
    let script = r#"while read -r line; do printf '"first"\n"second"\n'; done"#;
    assert_snapshot!(play_shell(script), @"
    customer: one
    agent: first
    customer: two
    -- participant_error: agent: sh: the program wrote more than one line in a turn
    ");
}

/// A pipe holds less than the input.
#[test]
fn a_program_may_reply_before_it_has_read_its_input() {
    let script = r#"
echo '"first"'
while [ ! -e first ]; do :; done
read -r line
read -r line
case $line in
  *second-input*) echo '"second"';;
  *) echo '"lost"';;
esac
"#;
    let simulation = format!(
        "name: a\nmax_messages: 4\nscenarios: [{{id: s, initial_message: {{sender: customer, content: {}}}, \
         customer: {{command: [sh, -c, {}]}}, agent: {{command: [sh, agent.sh]}}}}]\n",
        "x".repeat(200_000),
        r#"'touch first; read -r line; echo "\"second-input\""; sleep 60'"#,
    );
    let results = play(&simulation, &[("agent.sh", script)]);
    let messages = results[0]["conversation"]["messages"].as_array().unwrap();
    let texts: Vec<_> =
        messages[1..].iter().map(|message| message["content"].as_str().unwrap()).collect();
    assert_eq!(texts, ["first", "second-input", "second"]);
}

#[test]
fn a_program_that_does_not_answer_times_out() {
    let text = play_agent("command: [sh, -c, 'sleep 600']", "message_timeout: 100ms", &[]);
    assert!(text.starts_with("customer: one\n-- participant_error: "), "{text}");
    assert!(text.contains("100ms"), "{text}");
}

/// Silence ends the conversation and is not a failure. The results say that their times are real.
#[test]
fn silence_of_a_program_ends_the_conversation() {
    let script = r#"read -r line; echo '"first"'; sleep 600"#;
    let agent = format!("command: [sh, -c, {script:?}]");
    let simulation = with_agent(&agent, "end_on: {timeout: 10s}");
    let folder = folder_with(&[("simulate.yaml", &simulation)]);
    assert_eq!(play_in(&folder, &[]).code, Some(0));
    let text = fs::read_to_string(folder.join("out/results.jsonl")).unwrap();
    assert!(text.lines().next().unwrap().contains(r#""clock":"real""#), "{text}");
    let result = &results(&folder)[0];
    assert_eq!(result["clock"], "real");
    assert_snapshot!(lines(result), @"
    customer: one
    agent: first
    customer: two
    -- timeout
    ");
    let first = &result["conversation"]["messages"][0]["timestamp"];
    assert!(first.as_str().unwrap() > "2026", "{first}");
    let simulation = with_agent("command: [sh, -c, 'sleep 0.3; echo null']", "clock: virtual");
    let result = &play(&simulation, &[])[0];
    assert_eq!(result["conversation"]["messages"][0]["timestamp"], "2000-01-01T00:00:00Z");
    assert_eq!(result.get("clock"), None);
}

/// Each conversation has its own process, which ends with the conversation.
#[test]
fn conversations_do_not_share_processes() {
    let script = r#"
echo $$ >> pids
n=0
while read -r line; do n=$((n + 1)); echo "\"answer $n\""; done
sleep 600
"#;
    let simulation = with_agent("command: [sh, agent.sh]", "in_flight: 2")
        .replace("initial_message", "repeat: 5, initial_message");
    let folder = folder_with(&[("simulate.yaml", &simulation), ("agent.sh", script)]);
    assert_eq!(play_in(&folder, &[]).code, Some(0));
    let results = results(&folder);
    assert_eq!(results.len(), 5);
    for result in results {
        assert_eq!(result["conversation"]["messages"][1]["content"], "answer 1");
    }
    let pids = fs::read_to_string(folder.join("pids")).unwrap();
    assert_eq!(pids.lines().count(), 5);
    for pid in pids.lines() {
        let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
        let is_gone = || rustix::process::test_kill_process(pid).is_err();
        assert!(is_gone(), "process {pid:?} is running");
    }
}
