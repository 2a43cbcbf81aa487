//! Requests that are not recorded.

use std::{fs, path::Path};

use insta::assert_snapshot;
use mynah::internals::wire::proto::ConversationRequestAlpha2;
use serde_json::json;

use super::{component, component_of, model, recorded, recorder, replay_with, stop};
use crate::support::{
    Sidecar,
    messages::{request, system, tool, user},
    mynah,
    process::{Output, Process},
    scratch,
};

const RULES: &str =
    "rules: [{match: {user: weather}, respond: Sunny.}, {match: {user: time}, respond: Late.}]";

fn asks(texts: [&str; 2]) -> ConversationRequestAlpha2 {
    let [prompt, question] = texts;
    let request = request([system(prompt), user(question)]);
    ConversationRequestAlpha2 { name: "gpt".to_owned(), ..request }
}

/// Records two exchanges. Returns the folders of the components and of the recordings.
async fn recordings() -> [std::path::PathBuf; 2] {
    let (model, recordings) = (model(RULES), scratch("recordings"));
    let components = component_of(&model);
    let sidecar = recorder(&components, &recordings);
    for question in ["weather in Paris?", "time?"] {
        sidecar.converse(asks(["Today is Monday. Be a brief helper.", question])).await.unwrap();
    }
    stop(sidecar).await;
    [components, recordings]
}

async fn message(sidecar: &Sidecar, texts: [&str; 2]) -> String {
    match sidecar.converse(asks(texts)).await {
        Ok(answer) => answer.content,
        Err(status) => format!("{:?}: {}", status.code(), status.message()),
    }
}

#[tokio::test]
async fn a_miss_shows_the_changed_words() {
    let [components, recordings] = recordings().await;
    let file = recordings.join("gpt.yaml");
    let sidecar = replay_with(&components, &recordings, &[]);
    let shown = |text: String| text.replace(file.to_str().unwrap(), "FILE");
    let calls = [
        ["Today is Monday. Be a brief helper.", "weather in Paris?"],
        ["Today is Tuesday. Be a brief helper.", "weather in Paris?"],
        ["Today is Monday. Be a brief helper.", "weather in Rome?"],
        ["Something else.", "What now?"],
    ];
    let mut messages = Vec::new();
    for call in calls {
        messages.push(shown(message(&sidecar, call).await));
    }
    assert_snapshot!(messages.join("\n"));
    // Each one is logged.
    let log = shown(stop(sidecar).await);
    let logged: Vec<_> = log.lines().filter(|line| line.contains("is not recorded")).collect();
    let expected = |message: &String| {
        let (_, missed) = message.split_once("component gpt: ").unwrap();
        format!(" WARN {missed} component=\"gpt\"")
    };
    assert_eq!(logged, messages[1..].iter().map(expected).collect::<Vec<_>>(), "{log}");
}

