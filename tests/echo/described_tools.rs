//! Runs tables of user messages with the calls that they cause, for tools with descriptions and required properties.

use std::{collections::BTreeMap, fs};

use mynah::internals::wire::proto::ConversationRequestAlpha2;
use serde::Deserialize;
use serde_json::Value;

use super::sentences::{Calls, difference};
use crate::{
    interop::folder,
    support::{
        Sidecar,
        messages::{described_tool, request, user},
    },
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tools: BTreeMap<String, Tool>,
    sentences: Vec<Sentence>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    description: String,
    parameters: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sentence {
    user: String,
    calls: Calls,
}

#[tokio::test]
async fn sentences_cause_the_expected_calls() {
    check("tests/echo/described_tools.yaml").await;
}

#[tokio::test]
async fn plain_words_cause_the_expected_calls() {
    check("tests/echo/plain_words.yaml").await;
}

/// Checks the calls of each sentence in a table.
async fn check(table: &str) {
    let text = fs::read_to_string(folder(table)).expect("a file");
    let file: File = serde_saphyr::from_str(&text).expect("sentences");
    let tools = file.tools.iter();
    let tools = tools
        .map(|(name, tool)| described_tool(name, Some(&tool.description), tool.parameters.clone()));
    let tools: Vec<_> = tools.collect();
    let sidecar = Sidecar::start();
    let mut failures = Vec::new();
    for sentence in &file.sentences {
        let messages = request(vec![user(&sentence.user)]);
        let request = ConversationRequestAlpha2 { tools: tools.clone(), ..messages };
        let answer = sidecar.converse(request).await.expect("an answer");
        if let Some(difference) = difference(&answer, &sentence.calls) {
            failures.push(format!("{}\n{difference}\n", sentence.user));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
