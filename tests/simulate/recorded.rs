//! Tests of recorded conversations.

use insta::assert_snapshot;

use super::{
    files::{check_in, folder_with},
    play::{lines, play_in, results},
};

/// Checks a simulation of recorded conversations in this file.
fn check_recorded(name: &str, text: &str) -> String {
    let simulation = format!(
        "name: a\nscenarios: [{{id: s, customer: {{replay: true}}, agent: {{echo: true}}, from: {{file: {name}}}}}]\n"
    );
    check_in(&folder_with(&[("simulate.yaml", &simulation), (name, text)]))
}

const VALID: &str = "0 components, 1 simulation, 0 errors, 0 warnings";
const HEADER: &str = "conversation_id,sender,content,timestamp";

fn message(content: &str) -> String {
    format!(r#"{{"content": "{content}", "timestamp": "2025-04-27T22:22:05Z", "sender": "agent"}}"#)
}

#[test]
fn accepts_the_formats() {
    let json = format!(
        r#"{{"version": 1, "conversations": [{{"messages": [{}], "outcome": {{"name": "a", "description": ""}}, "x": 1}}]}}"#,
        message("Hi")
    );
    assert_eq!(check_recorded("a.json", &json), VALID);
    for timestamp in ["2025-04-27T22:22:05Z", "2025-04-27T22:22:05+02:00", "2025-04-27 22:22:05.5"]
    {
        assert_eq!(check_recorded("a.csv", &format!("{HEADER}\nc,bot,Hi,{timestamp}\n")), VALID);
    }
    let quoted = format!("\u{feff}{HEADER},more\r\nc,customer,\"a,\n\"\"b\"\"\",2025-04-27,1\r\n");
    assert_eq!(check_recorded("a.CSV", &quoted), VALID);
}

#[test]
fn reports_mistakes_in_json() {
    let file = |conversations: &str| format!("{{\"conversations\": [\n{conversations}]}}");
    let cases = [
        String::new(),
        "[]".to_owned(),
        file(""),
        file("{\"messages\": []}"),
        file(&format!("{{\"messages\": [{}, {{}}]}}", message("Hi"))),
        file(&format!("{{\"messages\": [\n {}]}}", message("Hi").replace("agent", "bot"))),
        file(&format!("{{\"messages\": [{}]}}", message("Hi").replace("2025", "in 2025"))),
        file("{\"messages\": [1,"),
        file(&format!(
            "{{\"id\": \"\u{e9}\u{e9}\", \"messages\": [{}, {{}}]}}",
            message("\u{e9}\u{e9}")
        )),
    ];
    let report = |text: &String| check_recorded("a.json", text).lines().next().unwrap().to_owned();
    assert_snapshot!(cases.each_ref().map(report).join("\n"), @r#"
    [folder]/a.json:1:1: EOF while parsing a value
    [folder]/a.json:1:2: must be an object with `conversations`, not a list
    [folder]/simulate.yaml:2:81: a.json has no conversations with messages
    [folder]/simulate.yaml:2:81: a.json has no conversations with messages
    [folder]/a.json:2:91: conversations[0].messages[1]: the key `content` is missing
    [folder]/a.json:3:71: conversations[0].messages[0].sender: unknown value `bot`; expected `customer` or `agent`
    [folder]/a.json:2:70: conversations[0].messages[0].timestamp: "in 2025-04-27T22:22:05Z" is not a timestamp; use ISO 8601, such as 2026-05-01T09:00:00Z
    [folder]/a.json:2:17: expected value
    [folder]/a.json:2:103: conversations[0].messages[1]: the key `content` is missing
    "#);
}

#[test]
fn reports_mistakes_in_csv() {
    let cases = [
        String::new(),
        "conversation_id,content\nc,Hi\n".to_owned(),
        format!("{HEADER}\n"),
        format!("{HEADER}\nc,customer,Hi,2025-04-27T22:22:05Z\nc,customer,Hi,soon\n"),
        format!("{HEADER}\nc,customer,Hi\n"),
    ];
    let report = |text: &String| check_recorded("a.csv", text).lines().next().unwrap().to_owned();
    assert_snapshot!(cases.each_ref().map(report).join("\n"), @r#"
    [folder]/a.csv:1:1: missing columns: conversation_id, sender, content, timestamp; expected conversation_id, sender, content, timestamp, and optionally outcome_name and outcome_description
    [folder]/a.csv:1:1: missing columns: sender, timestamp; expected conversation_id, sender, content, timestamp, and optionally outcome_name and outcome_description
    [folder]/simulate.yaml:2:81: a.csv has no conversations with messages
    [folder]/a.csv:3:1: timestamp: "soon" is not a timestamp; use ISO 8601, such as 2026-05-01T09:00:00Z
    [folder]/a.csv:2:1: the row has 3 fields; the first row has 4
    "#);
}

/// Plays a recording in which both sides say what they said.
fn replayed(name: &str, text: &str) -> (String, String) {
    let simulation = format!(
        "name: a\nscenarios: [{{id: s, customer: {{replay: true}}, agent: {{replay: true}}, from: {{file: {name}}}}}]\n"
    );
    let folder = folder_with(&[("simulate.yaml", &simulation), (name, text)]);
    let output = play_in(&folder, &[]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let played: Vec<_> = results(&folder).iter().map(lines).collect();
    (played.join("\n"), output.stderr)
}

#[test]
fn blank_messages_at_the_start_are_skipped() {
    let time = "2026-05-01T09:00:00Z";
    let csv = format!(
        "{HEADER}\na, customer,Hi,{time}\na,desk,Hello,2026-05-01T09:01:00Z\nb,customer,,{time}\n\
         b,agent,Welcome,2026-05-01T09:01:00Z\nc,customer, ,{time}\n"
    );
    let (played, log) = replayed("a.csv", &csv);
    assert_snapshot!(played, @"
    customer: Hi
    agent: Hello
    -- both_passed
    agent: Welcome
    -- both_passed
    ");
    assert!(log.contains("2 recorded conversations begin with messages without text"), "{log}");
    assert!(log.contains("these are taken as agents: \"desk\""), "{log}");
    let json =
        format!("{{\"conversations\": [{{\"messages\": [{}, {}]}}]}}", message(" "), message("Hi"));
    let (played, log) = replayed("a.json", &json);
    assert_snapshot!(played, @"
    agent: Hi
    -- both_passed
    ");
    assert!(log.contains("1 recorded conversations begin"), "{log}");
}

#[test]
fn the_case_of_senders_does_not_matter() {
    let time = "2026-05-01T09:00:00Z";
    let csv = format!("{HEADER}\na,Customer,Hi,{time}\na,AGENT,Hello,2026-05-01T09:01:00Z\n");
    let (played, log) = replayed("a.csv", &csv);
    assert_snapshot!(played, @"
    customer: Hi
    agent: Hello
    -- both_passed
    ");
    assert!(!log.contains("taken as agents"), "{log}");
}
