//! Tests of hooks that decide about calls, and of runs that offer only some of the tools.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::StreamExt;
use mynah::{
    chat::Message,
    tool_loop::{
        CallDecision, LoopEnd, LoopEvent, LoopSettings, Rendering, ToolLoop, ToolRegistry,
        ToolSettings, Wording,
    },
};
use serde::Serialize;
use serde_json::json;

use super::{
    ask,
    doubles::{add, calls_then_repeats, identity, model, text_response, turn},
    outcomes, result_texts, run,
};

/// Returns a registry with the tools `f` and `g`, which return their arguments.
fn tools() -> ToolRegistry {
    let mut registry = identity("f");
    add(&mut registry, "g", async |arguments| Ok(arguments));
    registry
}

#[tokio::test]
async fn hooks_run_refuse_or_replace_a_call() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let mut registry = tools();
    let first = asked.clone();
    registry.before_call(move |call| {
        first.lock().unwrap().push(format!("{} {}", call.name, call.arguments));
        let refuse = call.arguments == json!({"n": 1});
        async move {
            // A hook may wait, for example for an approval.
            tokio::task::yield_now().await;
            if refuse { CallDecision::Refuse("not now".to_owned()) } else { CallDecision::Run }
        }
    });
    let second = asked.clone();
    registry.before_call(move |call| {
        second.lock().unwrap().push(format!("{} again", call.context.call_id));
        std::future::ready(match call.name.as_str() {
            "g" => CallDecision::Replace(json!([1, 2]).into()),
            _ => CallDecision::Run,
        })
    });
    let calls = [("f", r#"{"n":1}"#), ("g", ""), ("f", "[]"), ("h", "{}"), ("g", "{}"), ("f", "")];
    let settings = LoopSettings { max_concurrency: 1, ..LoopSettings::default() };
    let result = run(registry, settings, calls_then_repeats(&[&calls])).await;
    let expected = ["denied", "replaced", "invalid", "unknown", "duplicate", "succeeded"];
    assert_eq!(outcomes(&result), expected);
    assert_eq!(result_texts(&result)[..2], ["Error executing f: not now", "[1,2]"]);
    assert_eq!(result.executed_calls(), 1);
    let expected = ["f {\"n\":1}", "g {}", "tool-call-1-2 again", "f {}", "tool-call-1-6 again"];
    assert_eq!(*asked.lock().unwrap(), expected);
}

#[tokio::test]
async fn hooks_of_a_run_follow_those_of_the_registry() {
    let mut registry = tools();
    registry.before_call(async |call| match call.name.as_str() {
        "f" => CallDecision::Replace("from the registry".into()),
        _ => CallDecision::Run,
    });
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    let run = || tool_loop.run(calls_then_repeats(&[&[("f", "{}"), ("g", "{}")]]), ask("Go!"));
    let hooked = run().before_call(async |_| CallDecision::Replace("from the run".into())).await;
    assert_eq!(result_texts(&hooked), ["from the registry", "from the run"]);
    assert_eq!(result_texts(&run().await), ["from the registry", "{}"], "other runs do not change");
}

/// While a hook waits, the tool has not started: the call may be made again later.
#[tokio::test(start_paused = true)]
async fn a_call_whose_hook_waits_has_not_started() {
    let mut registry = ToolRegistry::new();
    let timeout = Duration::from_secs(1);
    add(&mut registry, "f", async |arguments| Ok(arguments))
        .with_settings(ToolSettings { timeout, ..ToolSettings::default() });
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    let run = tool_loop.run(calls_then_repeats(&[&[("f", "{}")]]), ask("Go!"));
    let run = run.before_call(|_| std::future::pending()).time_limit(Duration::from_secs(60));
    let events: Vec<_> = run.stream().collect().await;
    assert!(!events.iter().any(|event| matches!(event, LoopEvent::ToolStarted { .. })));
    let Some(LoopEvent::Ended(result)) = events.last() else { panic!("{events:?}") };
    assert_eq!((&result.end, outcomes(result)), (&LoopEnd::Budget, vec!["not_run"]));
}

#[tokio::test]
async fn a_run_may_offer_only_some_of_the_tools() {
    for rendering in [Rendering::Native, Rendering::Text(Wording::default())] {
        let offered = Arc::new(Mutex::new(Vec::new()));
        let seen = offered.clone();
        let text = matches!(rendering, Rendering::Text(_));
        let model = model(move |request| {
            seen.lock().unwrap().extend(request.tools.iter().map(|tool| tool.name.clone()));
            Ok(match turn(request) {
                0 if text => text_response("AI ACTION: Executing F\nAI ACTION: Executing G"),
                0 => super::doubles::call_response(&[("f", "{}"), ("g", "{}")]),
                _ => text_response("done"),
            })
        });
        let settings = LoopSettings { rendering, ..LoopSettings::default() };
        let tool_loop = ToolLoop::new(tools(), settings).unwrap();
        let run = tool_loop.run(model.clone(), ask("Go!"));
        let result = run.filter_tools(|tool| tool.name == "g").await;
        assert_eq!(outcomes(&result), ["unknown", "succeeded"]);
        assert_eq!(result_texts(&result)[0], "Tool 'f' not found");
        let expected = if text { vec![] } else { vec!["g"; 2] };
        assert_eq!(*offered.lock().unwrap(), expected);
        assert_eq!(outcomes(&tool_loop.run(model, ask("Go!")).await), ["succeeded"; 2]);
    }
}

#[derive(Serialize)]
struct Tip {
    total: f64,
    amount: f64,
    items: [&'static str; 0],
}

/// The model reads fields in the order in which the tool wrote them.
#[tokio::test]
async fn fields_of_a_result_keep_their_order() {
    let tip = async |_: serde_json::Value| Ok(Tip { total: 54.72, amount: 45.6, items: [] });
    let json = r#"{"total":54.72,"amount":45.6,"items":[]}"#;
    for (rendering, call) in [
        (Rendering::Native, super::doubles::call_response(&[("tip", "{}")])),
        (Rendering::Text(Wording::default()), text_response("AI ACTION: Executing Tip")),
    ] {
        let mut registry = ToolRegistry::new();
        registry.register_with_schema("tip", "A tip", json!({"type": "object"}), tip).unwrap();
        let model = model(move |request| {
            Ok(if turn(request) == 0 { call.clone() } else { text_response("done") })
        });
        let settings = LoopSettings { rendering, ..LoopSettings::default() };
        let result = run(registry, settings, model).await;
        let texts: Vec<_> = result.transcript.iter().map(Message::text).collect();
        assert!(texts[2].ends_with(json), "{texts:?}");
    }
}
