//! Questions that mention a tool, alone or after ordinary prose.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Call, Case, Expected, LONG, MEDIUM, user};

/// Paragraphs on different subjects.
const PROSE: &str = include_str!("prose.txt");
/// Sets of tools, with questions that mention them.
const TOOLS: &str = include_str!("tools.json");
/// The length of the prose on each side of a question.
const SIDE: usize = 6_500;
/// What applications do with their records.
const VERBS: [&str; 7] = ["create", "update", "archive", "list", "export", "import", "approve"];

#[derive(Deserialize)]
struct ToolSet {
    tools: Vec<Value>,
    questions: Vec<Question>,
    /// The records that the additional tools of a large set process.
    records: Vec<String>,
}

#[derive(Deserialize)]
struct Question {
    text: String,
    /// The name of the mentioned tool.
    tool: String,
}

/// Returns a call for each set of tools and each text.
pub(super) fn calls(case: Case) -> anyhow::Result<Vec<Call>> {
    let sets: Vec<ToolSet> = serde_json::from_str(TOOLS)?;
    let mut calls = Vec::new();
    for set in &sets {
        let tools = set.tools(case);
        for (question, prose) in set.questions.iter().cycle().zip(PROSE.split("\n\n")) {
            let text = |at: usize| prose.chars().cycle().skip(at * 17);
            let messages = match case {
                Case::History => LONG.of(text, ""),
                Case::Mention => LONG.of(text, &format!(". {}", question.text)),
                Case::FortyTools => MEDIUM.of(text, &format!(". {}", question.text)),
                Case::Prose => vec![user(&amid_prose(&question.text, prose))],
                _ => vec![user(&question.text)],
            };
            let call = Call::new(&messages, &tools)?;
            calls.push(match case {
                Case::History => call,
                _ => Call { expected: Expected::Tool(question.tool.clone()), ..call },
            });
        }
    }
    Ok(calls)
}

/// Returns a question between two long texts, the first of which starts with `start`.
fn amid_prose(question: &str, start: &str) -> String {
    let text = |from: &str| -> String {
        let (before, after) = PROSE.split_at(PROSE.find(from).unwrap_or(0));
        after.chars().chain(before.chars()).cycle().take(SIDE).collect()
    };
    format!("{}. {question} {}", text(start), text(PROSE))
}

impl ToolSet {
    fn tools(&self, case: Case) -> Vec<Value> {
        let own = self.tools.iter().map(|function| json!({ "function": function }));
        let records = self.records.iter().flat_map(|record| VERBS.map(|verb| tool(verb, record)));
        match case {
            Case::FortyTools => own.chain(records).collect(),
            _ => own.collect(),
        }
    }
}

/// Returns a tool that processes a record.
fn tool(verb: &str, record: &str) -> Value {
    let id = format!("{record}_id");
    json!({ "function": {
        "name": format!("{verb}_{record}"),
        "description": format!("Lets an employee {verb} a {record} in the records of the company"),
        "parameters": {
            "type": "object",
            "required": [id],
            "properties": {
                id: { "type": "string", "description": format!("Id of the {record}") },
                "status": { "type": "string", "enum": ["draft", "active", "closed"] },
                "limit": { "type": "integer", "minimum": 1, "maximum": 100 },
                "fields": { "type": "array", "items": { "type": "string" } },
            },
        },
    } })
}
