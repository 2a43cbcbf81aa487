//! Tests of recorded conversations.

use insta::assert_snapshot;

use super::files::{check_in, folder_with};

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
    ];
    let report = |text: &String| check_recorded("a.json", text).lines().next().unwrap().to_owned();
    assert_snapshot!(cases.each_ref().map(report).join("\n"), @r#"
    [folder]/a.json:1:1: EOF while parsing a value
    [folder]/a.json:1:2: invalid length 0, expected an object with `conversations`
    [folder]/simulate.yaml:2:81: a.json has no conversations with messages
    [folder]/simulate.yaml:2:81: a.json has no conversations with messages
    [folder]/a.json:2:91: conversations[0].messages[1]: missing field `content`
    [folder]/a.json:3:71: conversations[0].messages[0].sender: unknown variant `bot`, expected `customer` or `agent`
    [folder]/a.json:2:70: conversations[0].messages[0].timestamp: "in 2025-04-27T22:22:05Z" is not a timestamp; use ISO 8601, such as 2026-05-01T09:00:00Z
    [folder]/a.json:2:17: expected value
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
