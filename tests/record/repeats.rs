//! The same exchange again and again.

use futures_util::future::join_all;
use serde_json::json;

use super::{component_of, model, recorded, recorder, replay, server::hello, stop};
use crate::support::{Sidecar, scratch};

const REPEATS: usize = 30;

/// The rules of a model that repeats an answer before it gives another.
fn rules() -> String {
    let answer = |number| if number == REPEATS { "other" } else { "same" };
    let steps: Vec<_> = (0..=REPEATS).map(|number| json!({ "respond": answer(number) })).collect();
    json!({ "rules": [{ "sequence": steps }] }).to_string()
}

/// Asks over gRPC.
async fn ask(sidecar: &Sidecar) -> String {
    sidecar.converse(hello()).await.unwrap().content
}

/// Asks the same through OpenAI's API.
async fn ask_over_http(sidecar: &Sidecar) -> String {
    let body = r#"{"model":"gpt","messages":[{"role":"user","content":"hello"}]}"#;
    let reply = sidecar.post("/v1/chat/completions", body).await;
    let text = reply.json()["choices"][0]["message"]["content"].clone();
    text.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn repeated_answers_are_counted() {
    for ways in 1..=2 {
        let (model, recordings) = (model(&rules()), scratch("recordings"));
        let components = component_of(&model);
        let sidecar = recorder(&components, &recordings);
        for number in 0..=REPEATS {
            let is_other_way = number % ways == 1;
            let answer =
                if is_other_way { ask_over_http(&sidecar).await } else { ask(&sidecar).await };
            assert_eq!(answer == "other", number == REPEATS, "{number}");
        }
        stop(sidecar).await;
        let sidecar = replay(&components, &recordings);
        for number in 0..=REPEATS {
            assert_eq!(ask(&sidecar).await == "other", number == REPEATS, "{number}");
        }
    }
}

#[tokio::test]
async fn many_equal_calls_are_one_exchange() {
    let (model, recordings) = (model("rules: [{respond: Hi.}]"), scratch("recordings"));
    let sidecar = recorder(&component_of(&model), &recordings);
    for _ in 0..8 {
        join_all((0..32).map(|_| ask(&sidecar))).await;
    }
    stop(sidecar).await;
    let text = recorded(&recordings);
    assert_eq!(text.matches("- name:").count(), 1, "{text}");
    assert!(!text.contains("sequence"), "{text}");
}
