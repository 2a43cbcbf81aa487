//! Responses that continue others, and items that refer to them.

use serde_json::{Value, json};

use super::{
    chain,
    responses::{RESPONSES, request, respond, response, text, weather},
    scripted, with,
};
use crate::support::{Sidecar, http::direct_client};

/// Returns a user message with a chain that answers these texts, one after the other.
fn texts(texts: &[&str]) -> Value {
    let steps: Vec<_> = texts.iter().map(|text| json!({"messages": [{"text": text}]})).collect();
    chain(&json!(steps))["content"].clone()
}

#[tokio::test]
async fn a_response_continues_another_with_its_whole_history() {
    let sidecar = scripted(&["chains"]);
    let mut id = Value::Null;
    for (input, expected) in [
        (texts(&["first", "second", "third"]), "first"),
        (json!("go on"), "second"),
        (json!("go on"), "third"),
    ] {
        let body = with(request(&input), "previous_response_id", id);
        let answer = response(&sidecar, &body).await;
        assert_eq!(text(&answer), expected);
        id = answer["id"].clone();
    }
    // Streamed responses are also kept, and can be continued several times.
    let body = with(request(&texts(&["first", "second"])), "stream", json!(true));
    let reply = respond(&sidecar, &body).await;
    let id = reply.events()[0].1["response"]["id"].clone();
    for input in ["go on", "please go on"] {
        let body = with(request(&json!(input)), "previous_response_id", id.clone());
        assert_eq!(text(&response(&sidecar, &body).await), "second");
    }
}

#[tokio::test]
async fn instructions_are_not_continued() {
    let sidecar = Sidecar::start();
    let first =
        response(&sidecar, &with(request(&json!("hi")), "instructions", json!("x".repeat(400))))
            .await;
    let next = with(request(&json!("hi")), "previous_response_id", first["id"].clone());
    let next = response(&sidecar, &next).await;
    assert_eq!(
        (&first["usage"]["input_tokens"], &next["usage"]["input_tokens"]),
        (&json!(101), &json!(3))
    );
}

#[tokio::test]
async fn kept_responses_can_be_read_and_deleted() {
    let sidecar = Sidecar::start();
    let created = respond(&sidecar, &request(&json!("hi"))).await;
    let id = created.json()["id"].as_str().unwrap().to_owned();
    let path = format!("{RESPONSES}/{id}");
    assert_eq!(sidecar.get(&path).await.body, created.body);
    let delete = || sidecar.send(direct_client().delete(sidecar.url(&path)));
    assert_eq!(delete().await.json(), json!({"id": id, "object": "response", "deleted": true}));
    for gone in [sidecar.get(&path).await, delete().await] {
        let message = format!("Response with id '{id}' not found.");
        assert_eq!((gone.status, &gone.json()["error"]["message"]), (404, &json!(message)));
    }
}

#[tokio::test]
async fn a_response_that_is_not_kept_cannot_be_continued() {
    let sidecar = Sidecar::start();
    let in_session = |session: &str, body: &Value| {
        let request = direct_client().post(sidecar.url(RESPONSES)).body(body.to_string());
        sidecar.send(request.header("mynah-session", session))
    };
    let not_stored = response(&sidecar, &with(request(&json!("a")), "store", json!(false))).await;
    let other_session = in_session("other", &request(&json!("b"))).await.json();
    let reset = response(&sidecar, &request(&json!("c"))).await;
    assert_eq!(sidecar.post("/mynah/v1/reset?session=default", "").await.status, 204);
    for id in [&not_stored["id"], &other_session["id"], &reset["id"], &json!("resp_x")] {
        let body = with(request(&json!("go on")), "previous_response_id", id.clone());
        for body in [body.clone(), with(body, "stream", json!(true))] {
            let reply = respond(&sidecar, &body).await;
            let error = reply.json()["error"].clone();
            assert_eq!(
                (reply.status, &error["code"]),
                (400, &json!("previous_response_not_found"))
            );
            assert_eq!(error["param"], "previous_response_id");
            let start = format!("Previous response with id '{}' not found.", id.as_str().unwrap());
            assert!(error["message"].as_str().unwrap().starts_with(&start), "{error}");
        }
    }
    let body = with(request(&json!("go on")), "previous_response_id", other_session["id"].clone());
    assert_eq!(in_session("other", &body).await.status, 200);
}

#[tokio::test]
async fn the_journal_has_the_whole_history() {
    let sidecar = Sidecar::start();
    let image = json!({"type": "input_image", "image_url": "A".repeat(300)});
    let input =
        json!([{"role": "user", "content": [{"type": "input_text", "text": "look"}, image]}]);
    let first = response(&sidecar, &request(&input)).await;
    let next = with(request(&json!("go on")), "previous_response_id", first["id"].clone());
    response(&sidecar, &next).await;
    let journal = sidecar.get("/mynah/v1/journal").await.json();
    let request = &journal["entries"][1]["request"];
    assert_eq!(journal["entries"][1]["api"], "responses");
    let summary = json!({"type": "input_image", "image_url": {"bytes": 302}});
    assert_eq!(request["input"][0]["content"][1], summary);
    assert_eq!(request["input"][1], first["output"][0]);
    assert_eq!(request["input"][2], json!({"role": "user", "content": "go on"}));
    assert_eq!(request["previous_response_id"], first["id"]);
    let check = json!({"match": {"user": "go on"}, "count": 1});
    let verdict = sidecar.post("/mynah/v1/verify", check.to_string()).await;
    assert_eq!(verdict.status, 200, "{}", verdict.body);
}

#[tokio::test]
async fn items_can_be_references() {
    let sidecar = Sidecar::start();
    let asked = response(&sidecar, &weather()).await;
    let call = &asked["output"][0];
    let output =
        json!({"type": "function_call_output", "call_id": call["call_id"], "output": "3 degrees"});
    let question = json!({"role": "user", "content": "What is the weather in Oslo?"});
    let answer = async |reference: &Value| {
        let history = json!([question, reference, output]);
        text(&response(&sidecar, &with(weather(), "input", history)).await).to_owned()
    };
    let expected = answer(call).await;
    assert_eq!(answer(&json!({"type": "item_reference", "id": call["id"]})).await, expected);
    assert_eq!(answer(&json!({"id": call["id"]})).await, expected);
    for id in ["fc_x_0", "x", ""] {
        let reference = json!([{"type": "item_reference", "id": id}]);
        let reply = respond(&sidecar, &request(&reference)).await;
        let error = reply.json()["error"].clone();
        assert_eq!((reply.status, &error["param"]), (404, &json!("input")));
        assert_eq!(error["message"], format!("Item with id '{id}' not found."));
    }
}
