//! Runs `sentences.yaml`, a table of user messages with the calls that they cause.

use std::{collections::BTreeMap, fs};

use mynah::internals::wire::proto::{
    ConversationMessage, ConversationRequestAlpha2, ConversationTools,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    interop::folder,
    support::{
        Sidecar,
        messages::{
            Answer, assistant, assistant_with_calls, request, tool, tool_call, tool_result, user,
        },
    },
};

/// The arguments of calls by the name of the tool: of one call, or a list of those of several calls.
pub(super) type Calls = BTreeMap<String, Value>;

/// The properties of the parameters of each tool.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct Toolbox(BTreeMap<String, Value>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tools: Toolbox,
    sentences: Vec<Sentence>,
}

/// A user message with the calls that it causes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sentence {
    /// The messages before the user message.
    #[serde(default)]
    history: Vec<Turn>,
    user: String,
    /// The offered tools. If absent, the called tools are offered.
    tools: Option<Vec<String>>,
    calls: Calls,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Turn {
    User(String),
    Assistant(String),
    /// A call of this tool and its result.
    Called(String),
}

/// Returns a request for each sentence.
pub fn requests() -> Vec<ConversationRequestAlpha2> {
    let file = File::read();
    file.sentences.iter().map(|sentence| sentence.request(&file.tools)).collect()
}

/// Returns the properties of all tools. If several tools have a property, one of its schemas.
pub fn all_properties() -> Map<String, Value> {
    let tools = File::read().tools.0.into_values();
    tools.flat_map(|properties| properties.as_object().expect("properties").clone()).collect()
}

impl File {
    fn read() -> Self {
        let text = fs::read_to_string(folder("tests/echo/sentences.yaml")).expect("a file");
        serde_saphyr::from_str(&text).expect("sentences")
    }
}

impl Toolbox {
    /// Returns the tool with this name.
    pub fn tool(&self, name: &str) -> ConversationTools {
        let properties = self.0.get(name).unwrap_or_else(|| panic!("unknown tool {name}"));
        tool(name, json!({"type": "object", "properties": properties}))
    }

    /// Returns all tools, sorted by name.
    pub fn tools(&self) -> Vec<ConversationTools> {
        self.0.keys().map(|name| self.tool(name)).collect()
    }
}

impl Sentence {
    fn offered(&self) -> Vec<&str> {
        let names = self.tools.as_ref();
        names.map_or_else(
            || self.calls.keys().map(String::as_str).collect(),
            |names| names.iter().map(String::as_str).collect(),
        )
    }

    fn request(&self, tools: &Toolbox) -> ConversationRequestAlpha2 {
        let tools = self.offered().into_iter().map(|name| tools.tool(name)).collect();
        ConversationRequestAlpha2 { tools, ..request(self.messages()) }
    }

    fn messages(&self) -> Vec<ConversationMessage> {
        let history = self.history.iter().flat_map(|turn| match turn {
            Turn::User(text) => vec![user(text)],
            Turn::Assistant(text) => vec![assistant(text)],
            Turn::Called(name) => vec![
                assistant_with_calls("", [tool_call("1", name, "{}")]),
                tool_result("1", name, "done"),
            ],
        });
        history.chain([user(&self.user)]).collect()
    }
}

/// Returns a description of the difference if an answer does not have exactly these calls.
pub(super) fn difference(answer: &Answer, expected: &Calls) -> Option<String> {
    let mut calls: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for call in &answer.calls {
        calls.entry(&call.name).or_default().push(call.arguments.clone());
    }
    let called: Calls = calls
        .into_iter()
        .map(|(name, mut calls)| {
            let arguments = if calls.len() == 1 { calls.remove(0) } else { Value::Array(calls) };
            (name.to_owned(), arguments)
        })
        .collect();
    let differs = called != *expected;
    differs.then(|| format!("  expected {}\n  called   {}", json!(expected), json!(called)))
}

#[tokio::test]
async fn sentences_cause_the_expected_calls() {
    let file = File::read();
    let sidecar = Sidecar::start();
    let mut failures = Vec::new();
    for sentence in &file.sentences {
        let answer = sidecar.converse(sentence.request(&file.tools)).await.expect("an answer");
        if let Some(difference) = difference(&answer, &sentence.calls) {
            failures.push(format!("{}\n{difference}\n", sentence.user));
        }
    }
    let count = file.sentences.len();
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_file_has_no_repeated_sentences_and_no_unused_tools() {
    let file = File::read();
    let mut requests: Vec<_> = file
        .sentences
        .iter()
        .map(|it| (format!("{:?}", it.history), &it.user, it.offered()))
        .collect();
    let count = requests.len();
    requests.sort();
    requests.dedup();
    assert_eq!(requests.len(), count);
    let is_used =
        |name: &&String| file.sentences.iter().any(|it| it.offered().contains(&name.as_str()));
    let unused: Vec<_> = file.tools.0.keys().filter(|name| !is_used(name)).collect();
    assert!(unused.is_empty(), "{unused:?}");
}
