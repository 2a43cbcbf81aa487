//! Writes rules as YAML.

use std::{convert::Infallible, fmt::Write};

use mynah_core::base::template::map_strings;
use serde_json::Value;

/// A rule. The values are JSON.
#[derive(Debug)]
pub(super) struct Rule {
    /// The file of the fixture, if rules of several files are written.
    pub(super) file: Option<String>,
    /// Number of the fixture.
    pub(super) number: usize,
    pub(super) conditions: String,
    pub(super) priority: Option<i64>,
    pub(super) answer: Answer,
}

/// The answer of a rule.
#[derive(Debug)]
pub(super) enum Answer {
    Respond(String),
    /// One answer for each use. Then the next rule answers.
    Sequence(Vec<String>),
}

/// Writes a rules file. JSON is also YAML, so that only the outline is in the block style.
pub(super) fn write<'r>(rules: impl IntoIterator<Item = &'r Rule>) -> String {
    let mut text = "rules:\n".to_owned();
    for rule in rules {
        // Writing to a string does not fail.
        let _ = write_rule(&mut text, rule);
    }
    text
}

fn write_rule(to: &mut String, rule: &Rule) -> std::fmt::Result {
    let name = format!("fixture {}", rule.number);
    match &rule.file {
        None => writeln!(to, "  - name: {name}"),
        Some(file) => {
            let name = Value::from(format!("{file}, {name}")).to_string();
            writeln!(to, "  - name: {}", printable(&name))
        }
    }?;
    writeln!(to, "    match: {}", printable(&rule.conditions))?;
    if let Some(priority) = rule.priority {
        writeln!(to, "    priority: {priority}")?;
    }
    let calls_tools = match &rule.answer {
        Answer::Respond(answer) => {
            writeln!(to, "    respond: {}", printable(answer))?;
            answer.contains("tool_call")
        }
        Answer::Sequence(answers) => {
            writeln!(to, "    sequence:")?;
            for answer in answers {
                // An entry is a step, or an object with the items.
                let key = if answer.starts_with('[') { "respond: " } else { "" };
                writeln!(to, "      - {key}{}", printable(answer))?;
            }
            writeln!(to, "    times: {}", answers.len())?;
            answers.iter().any(|answer| answer.contains("tool_call"))
        }
    };
    if calls_tools {
        // aimock does not compare calls with the offered tools.
        writeln!(to, "    allow_unoffered: true")?;
    }
    Ok(())
}

/// Writes a JSON text so that it is also YAML: without escaped surrogates, and with the characters
/// escaped that YAML does not allow.
fn printable(json: &str) -> String {
    let same = |text: &str, _| Ok::<_, Infallible>(Some(text.to_owned()));
    let json = if json.contains("\\u") {
        match map_strings(json, same) {
            Ok(json) => json.into_owned(),
        }
    } else {
        json.to_owned()
    };
    let is_special = |char| {
        matches!(
            char,
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
    };
    if !json.contains(is_special) {
        return json;
    }
    let mut printable = String::new();
    for char in json.chars() {
        if is_special(char) {
            let _ = write!(printable, "\\u{:04x}", u32::from(char));
        } else {
            printable.push(char);
        }
    }
    printable
}
