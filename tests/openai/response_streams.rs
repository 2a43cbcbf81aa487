//! Streamed responses.

use serde_json::{Value, json};

use super::{
    chain,
    responses::{RESPONSES, request, respond, weather},
    scripted, with,
};
use crate::support::{Sidecar, http::Reply};

async fn stream(sidecar: &Sidecar, body: Value) -> Reply {
    let body = with(body, "stream", json!(true));
    let reply = sidecar.post(RESPONSES, body.to_string()).await;
    assert_eq!((reply.status, reply.content_type.as_str()), (200, "text/event-stream"));
    reply
}

/// Returns the names of the events, after checking what all events have.
fn names<'e>(events: &[(&'e str, Value)]) -> Vec<&'e str> {
    for (at, (name, data)) in events.iter().enumerate() {
        assert_eq!((&data["type"], &data["sequence_number"]), (&json!(name), &json!(at)), "{data}");
    }
    events.iter().map(|(name, _)| *name).collect()
}

/// Returns a response without what depends on the request.
fn comparable(response: &Value) -> Value {
    let mut response = response.clone();
    response["id"] = Value::Null;
    for item in response["output"].as_array_mut().unwrap() {
        item["id"] = Value::Null;
    }
    response
}

#[tokio::test]
async fn a_text_arrives_in_openais_order_of_events() {
    let sidecar = Sidecar::start();
    let reply = stream(&sidecar, request(&json!("Hello, nice world!"))).await;
    let events = reply.events();
    let expected = [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ];
    assert_eq!(names(&events), expected);
    let data: Vec<_> = events.iter().map(|(_, data)| data).collect();
    let created = &data[0]["response"];
    assert_eq!((&created["status"], &created["output"]), (&json!("in_progress"), &json!([])));
    assert_eq!((&created["usage"], &data[1]["response"]), (&Value::Null, created));
    let item = &data[2]["item"];
    assert_eq!((&item["status"], &item["content"]), (&json!("in_progress"), &json!([])));
    assert_eq!(data[3]["part"]["text"], "");
    let deltas: String = data[4..7].iter().map(|it| it["delta"].as_str().unwrap()).collect();
    assert_eq!(
        (deltas.as_str(), &data[7]["text"]),
        ("Hello, nice world!", &json!("Hello, nice world!"))
    );
    for event in &data[3..9] {
        assert_eq!(event["item_id"], item["id"]);
        assert_eq!((&event["output_index"], &event["content_index"]), (&json!(0), &json!(0)));
    }
    assert_eq!(data[9]["item"], data[10]["response"]["output"][0]);
    assert_eq!(data[10]["response"]["id"], created["id"]);
    let whole = respond(&sidecar, &request(&json!("Hello, nice world!"))).await.json();
    assert_eq!(comparable(&data[10]["response"]), comparable(&whole));
}

#[tokio::test]
async fn calls_arrive_with_their_arguments() {
    let sidecar = Sidecar::start();
    let reply = stream(&sidecar, weather()).await;
    let events = reply.events();
    let expected = [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
    ];
    let mut names = names(&events);
    names.dedup();
    assert_eq!(names, expected);
    let is_piece = |data: &&Value| data["type"] == "response.function_call_arguments.delta";
    let (pieces, data): (Vec<_>, Vec<_>) = events.iter().map(|(_, data)| data).partition(is_piece);
    let call = &data[5]["response"]["output"][0];
    let arguments: String = pieces.iter().map(|piece| piece["delta"].as_str().unwrap()).collect();
    assert!(pieces.len() > 1 && pieces.iter().all(|piece| piece["item_id"] == call["id"]));
    assert_eq!(arguments, call["arguments"]);
    assert_eq!((&data[2]["item"]["arguments"], &data[2]["item"]["id"]), (&json!(""), &call["id"]));
    assert_eq!((&data[3]["arguments"], &data[3]["name"]), (&call["arguments"], &call["name"]));
    assert_eq!(&data[4]["item"], call);
}

#[tokio::test]
async fn a_text_before_calls_is_the_first_item() {
    let sidecar = scripted(&["chains"]);
    let call = json!({"tool_call": [{"name": "get_weather", "args": {"city": "Oslo"}}]});
    let step = json!([{"messages": [{"text": "wait"}, call]}]);
    let body = with(weather(), "input", chain(&step)["content"].clone());
    let reply = stream(&sidecar, body).await;
    let events = reply.events();
    let added: Vec<_> =
        events.iter().filter(|(name, _)| *name == "response.output_item.added").collect();
    let index = |at: usize| &added[at].1["output_index"];
    assert_eq!((added.len(), index(0), index(1)), (2, &json!(0), &json!(1)));
    let output = events.last().unwrap().1["response"]["output"].clone();
    assert_eq!(
        (&output[0]["type"], &output[1]["type"]),
        (&json!("message"), &json!("function_call"))
    );
}

#[tokio::test]
async fn a_response_that_reaches_its_limit_is_incomplete() {
    let sidecar = Sidecar::start();
    let body = with(request(&json!("one two three four")), "max_output_tokens", json!(2));
    let reply = stream(&sidecar, body).await;
    let events = reply.events();
    let (name, data) = events.last().unwrap();
    assert_eq!((*name, &data["response"]["status"]), ("response.incomplete", &json!("incomplete")));
}

#[tokio::test]
async fn a_late_error_ends_the_stream() {
    let sidecar = scripted(&["chains"]);
    let error = json!({"code": "RESOURCE_EXHAUSTED", "message": "slow down"});
    let items = json!([{"text": "so far"}, {"error": error}]);
    let body = request(&chain(&json!([{ "messages": items }]))["content"]);
    let reply = stream(&sidecar, body).await;
    let events = reply.events();
    let names = names(&events);
    assert_eq!(names[names.len() - 2..], ["error", "response.failed"]);
    let (error, failed) = (&events[names.len() - 2].1, &events[names.len() - 1].1["response"]);
    assert_eq!((&error["message"], &error["param"]), (&json!("slow down"), &Value::Null));
    assert_eq!(failed["status"], "failed");
    assert_eq!(failed["error"], json!({"code": "rate_limit_exceeded", "message": "slow down"}));
    let path = format!("{RESPONSES}/{}", failed["id"].as_str().unwrap());
    assert_eq!(sidecar.get(&path).await.status, 404, "an incomplete response is not kept");
}
