//! Tests with scripted models over a real socket, as an agent's own tests would use them.

use std::sync::Arc;

use futures_util::StreamExt;
use mynah::{
    chat::{Request, ToolChoice},
    client::RemoteComponent,
    tool_loop::{
        CancellationToken, DuplicatePolicy, LoopEnd, LoopEvent, LoopResult, LoopSettings, ToolLoop,
        ToolRegistry,
    },
};
use serde_json::{Value, json};

use super::{
    ask, assert_every_call_has_a_result,
    doubles::{add, identity},
    outcomes, result_texts,
};
use crate::chains::scripted;

/// Runs a script with and without streaming. Both runs must have the same result. `metadata`
/// configures the component.
pub async fn follow(
    metadata: &str,
    registry: impl Fn() -> ToolRegistry,
    settings: LoopSettings,
    request: Request,
) -> LoopResult {
    let sidecar = scripted(metadata);
    let address = sidecar.grpc.to_string();
    let model = Arc::new(RemoteComponent::connect(&address, None, None).await.unwrap());
    let tool_loop = || ToolLoop::new(registry(), settings.clone()).unwrap();
    let (streamed, token) = (Arc::new(tool_loop()), CancellationToken::new());
    let events = streamed.run(model.clone(), request.clone()).cancel_with(token.clone()).stream();
    let events: Vec<_> = events.collect().await;
    let Some(LoopEvent::Ended(streamed)) = events.last() else { panic!("{events:?}") };
    let result = tool_loop().run(model, request).cancel_with(token).await;
    assert_eq!(result.transcript, streamed.transcript);
    assert_eq!((&result.end, result.turns), (&streamed.end, streamed.turns));
    assert_every_call_has_a_result(&result);
    result
}

/// Returns a request with a chain of these steps.
#[expect(clippy::needless_pass_by_value, reason = "calls read better with a literal")]
pub fn script(steps: Value) -> Request {
    let chain = json!({"instruction_chain": steps});
    ask(&format!("Go! <|instruction_start|>{chain}<|instruction_end|>"))
}

/// Returns a step that calls a tool.
#[expect(clippy::needless_pass_by_value, reason = "calls read better with a literal")]
fn call(name: &str, arguments: Value) -> Value {
    json!({"messages": [{"tool_call": [{"name": name, "args": arguments}]}]})
}

/// Returns a step that answers with the tool results.
fn results() -> Value {
    json!({"messages": [{"text": "The tools say:"}, {"tool_results": {}}]})
}

fn shop() -> ToolRegistry {
    let mut registry = identity("ship");
    add(&mut registry, "find_order", async |arguments| {
        Ok(json!(format!("order {} is paid", arguments["id"])))
    });
    registry
}

#[tokio::test]
async fn follows_a_script_of_several_steps() {
    let steps = json!([
        call("find_order", json!({"id": 7})),
        call("ship", json!({"id": 7, "to": "Oslo"})),
        results(),
    ]);
    let result = follow("", shop, LoopSettings::default(), script(steps)).await;
    assert_eq!((result.turns, &result.end), (3, &LoopEnd::Answered));
    assert_eq!(result_texts(&result), ["order 7 is paid", r#"{"id":7,"to":"Oslo"}"#]);
    assert_eq!(
        result.calls.iter().map(|call| call.result.value().is_string()).collect::<Vec<_>>(),
        [true, false]
    );
    assert_eq!(result.text(), "The tools say:\n\n{\"id\":7,\"to\":\"Oslo\"}");
}

#[tokio::test]
async fn keeps_the_order_and_ids_of_parallel_calls() {
    let ship = |id: &str, n: u32| json!({"name": "ship", "args": {"n": n}, "id": id});
    let steps = json!([
        {"messages": [{"tool_call": [ship("c", 1), ship("a", 2), ship("b", 3)]}]},
        results(),
    ]);
    let result = follow("", shop, LoopSettings::default(), script(steps)).await;
    assert_eq!(result_texts(&result), [r#"{"n":1}"#, r#"{"n":2}"#, r#"{"n":3}"#]);
    assert_eq!(result.calls.iter().map(|call| &call.id).collect::<Vec<_>>(), ["c", "a", "b"]);
    assert_eq!(result.text(), "The tools say:\n\n{\"n\":1}\n{\"n\":2}\n{\"n\":3}");
}

#[tokio::test]
async fn corrects_a_repeated_call_and_then_stalls() {
    let same = || call("ship", json!({"id": 7}));
    let steps = json!([same(), same(), results()]);
    let result = follow("", shop, LoopSettings::default(), script(steps)).await;
    assert_eq!(outcomes(&result), ["succeeded", "duplicate"]);
    assert_eq!(result.end, LoopEnd::Answered);
    let correction = "You just called the Ship tool with the exact same parameters as your \
        previous action. Please try a different approach or use different parameters instead.";
    assert_eq!(result.text(), format!("The tools say:\n\n{correction}"));
    let steps = script(json!([same()]));
    let metadata = "{name: onExhausted, value: repeat_last}";
    let result = follow(metadata, shop, LoopSettings::default(), steps).await;
    assert_eq!((result.turns, &result.end), (3, &LoopEnd::Stalled));
    assert_eq!(outcomes(&result), ["succeeded", "duplicate", "not_run"]);
}

/// No call repeats the previous one, so only a limit ends the run.
#[tokio::test]
async fn ends_alternating_calls_at_max_calls() {
    let steps = || {
        let ship = |n: u32| call("ship", json!({"n": n}));
        script(json!([ship(1), ship(2)]))
    };
    let metadata = "{name: onExhausted, value: loop}";
    let settings = LoopSettings { max_calls: Some(5), ..LoopSettings::default() };
    let result = follow(metadata, shop, settings.clone(), steps()).await;
    assert_eq!((result.turns, &result.end), (6, &LoopEnd::Budget));
    assert_eq!(outcomes(&result), [&["succeeded"; 5][..], &["not_run"]].concat());
    let settings = LoopSettings { duplicates: DuplicatePolicy::AnySuccessful, ..settings };
    let result = follow(metadata, shop, settings, steps()).await;
    let expected = ["succeeded", "succeeded", "duplicate", "duplicate", "duplicate", "not_run"];
    assert_eq!((outcomes(&result), result.end), (expected.into(), LoopEnd::Budget));
}

#[tokio::test]
async fn requires_a_tool_in_the_first_turn_only() {
    let request = || {
        let steps = json!([call("find_order", json!({"id": 1})), results()]);
        Request { tool_choice: ToolChoice::Required, ..script(steps) }
    };
    let result = follow("", shop, LoopSettings::default(), request()).await;
    assert_eq!(result.text(), "The tools say:\n\norder 1 is paid");
    // Echo calls a tool whenever one is required.
    let echo = Request { messages: ask("Hello!").messages, ..request() };
    let result = follow("", shop, LoopSettings::default(), echo).await;
    assert_eq!((outcomes(&result), result.end), (vec!["succeeded"], LoopEnd::Answered));
}

#[tokio::test]
async fn keeps_the_results_before_a_model_error() {
    let error = json!({"messages": [{"error": {"code": "UNAVAILABLE", "message": "busy"}}]});
    let steps = json!([call("find_order", json!({"id": 1})), error]);
    let result = follow("", shop, LoopSettings::default(), script(steps)).await;
    let LoopEnd::ModelError(error) = &result.end else { panic!("{result:?}") };
    assert!(error.to_string().ends_with("busy"), "{error}");
    assert_eq!((result_texts(&result), result.turns), (vec!["order 1 is paid"], 1));
}
