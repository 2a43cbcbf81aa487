//! Long texts of requests, which are in files of their own.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use insta::assert_snapshot;
use mynah::internals::wire::proto::ConversationRequestAlpha2;
use rustix::process::Signal;

use super::{component_of, model, recorded, recorder, replay, stop};
use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{assistant_with_calls, request, system, tool_call, tool_result, user},
    mynah,
    process::{Process, wait_until},
    scratch,
};

const RULES: &str = "rules: [{match: {system: {contains: at the end}}, respond: \"{{ user }}!\"}]";

fn prompt(end: &str) -> String {
    format!("\nYou are a travel agent.\n{}{end}", "Be brief, kind and \"exact\".\n".repeat(99))
}

fn asks(question: &str, end: &str) -> ConversationRequestAlpha2 {
    let call = assistant_with_calls("", [tool_call("c1", "read", "{}")]);
    let result = tool_result("c1", "read", &"grün 🦜 ".repeat(300));
    let request = request([system(&prompt(end)), user("Read."), call, result, user(question)]);
    ConversationRequestAlpha2 { name: "gpt".to_owned(), ..request }
}

async fn ask(sidecar: &Sidecar, question: &str) -> String {
    match sidecar.converse(asks(question, "Monday, at the end")).await {
        Ok(answer) => answer.content,
        Err(status) => format!("{:?}: {}", status.code(), status.message()),
    }
}

/// Records some questions, and returns the folder of the components.
async fn record(recordings: &Path, questions: &[&str]) -> PathBuf {
    let model = model(RULES);
    let components = component_of(&model);
    let sidecar = recorder(&components, recordings);
    for question in questions {
        assert_eq!(ask(&sidecar, question).await, format!("{question}!"));
    }
    stop(sidecar).await;
    components
}

