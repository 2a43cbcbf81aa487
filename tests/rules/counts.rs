//! What shares the counts of rules, and what does not.

use std::{collections::BTreeSet, fs};

use futures_util::future::join_all;
use mynah::internals::wire::proto::ConversationRequestAlpha2;
use serde_json::{Value, json};

use super::{ask, component, with_rules, write_rules};
use crate::support::{
    Sidecar,
    messages::{request, user},
    process::wait_until,
    scratch,
};

async fn ask_component(sidecar: &Sidecar, name: &str) -> String {
    let asked = ConversationRequestAlpha2 { name: name.to_owned(), ..request([user("Hi")]) };
    sidecar.converse(asked).await.unwrap().content
}

/// Starts components with rules in their metadata. `c` falls back to `a`.
fn inline() -> Sidecar {
    let rules = |answer: &str| {
        format!(r#"{{name: rules, value: "rules:\n- {{times: 1, respond: {answer}}}\n"}}"#)
    };
    let components = [
        component("a", &rules("from a")),
        component("b", &rules("from b")),
        component("c", "{name: fallback, value: a}"),
    ];
    let folder = scratch("components");
    fs::write(folder.join("all.yaml"), components.join("---\n")).unwrap();
    Sidecar::start_with(&["--resources-path", folder.to_str().unwrap()])
}

#[tokio::test]
async fn components_with_rules_of_their_own_count_separately() {
    let sidecar = inline();
    assert_eq!(ask_component(&sidecar, "a").await, "from a");
    assert_eq!(ask_component(&sidecar, "b").await, "from b");
    assert_eq!(ask_component(&sidecar, "a").await, "Hi");
}

#[tokio::test]
async fn unused_rules_are_those_of_the_component_that_has_them() {
    let sidecar = inline();
    let unused = async || {
        let reply = sidecar.post("/mynah/v1/verify", json!({"unused": true}).to_string()).await;
        let unused = reply.json()["unused"].as_array().unwrap().clone();
        let file = |it: &Value| it["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        unused.iter().map(file).collect::<Vec<_>>()
    };
    assert_eq!(unused().await, ["all.yaml, component a", "all.yaml, component b"]);
    assert_eq!(ask_component(&sidecar, "c").await, "from a");
    assert_eq!(unused().await, ["all.yaml, component b"]);
}

#[tokio::test]
async fn a_number_as_a_name_is_another_rule() {
    let sidecar = with_rules(
        "rules:
- {name: '2', match: {user: a}, times: 1, respond: named}
- {match: {user: a}, times: 1, respond: numbered}
",
    );
    assert_eq!(ask(&sidecar, "a").await, "named");
    assert_eq!(ask(&sidecar, "a").await, "numbered");
    assert_eq!(ask(&sidecar, "a").await, "a");
}

#[tokio::test]
async fn each_use_counts_once_whatever_runs_at_the_same_time() {
    let entries: Vec<_> = (0..50).map(|number| format!("entry {number}")).collect();
    let sidecar = with_rules(&format!(
        "rules:\n- {{match: {{user: few}}, times: 5, respond: counted}}\n\
         - {{match: {{user: each}}, sequence: {entries:?}, on_exhausted: error}}\n"
    ));
    let asked = async |prompt: &str| join_all((0..50).map(|_| ask(&sidecar, prompt))).await;
    let answers = asked("few").await;
    assert_eq!(answers.iter().filter(|answer| *answer == "counted").count(), 5);
    let answers: BTreeSet<_> = asked("each").await.into_iter().collect();
    assert_eq!(answers, entries.into_iter().collect());
}

#[tokio::test]
async fn rules_that_cannot_answer_count_no_uses() {
    let sidecar = with_rules(
        "rules:
- {match: {user: once}, times: 1, respond: once}
- {match: {user: end}, sequence: [one], on_exhausted: fallback}
- {match: {user: end}, respond: never}
- {match: {user: turns}, chain: [one], on_exhausted: fallback}
",
    );
    for prompt in ["once", "end"] {
        for _ in 0..4 {
            ask(&sidecar, prompt).await;
        }
    }
    let explain = async |prompt: &str, history: Value| {
        let mut messages = vec![json!({"ofUser": {"content": [{"text": prompt}]}})];
        messages.extend(history.as_array().unwrap().clone());
        let request = json!({"name": "echo", "inputs": [{"messages": messages}]});
        let body = json!({"request": request}).to_string();
        let explained = sidecar.post("/mynah/v1/explain", body).await.json();
        let rules = explained["rules"].as_array().unwrap().clone();
        let uses: Vec<_> = rules.iter().map(|rule| rule["uses"].as_u64().unwrap()).collect();
        (explained["answered_by"].clone(), uses)
    };
    assert_eq!(explain("once", json!([])).await, (Value::Null, vec![1, 1, 0, 0]));
    assert_eq!(explain("end", json!([])).await, (Value::Null, vec![1, 1, 0, 0]));
    assert_eq!(ask(&sidecar, "end").await, "end", "the fallback follows the last entry");
    assert_eq!(explain("turns", json!([])).await.0, "4");
    let after = json!([{"ofAssistant": {"content": [{"text": "one"}]}}]);
    assert_eq!(explain("turns", after).await.0, Value::Null);
}

#[tokio::test]
async fn counts_survive_a_reload() {
    let rules = write_rules("rules:\n- {name: jokes, sequence: [one, two, three]}\n");
    let sidecar = Sidecar::start_with(&["--rules", rules.to_str().unwrap()]);
    assert_eq!(ask(&sidecar, "Hi").await, "one");
    let changed = "rules:\n- {match: {user: new}, respond: reloaded}\n\
                   - {name: jokes, sequence: [uno, due, tre]}\n";
    let temporary = rules.with_extension("temporary");
    fs::write(&temporary, changed).unwrap();
    fs::rename(temporary, &rules).unwrap();
    let logged = async || sidecar.log().contains("components reloaded").then_some(());
    wait_until(logged, "the rules are not reloaded").await;
    assert_eq!(ask(&sidecar, "new").await, "reloaded");
    assert_eq!(ask(&sidecar, "Hi").await, "due");
}
