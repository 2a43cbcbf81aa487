//! Tests of the limits on a run and of valid settings.

use std::time::Duration;

use insta::assert_snapshot;
use mynah::tool_loop::{
    BreakerSettings, CacheSettings, LoopEnd, LoopSettings, ToolLoop, ToolSettings,
};

use super::{
    doubles::{
        add, calls_forever, calls_then_repeats, identity, model, single_tool, sleep, text_response,
    },
    outcomes, run,
};

const CALLS: [(&str, &str); 4] =
    [("f", "{}"), ("f", r#"{"x":1}"#), ("g", "{}"), ("f", r#"{"x":2}"#)];

#[tokio::test]
async fn skips_calls_beyond_max_calls() {
    let mut registry = identity("f");
    add(&mut registry, "g", async |arguments| Ok(arguments));
    let settings = LoopSettings { max_calls: Some(3), ..LoopSettings::default() };
    let result = run(registry, settings, calls_then_repeats(&[&CALLS])).await;
    assert_eq!((result.turns, &result.end), (1, &LoopEnd::Budget));
    assert_eq!(outcomes(&result), ["succeeded", "succeeded", "succeeded", "not_run"]);
    let text = "Error executing f: the call did not run because the tool loop ended";
    assert_eq!(result.calls[3].result, text);
}

#[tokio::test]
async fn runs_exactly_max_calls() {
    let settings = LoopSettings { max_calls: Some(3), ..LoopSettings::default() };
    let result = run(identity("f"), settings, calls_then_repeats(&[&CALLS[..3]])).await;
    assert_eq!((result.turns, &result.end), (2, &LoopEnd::Answered));
}

#[tokio::test]
async fn limits_the_calls_of_one_tool() {
    let mut registry = identity("g");
    add(&mut registry, "f", async |arguments| Ok(arguments))
        .with_settings(ToolSettings { max_calls: Some(1), ..ToolSettings::default() });
    let result = run(registry, LoopSettings::default(), calls_then_repeats(&[&CALLS])).await;
    assert_eq!(outcomes(&result), ["succeeded", "not_run", "succeeded", "not_run"]);
    assert_eq!(result.end, LoopEnd::Budget);
}

#[tokio::test(start_paused = true)]
async fn ends_a_run_after_its_wall_clock_limit() {
    let slow = || {
        single_tool("slow", async |_| {
            sleep(Duration::from_secs(4)).await;
            Ok("done".into())
        })
    };
    let wall_clock = Duration::from_secs(10);
    let tools = ToolSettings { repeatable: true, ..ToolSettings::default() };
    let settings = LoopSettings { wall_clock, tools, ..LoopSettings::default() };
    let result = run(slow(), settings.clone(), calls_forever(&[("slow", "{}")])).await;
    assert_eq!((result.turns, &result.end), (3, &LoopEnd::Budget));
    assert_eq!(outcomes(&result), ["succeeded", "succeeded", "interrupted"]);
    let result = run(slow(), settings, calls_then_repeats(&[&[("slow", "{}")]])).await;
    assert_eq!(result.end, LoopEnd::Answered);
}

#[test]
fn rejects_invalid_settings() {
    let error = |settings| match ToolLoop::new(identity("f"), settings) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    };
    let base = LoopSettings::default;
    let tool = |tools| LoopSettings { tools, ..base() };
    let tools = ToolSettings::default;
    let breaker = |breaker| tool(ToolSettings { breaker: Some(breaker), ..tools() });
    let cache = |cache| tool(ToolSettings { cache: Some(cache), ..tools() });
    let zero = Duration::ZERO;
    let all = [
        LoopSettings { max_turns: 0, ..base() },
        LoopSettings { max_turns: 51, ..base() },
        LoopSettings { max_calls: Some(0), ..base() },
        LoopSettings { wall_clock: zero, ..base() },
        LoopSettings { model_timeout: zero, ..base() },
        LoopSettings { max_concurrency: 0, ..base() },
        LoopSettings { max_concurrency: 257, ..base() },
        LoopSettings { stalled_after: 1, ..base() },
        tool(ToolSettings { timeout: zero, ..tools() }),
        tool(ToolSettings { retries: 11, ..tools() }),
        tool(ToolSettings { max_calls: Some(0), ..tools() }),
        tool(ToolSettings { max_result: 0, ..tools() }),
        breaker(BreakerSettings { failures: 0, ..BreakerSettings::default() }),
        breaker(BreakerSettings { open_for: zero, ..BreakerSettings::default() }),
        cache(CacheSettings { ttl: zero, ..CacheSettings::default() }),
        cache(CacheSettings { entries: 0, ..CacheSettings::default() }),
        cache(CacheSettings { bytes: 0, ..CacheSettings::default() }),
    ];
    assert_snapshot!(all.map(error).join("\n"), @r#"
    invalid max_turns: 0; expected 1..=50
    invalid max_turns: 51; expected 1..=50
    invalid max_calls: 0; expected 1..
    invalid wall_clock: 0ns; expected 1ns..
    invalid model_timeout: 0ns; expected 1ns..
    invalid max_concurrency: 0; expected 1..=256
    invalid max_concurrency: 257; expected 1..=256
    invalid stalled_after: 1; expected 2..=50
    invalid timeout: 0ns; expected 1ns..
    invalid retries: 11; expected 0..=10
    invalid max_calls: 0; expected 1..
    invalid max_result: 0; expected 1..
    invalid failures: 0; expected 1..
    invalid open_for: 0ns; expected 1ns..
    invalid ttl: 0ns; expected 1ns..
    invalid entries: 0; expected 1..
    invalid bytes: 0; expected 1..
    "#);
    let edges = [
        LoopSettings { max_turns: 1, ..base() },
        LoopSettings { max_turns: 50, ..base() },
        tool(ToolSettings { breaker: None, timeout: Duration::MAX, ..tools() }),
    ];
    assert_eq!(edges.map(error), ["accepted"; 3]);
    let mut registry = identity("f");
    add(&mut registry, "g", async |arguments| Ok(arguments))
        .with_settings(ToolSettings { retries: 11, ..tools() });
    let error = ToolLoop::new(registry, base()).unwrap_err();
    assert_eq!(error.to_string(), "invalid retries of g: 11; expected 0..=10");
}

#[tokio::test]
async fn accepts_timeouts_that_never_expire() {
    let tools = ToolSettings { timeout: Duration::MAX, ..ToolSettings::default() };
    let settings = LoopSettings { tools, wall_clock: Duration::MAX, ..LoopSettings::default() };
    let result = run(identity("f"), settings, model(|_| Ok(text_response("fine")))).await;
    assert_eq!(result.text(), "fine");
}