#[tokio::test]
async fn a_miss_names_the_tools_that_differ() {
    let (model, recordings) = (model("rules: [{respond: x}]"), scratch("recordings"));
    let components = component_of(&model);
    let offering = |tools: [(&str, &str); 2]| {
        let offered = tools.map(|(name, kind)| tool(name, json!({ "type": kind }))).to_vec();
        ConversationRequestAlpha2 { tools: offered, ..asks(["Be brief.", "hi"]) }
    };
    let sidecar = recorder(&components, &recordings);
    sidecar.converse(offering([("get_time", "object"), ("get_weather", "object")])).await.unwrap();
    stop(sidecar).await;
    let sidecar = replay_with(&components, &recordings, &[]);
    let differs = offering([("get_weather", "string"), ("send_mail", "object")]);
    let missed = sidecar.converse(differs).await.unwrap_err();
    let differences = missed.message().split_once(r#"rule "hi": "#).unwrap().1;
    assert_eq!(
        differences,
        "tools: [-get_time-]; tools.get_weather: [-the recorded-]{+another+} description or schema; \
         tools: {+send_mail+}"
    );
}

#[tokio::test]
async fn normalization_is_proposed() {
    let (model, recordings) = (model("rules: [{respond: x}]"), scratch("recordings"));
    let components = component_of(&model);
    let sidecar = recorder(&components, &recordings);
    sidecar.converse(asks(["Files are in /tmp/run-1.", "hi"])).await.unwrap();
    stop(sidecar).await;
    let sidecar = replay_with(&components, &recordings, &[]);
    let missed = message(&sidecar, ["Files are in /tmp/run-2.", "hi"]).await;
    let hint = "the requests would be equal with normalize: [uuid, datetime, tmp]";
    assert!(missed.ends_with(hint), "{missed}");
    drop(sidecar);
    let file = recordings.join("gpt.yaml");
    fs::write(&file, format!("normalize: [tmp]\n{}", recorded(&recordings))).unwrap();
    let sidecar = replay_with(&components, &recordings, &[]);
    assert_eq!(message(&sidecar, ["Files are in /tmp/run-2.", "hi"]).await, "x");
}

#[tokio::test]
async fn what_is_not_recorded_falls_back_if_asked() {
    let [components, recordings] = recordings().await;
    let sidecar = replay_with(&components, &recordings, &["--replay-miss", "fallback"]);
    assert_eq!(message(&sidecar, ["", "hello"]).await, "hello");
    assert_eq!(message(&sidecar, ["Today is Monday. Be a brief helper.", "time?"]).await, "Late.");
}

#[tokio::test]
async fn what_is_missing_is_recorded_if_asked() {
    let [_, recordings] = recordings().await;
    let model = model("rules: [{match: {user: weather}, respond: Rain.}, {respond: New.}]");
    let flags = ["--record-missing", "--upstream", "openai"];
    let sidecar = replay_with(&component_of(&model), &recordings, &flags);
    let prompt = "Today is Monday. Be a brief helper.";
    assert_eq!(message(&sidecar, [prompt, "weather in Paris?"]).await, "Sunny.");
    assert_eq!(message(&sidecar, [prompt, "more?"]).await, "New.");
    stop(sidecar).await;
    let text = recorded(&recordings);
    assert!(text.contains("Sunny.") && text.contains("New.") && !text.contains("Rain."), "{text}");
}

#[tokio::test]
async fn run_lists_what_was_not_as_recorded() {
    let [components, recordings] = recordings().await;
    let body = r#"{"model":"gpt","messages":[{"role":"user","content":"What?"}]}"#;
    let script = format!(
        "curl -s -o /dev/null -H 'content-type: application/json' -d '{body}' $DAPR_HTTP_ENDPOINT/v1/chat/completions"
    );
    let flags = ["--replay", recordings.to_str().unwrap()];
    let output = run(&components, &flags, &script);
    assert_eq!(output.code, Some(1));
    assert_snapshot!(output.stderr.replace(recordings.to_str().unwrap(), "FOLDER"));
}

/// An application that does not call mynah might call the model itself.
#[tokio::test]
async fn run_says_if_no_call_arrived() {
    let [components, recordings] = recordings().await;
    let output = run(&components, &["--replay", recordings.to_str().unwrap()], "true");
    assert_eq!(output.code, Some(0));
    assert!(output.stderr.contains("mynah: no call reached mynah\n"), "{}", output.stderr);
    let recordings = scratch("recordings");
    let flags = ["--upstream", "openai", "--record", recordings.to_str().unwrap()];
    let output = run(&components, &flags, "true");
    assert_eq!(output.code, Some(0));
    assert!(output.stderr.contains("nothing was recorded: no call"), "{}", output.stderr);
}

#[tokio::test]
async fn the_end_of_a_recording_says_what_was_recorded() {
    let failing = "{match: {user: fail}, respond: {error: {code: INTERNAL, message: no luck}}}";
    let model = model(&format!("rules: [{failing}, {{respond: Hi.}}]"));
    let (components, recordings) = (component_of(&model), scratch("recordings"));
    let sidecar = recorder(&components, &recordings);
    for question in ["one", "two", "one", "fail"] {
        let _ = sidecar.converse(asks(["Be brief.", question])).await;
    }
    let log = stop(sidecar).await.replace(recordings.to_str().unwrap(), "FOLDER");
    let summary = log.lines().find(|line| line.contains(" recorded "));
    let expected = " INFO recorded 2 exchanges in FOLDER/gpt.yaml; not recorded: 1 call failed, the last with: API \
                    returned unexpected status code: 500: no luck";
    assert_eq!(summary, Some(expected), "{log}");
    let body = r#"{"model":"gpt","messages":[{"role":"user","content":"three"}]}"#;
    let script = format!(
        "curl -s -o /dev/null -H 'content-type: application/json' -d '{body}' $DAPR_HTTP_ENDPOINT/v1/chat/completions"
    );
    let flags = ["--upstream", "openai", "--record", recordings.to_str().unwrap()];
    let output = run(&components, &flags, &script);
    assert_snapshot!(output.stderr.replace(recordings.to_str().unwrap(), "FOLDER"), @r"
    mynah: models: the real models, through OpenAI's API, recorded to FOLDER
     INFO recorded 1 exchange in FOLDER/gpt.yaml
    ");
}

fn run(components: &Path, flags: &[&str], script: &str) -> Output {
    let mut command = mynah();
    command.args(["run", "--resources-path", components.to_str().unwrap()]);
    command.args(flags).args(["--", "sh", "-c", script]);
    Process::start(&mut command).wait()
}

#[tokio::test]
async fn a_component_without_a_recording_misses_every_call() {
    let (components, recordings) = (component("http://127.0.0.1:9/v1"), scratch("recordings"));
    let sidecar = replay_with(&components, &recordings, &[]);
    let missed = message(&sidecar, ["", "hi"]).await;
    assert!(missed.contains("nothing is recorded in"), "{missed}");
    // A file that is added is read.
    let text = "rules: [{match: {user: hi}, respond: By hand.}]";
    fs::write(recordings.join("gpt.yaml"), text).unwrap();
    let answered = async || {
        Some(())
            .filter(|()| true)
            .and(Some(message(&sidecar, ["", "hi"]).await))
            .filter(|it| it == "By hand.")
    };
    crate::support::process::wait_until(answered, "the file was not read").await;
}
