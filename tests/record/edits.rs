//! Recordings that are edited while mynah records.

use std::{fs, path::Path};

use super::{component_of, model, recorded, recorder, replay_with, server::named, stop};
use crate::support::{
    Sidecar,
    messages::{request, user},
    process::wait_until,
    scratch,
};

const RULES: &str = "rules: [{match: {user: one}, respond: First.}, {respond: \"{{ user }}!\"}]";
const RECORD_MISSING: [&str; 3] = ["--record-missing", "--upstream", "openai"];

async fn ask(sidecar: &Sidecar, text: &str) -> String {
    sidecar.converse(named(request([user(text)]))).await.unwrap().content
}

/// Waits until the recording has a text.
async fn wait_for(recordings: &Path, text: &str) {
    let has_text = async || {
        let recording = fs::read_to_string(recordings.join("gpt.yaml")).ok()?;
        recording.contains(text).then_some(())
    };
    wait_until(has_text, "the exchange was not recorded").await;
}

async fn wait_for_answer(sidecar: &Sidecar, text: &str, answer: &str) {
    let answers = async || (ask(sidecar, text).await == answer).then_some(());
    wait_until(answers, "the edit was not read").await;
}

#[tokio::test]
async fn an_edit_is_read_and_kept() {
    let (model, recordings) = (model(RULES), scratch("recordings"));
    let file = recordings.join("gpt.yaml");
    let sidecar = replay_with(&component_of(&model), &recordings, &RECORD_MISSING);
    assert_eq!(ask(&sidecar, "one").await, "First.");
    wait_for(&recordings, "First.").await;
    // Both texts have the same length.
    fs::write(&file, recorded(&recordings).replace("First.", "Other.")).unwrap();
    wait_for_answer(&sidecar, "one", "Other.").await;
    assert_eq!(ask(&sidecar, "two").await, "two!");
    wait_for(&recordings, "two!").await;
    // Some editors write another file, and rename it.
    let text = format!("# Edited.\n{}", recorded(&recordings).replace("Other.", "Third."));
    fs::write(recordings.join("edited"), text).unwrap();
    fs::rename(recordings.join("edited"), &file).unwrap();
    wait_for_answer(&sidecar, "one", "Third.").await;
    assert_eq!(ask(&sidecar, "three").await, "three!");
    stop(sidecar).await;
    let text = recorded(&recordings);
    for expected in ["# Edited.", "Third.", "two!", "three!"] {
        assert_eq!(text.matches(expected).count(), 1, "{expected}: {text}");
    }
    assert!(!text.contains("First.") && !text.contains("Other."), "{text}");
}

#[tokio::test]
async fn an_invalid_edit_is_not_replaced() {
    let (model, recordings) = (model(RULES), scratch("recordings"));
    let file = recordings.join("gpt.yaml");
    let sidecar = recorder(&component_of(&model), &recordings);
    ask(&sidecar, "one").await;
    wait_for(&recordings, "First.").await;
    let valid = recorded(&recordings);
    fs::write(&file, "rules: [{match").unwrap();
    assert_eq!(ask(&sidecar, "two").await, "two!");
    let logged = async || sidecar.log().contains("gpt.yaml: not recorded").then_some(());
    wait_until(logged, "the error was not logged").await;
    assert!(sidecar.log().contains("gpt.yaml:1:"), "{}", sidecar.log());
    assert_eq!(recorded(&recordings), "rules: [{match");
    fs::write(&file, valid.replace("First.", "Other.")).unwrap();
    assert_eq!(ask(&sidecar, "three").await, "three!");
    stop(sidecar).await;
    let text = recorded(&recordings);
    for expected in ["Other.", "two!", "three!"] {
        assert_eq!(text.matches(expected).count(), 1, "{expected}: {text}");
    }
}

/// What a session has had before counts after an edit.
#[tokio::test]
async fn a_sequence_goes_on_after_an_edit() {
    let rules = "rules: [{match: {user: next}, sequence: [{respond: a-1}, {respond: b-2}, {respond: c-3}]}]";
    let (model, recordings) = (model(rules), scratch("recordings"));
    let file = recordings.join("gpt.yaml");
    let sidecar = recorder(&component_of(&model), &recordings);
    for answer in ["a-1", "b-2"] {
        assert_eq!(ask(&sidecar, "next").await, answer);
        wait_for(&recordings, answer).await;
    }
    fs::write(&file, format!("normalize: []\n{}", recorded(&recordings).replace("a-1", "a-9")))
        .unwrap();
    assert_eq!(ask(&sidecar, "next").await, "c-3");
    stop(sidecar).await;
    let text = recorded(&recordings);
    let at = |answer: &str| text.find(answer).unwrap_or_else(|| panic!("{answer}: {text}"));
    assert!(text.starts_with("normalize: []") && at("a-9") < at("b-2") && at("b-2") < at("c-3"));
    assert_eq!(text.matches("- name:").count(), 1, "{text}");
}

#[tokio::test]
async fn an_exchange_that_is_removed_stays_away() {
    let (model, recordings) = (model(RULES), scratch("recordings"));
    let sidecar = recorder(&component_of(&model), &recordings);
    ask(&sidecar, "one").await;
    wait_for(&recordings, "First.").await;
    fs::remove_file(recordings.join("gpt.yaml")).unwrap();
    ask(&sidecar, "two").await;
    stop(sidecar).await;
    let text = recorded(&recordings);
    assert!(text.contains("two!") && !text.contains("First."), "{text}");
}
