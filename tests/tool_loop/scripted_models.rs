//! Models that follow a script: what an agent's test would look like, over a real socket.

use std::sync::Arc;

use futures_util::StreamExt;
use mynah::{
    chat::{Request, ToolChoice},
    client::RemoteComponent,
    tool_loop::{
        CancellationToken, Duplicates, EndReason, LoopEvent, LoopResult, LoopSettings, ToolLoop,
        ToolRegistry,
    },
};
use serde_json::{Value, json};

use super::{
    ask,
    doubles::{add, identity},
    every_call_has_its_result, outcomes, told,
};
use crate::chains::scripted;

/// Runs a script in both ways, which must come to the same. The metadata is the component's.
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
    let events = streamed.run_stream(model.clone(), request.clone(), token.clone());
    let events: Vec<_> = events.collect().await;
    let Some(LoopEvent::Ended(streamed)) = events.last() else { panic!("{events:?}") };
    let result = tool_loop().run(model, request, token).await;
    assert_eq!(result.transcript, streamed.transcript);
    assert_eq!((&result.end, result.turns), (&streamed.end, streamed.turns));
    every_call_has_its_result(&result);
    result
}

/// A question with a script of these steps.
#[expect(clippy::needless_pass_by_value, reason = "calls read better with a literal")]
pub fn script(steps: Value) -> Request {
    let chain = json!({"instruction_chain": steps});
    ask(&format!("Go! <|instruction_start|>{chain}<|instruction_end|>"))
}

/// A step that calls a tool.
#[expect(clippy::needless_pass_by_value, reason = "calls read better with a literal")]
fn call(name: &str, arguments: Value) -> Value {
    json!({"messages": [{"tool_call": [{"name": name, "args": arguments}]}]})
}

/// A step that says what the tools gave.
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
async fn a_script_of_several_steps() {
    let steps = json!([
        call("find_order", json!({"id": 7})),
        call("ship", json!({"id": 7, "to": "Oslo"})),
        results(),
    ]);
    let result = follow("", shop, LoopSettings::default(), script(steps)).await;
    assert_eq!((result.turns, &result.end), (3, &EndReason::Answered));
    assert_eq!(told(&result), ["order 7 is paid", r#"{"id":7,"to":"Oslo"}"#]);
    assert_eq!(result.calls.iter().map(|call| call.is_json).collect::<Vec<_>>(), [false, true]);
    assert_eq!(result.text(), "The tools say:\n\n{\"id\":7,\"to\":\"Oslo\"}");
}

#[tokio::test]
async fn parallel_calls_keep_their_order_and_their_ids() {
    let ship = |id: &str, n: u32| json!({"name": "ship", "args": {"n": n}, "id": id});
    let steps = json!([
        {"messages": [{"tool_call": [ship("c", 1), ship("a", 2), ship("b", 3)]}]},
        results(),
    ]);
    let result = follow("", shop, LoopSettings::default(), script(steps)).await;
    assert_eq!(told(&result), [r#"{"n":1}"#, r#"{"n":2}"#, r#"{"n":3}"#]);
    assert_eq!(result.calls.iter().map(|call| &call.id).collect::<Vec<_>>(), ["c", "a", "b"]);
    assert_eq!(result.text(), "The tools say:\n\n{\"n\":1}\n{\"n\":2}\n{\"n\":3}");
}

#[tokio::test]
async fn a_call_that_is_repeated_is_corrected_and_then_stalls() {
    let same = || call("ship", json!({"id": 7}));
    let steps = json!([same(), same(), results()]);
    let result = follow("", shop, LoopSettings::default(), script(steps)).await;
    assert_eq!(outcomes(&result), ["succeeded", "duplicate"]);
    assert_eq!(result.end, EndReason::Answered);
    let correction = "You just called the Ship tool with the exact same parameters as your \
        previous action. Please try a different approach or use different parameters instead.";
    assert_eq!(result.text(), format!("The tools say:\n\n{correction}"));
    let steps = script(json!([same()]));
    let for_ever = "{name: onExhausted, value: repeat_last}";
    let result = follow(for_ever, shop, LoopSettings::default(), steps).await;
    assert_eq!((result.turns, &result.end), (3, &EndReason::Stalled));
    assert_eq!(outcomes(&result), ["succeeded", "duplicate", "ended"]);
}

/// Neither repeats the call before, so that nothing but a limit ends them.
#[tokio::test]
async fn two_calls_in_turn_end_at_the_budget() {
    let steps = || {
        let ship = |n: u32| call("ship", json!({"n": n}));
        script(json!([ship(1), ship(2)]))
    };
    let for_ever = "{name: onExhausted, value: loop}";
    let settings = LoopSettings { max_calls: Some(5), ..LoopSettings::default() };
    let result = follow(for_ever, shop, settings.clone(), steps()).await;
    assert_eq!((result.turns, &result.end), (6, &EndReason::Budget));
    assert_eq!(outcomes(&result), [&["succeeded"; 5][..], &["ended"]].concat());
    let settings = LoopSettings { duplicates: Duplicates::AnySuccessful, ..settings };
    let result = follow(for_ever, shop, settings, steps()).await;
    let expected = ["succeeded", "succeeded", "duplicate", "duplicate", "duplicate", "ended"];
    assert_eq!((outcomes(&result), result.end), (expected.into(), EndReason::Budget));
}

#[tokio::test]
async fn a_demand_for_a_tool_ends() {
    let request = || {
        let steps = json!([call("find_order", json!({"id": 1})), results()]);
        Request { tool_choice: ToolChoice::Required, ..script(steps) }
    };
    let result = follow("", shop, LoopSettings::default(), request()).await;
    assert_eq!(result.text(), "The tools say:\n\norder 1 is paid");
    // Echo calls a tool as often as it is demanded.
    let echo = Request { messages: ask("Hello!").messages, ..request() };
    let result = follow("", shop, LoopSettings::default(), echo).await;
    assert_eq!((outcomes(&result), result.end), (vec!["succeeded"], EndReason::Answered));
}

/// An error that the script has at a later step keeps what was done before.
#[tokio::test]
async fn a_model_that_fails_at_its_second_turn() {
    let error = json!({"messages": [{"error": {"code": "UNAVAILABLE", "message": "busy"}}]});
    let steps = json!([call("find_order", json!({"id": 1})), error]);
    let result = follow("", shop, LoopSettings::default(), script(steps)).await;
    let EndReason::ModelError(error) = &result.end else { panic!("{result:?}") };
    assert!(error.to_string().ends_with("busy"), "{error}");
    assert_eq!((told(&result), result.turns), (vec!["order 1 is paid"], 1));
}
