//! Histories that share numbers with the names of tools, but mention no tool.

use serde_json::{Value, json};

use super::{Call, LONG};

/// The names of five tools, each with a number instead of `#`.
const NAMES: [&str; 4] = ["tool_#", "agent#_run", "stage_#_v2", "fn#"];
/// The text of each message, with its number instead of `#`.
const TEXTS: [&str; 5] = [
    "Message #: the quick brown fox jumps over the lazy dog. ",
    "Chapter #, line 3: pack my box with five dozen liquor jugs; repeat 2 times. ",
    "# of 20 done: sphinx of black quartz, judge my vow! ",
    "Log 2024-01-#: how vexingly quick daft zebras jump (4 of them). ",
    "Room #: the five boxing wizards jump quickly, 1 by 1. ",
];

/// Returns a call for each set of names and each text.
pub(super) fn calls() -> anyhow::Result<Vec<Call>> {
    let mut calls = Vec::new();
    for name in NAMES {
        let tools: Vec<_> = (0..5).map(|number| tool(&numbered(name, number))).collect();
        for text in TEXTS {
            let text = |at: usize| {
                let text: Vec<_> = numbered(text, at).chars().collect();
                text.into_iter().cycle()
            };
            calls.push(Call::new(&LONG.of(text, ""), &tools)?);
        }
    }
    Ok(calls)
}

fn numbered(text: &str, number: usize) -> String {
    text.replace('#', &number.to_string())
}

fn tool(name: &str) -> Value {
    let parameters = json!({
        "type": "object",
        "required": ["input"],
        "properties": {
            "input": { "type": "string", "description": "What to work on" },
            "mode": { "type": "string", "enum": ["fast", "exact"] },
        },
    });
    let description = "Performs one of several steps";
    json!({ "function": { "name": name, "description": description, "parameters": parameters } })
}