/// Returns the files of a folder and of `requests` with their contents, but for the lock.
fn contents(recordings: &Path) -> BTreeMap<String, String> {
    let folders = [recordings.to_owned(), recordings.join("requests")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let files = files.map(|file| file.unwrap().path());
    let name = |file: &Path| file.strip_prefix(recordings).unwrap().display().to_string();
    let files = files.filter(|file| {
        file.is_file() && file.extension().is_some_and(|it| it == "yaml" || it == "json")
    });
    files.map(|file| (name(&file), fs::read_to_string(file).unwrap())).collect()
}

/// Returns the files of the texts.
fn texts(recordings: &Path) -> Vec<PathBuf> {
    let files = contents(recordings).into_keys().filter(|name| name.starts_with("requests/"));
    files.map(|name| recordings.join(name)).collect()
}

fn check(recordings: &Path) -> String {
    let file = recordings.join("gpt.yaml");
    let output = Process::start(mynah().args(["check", file.to_str().unwrap()])).wait();
    output.stdout.replace(&format!("{}/", recordings.display()), "")
}

#[tokio::test]
async fn exchanges_share_texts_and_recording_again_changes_nothing() {
    let recordings = scratch("recordings");
    let components = record(&recordings, &["one", "two"]).await;
    let before = contents(&recordings);
    let written = recorded(&recordings);
    assert_eq!(texts(&recordings).len(), 2, "{before:?}");
    assert_snapshot!(written.lines().skip(3).take(21).collect::<Vec<_>>().join("\n"));
    assert_eq!(written.matches("begins: You are a travel agent.").count(), 2);
    record(&recordings, &["two", "one"]).await;
    assert_eq!(contents(&recordings), before);
    let sidecar = replay(&components, &recordings);
    for question in ["one", "two"] {
        assert_eq!(ask(&sidecar, question).await, format!("{question}!"));
    }
    assert_eq!(check(&recordings), "0 components, 1 rules file, 0 errors, 0 warnings\n");
}

#[tokio::test]
async fn diff_sends_the_texts() {
    let recordings = scratch("recordings");
    record(&recordings, &["one"]).await;
    let model = model(RULES);
    let mut command = mynah();
    command.args([
        "diff",
        recordings.to_str().unwrap(),
        "--upstream",
        "openai",
        "--resources-path",
    ]);
    let output = Process::start(command.arg(component_of(&model))).wait();
    assert!(output.stdout.contains(": 0 changed, 0 failed"), "{}{}", output.stdout, output.stderr);
}

#[tokio::test]
async fn a_miss_shows_the_changed_words_of_a_long_text() {
    let recordings = scratch("recordings");
    let components = record(&recordings, &["one"]).await;
    let sidecar = replay(&components, &recordings);
    let status = sidecar.converse(asks("one", "Tuesday, at the end")).await.unwrap_err();
    let expected = "messages.1.text: …\"exact\".\nBe brief, kind and \"exact\".\n[-Monday,-]{+Tuesday,+} at the end";
    assert!(status.message().ends_with(expected), "{}", status.message());
}

#[tokio::test]
async fn missing_and_changed_texts_are_errors_with_places() {
    let recordings = scratch("recordings");
    record(&recordings, &["one"]).await;
    let [one, other] = texts(&recordings).try_into().unwrap();
    let mut messages = Vec::new();
    for content in [None, Some("{\"text\": \"shorter\"}"), Some("{\"text\": "), Some("[]")] {
        let before = fs::read_to_string(&one).unwrap();
        fs::remove_file(&one).unwrap();
        content.into_iter().for_each(|content| fs::write(&one, content).unwrap());
        messages.push(check(&recordings));
        fs::write(&one, before).unwrap();
    }
    let yaml = recorded(&recordings);
    let name = format!("requests/{}", other.file_name().unwrap().to_str().unwrap());
    for file in ["/etc/passwd", "requests/../gpt.json", "other/0123456789abcdef.json"] {
        fs::write(recordings.join("gpt.yaml"), yaml.replace(&name, file)).unwrap();
        messages.push(check(&recordings));
    }
    fs::write(recordings.join("gpt.yaml"), yaml.replace("begins", "starts")).unwrap();
    messages.push(check(&recordings));
    assert_snapshot!(messages.concat());
}

#[tokio::test]
async fn rules_of_a_session_have_no_files() {
    let sidecar = Sidecar::start();
    let rules = "rules: [{match: {request: {component: a, messages: [{role: user, text: \
                 {file: requests/0123456789abcdef.json}}]}}, respond: x}]";
    let url = sidecar.url("/mynah/v1/rules?session=a");
    let reply = sidecar.send(direct_client().put(url).body(rules)).await;
    assert_eq!(reply.status, 400);
    let expected = "rule 1: only rules in a file can have texts in files; write the text";
    assert!(reply.body.contains(expected), "{}", reply.body);
}

#[tokio::test]
async fn texts_that_appear_later_are_read() {
    let (model, recordings, copy) = (model(RULES), scratch("recordings"), scratch("copy"));
    let components = component_of(&model);
    record(&recordings, &["one"]).await;
    let sidecar = replay(&components, &copy);
    fs::copy(recordings.join("gpt.yaml"), copy.join("gpt.yaml")).unwrap();
    let logged = async || sidecar.log().contains("cannot be read").then_some(());
    wait_until(logged, "the missing text was not logged").await;
    fs::create_dir(copy.join("requests")).unwrap();
    for text in texts(&recordings) {
        fs::copy(&text, copy.join("requests").join(text.file_name().unwrap())).unwrap();
    }
    let answered = async || (ask(&sidecar, "one").await == "one!").then_some(());
    wait_until(answered, "the texts were not read").await;
}

#[tokio::test]
async fn unused_texts_are_removed() {
    let recordings = scratch("recordings");
    record(&recordings, &["one"]).await;
    let before = contents(&recordings);
    let folder = recordings.join("requests");
    for name in ["0123456789abcdef.json", "notes.json", "fedcba9876543210.json"] {
        fs::write(folder.join(name), "{\"text\": \"\"}").unwrap();
    }
    fs::write(recordings.join("own.json"), r#"{"a": "requests\/fedcba9876543210.json"}"#).unwrap();
    record(&recordings, &["one"]).await;
    let after = contents(&recordings).into_keys().filter(|name| !before.contains_key(name));
    let kept = ["own.json", "requests/fedcba9876543210.json", "requests/notes.json"];
    assert_eq!(after.collect::<Vec<_>>(), kept);
}

#[tokio::test]
async fn texts_are_written_before_rules() {
    let (model, recordings) = (model(RULES), scratch("recordings"));
    let components = component_of(&model);
    // A file is where the folder should be.
    fs::write(recordings.join("requests"), "").unwrap();
    let sidecar = recorder(&components, &recordings);
    assert_eq!(ask(&sidecar, "one").await, "one!");
    let logged = async || sidecar.log().contains("not recorded: requests/").then_some(());
    wait_until(logged, "the error was not logged").await;
    assert!(!recordings.join("gpt.yaml").exists());
    fs::remove_file(recordings.join("requests")).unwrap();
    stop(sidecar).await;
    assert_eq!(check(&recordings), "0 components, 1 rules file, 0 errors, 0 warnings\n");
}

#[tokio::test]
async fn a_killed_recorder_leaves_no_rule_without_its_text() {
    let (model, recordings) = (model(RULES), scratch("recordings"));
    let components = component_of(&model);
    for round in 0..8 {
        let sidecar = recorder(&components, &recordings);
        for number in 0..20 * round {
            let end = format!("{round}/{number}, at the end");
            sidecar.converse(asks("one", &end)).await.unwrap();
        }
        sidecar.signal(Signal::KILL);
        drop(sidecar);
        if recordings.join("gpt.yaml").exists() {
            let checked = check(&recordings);
            assert!(checked.ends_with("0 errors, 0 warnings\n"), "{checked}");
        }
    }
}

#[tokio::test]
async fn secrets_are_in_no_file() {
    let (model, recordings) = (model(RULES), scratch("recordings"));
    let components = component_of(&model);
    let sidecar = recorder(&components, &recordings);
    let asked = asks("one", "The key is sk-planted-1234567890, at the end");
    sidecar.converse(asked.clone()).await.unwrap();
    stop(sidecar).await;
    for (file, content) in contents(&recordings) {
        assert!(!content.contains("planted"), "{file}");
    }
    assert_eq!(replay(&components, &recordings).converse(asked).await.unwrap().content, "one!");
}

#[tokio::test]
async fn long_texts_in_rules_stay() {
    let recordings = scratch("recordings");
    let components = record(&recordings, &["one"]).await;
    let mut yaml = recorded(&recordings);
    for file in texts(&recordings) {
        let stored: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        let start = yaml.find(&format!("file: requests/{name}")).unwrap();
        let start = yaml[..start].rfind('\n').unwrap();
        let end = yaml[start..].match_indices('\n').nth(2).unwrap().0 + start;
        yaml.replace_range(start..end, &format!(" {}", stored["text"]));
    }
    fs::write(recordings.join("gpt.yaml"), &yaml).unwrap();
    assert_eq!(ask(&replay(&components, &recordings), "one").await, "one!");
    record(&recordings, &["one"]).await;
    assert_eq!(recorded(&recordings), yaml);
    assert_eq!(texts(&recordings), Vec::<PathBuf>::new());
}
