//! Tests of the order of results, cached results and skipped duplicates.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    time::Duration,
};

use mynah::tool_loop::{
    CacheSettings, DuplicatePolicy, LoopSettings, ToolLoop, ToolRegistry, ToolSettings,
};
use serde_json::json;
use tokio::time::advance;

use super::{
    doubles::{add, calls_then_repeats, identity, single_tool, sleep},
    outcomes, result_texts, run, run_again,
};

#[tokio::test(start_paused = true)]
async fn returns_results_in_the_order_of_the_calls() {
    let registry = single_tool("wait", async |arguments| {
        sleep(Duration::from_secs(arguments["s"].as_u64().unwrap())).await;
        Ok(arguments["s"].clone())
    });
    let calls = [r#"{"s":3}"#, r#"{"s":1}"#, r#"{"s":2}"#].map(|arguments| ("wait", arguments));
    let result = run(registry, LoopSettings::default(), calls_then_repeats(&[&calls])).await;
    assert_eq!(result_texts(&result), ["3", "1", "2"]);
    assert_eq!(result.text(), "3\n1\n2");
    assert_eq!(result.calls.iter().map(|call| call.duration.as_secs()).sum::<u64>(), 6);
}

#[tokio::test(start_paused = true)]
async fn runs_eight_calls_at_a_time() {
    let (running, peak) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, highest) = (running.clone(), peak.clone());
    let registry = single_tool("wait", move |arguments| {
        let (counted, highest) = (counted.clone(), highest.clone());
        async move {
            highest.fetch_max(counted.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            sleep(Duration::from_millis(10)).await;
            counted.fetch_sub(1, Ordering::Relaxed);
            Ok(arguments["n"].clone())
        }
    });
    let arguments: Vec<_> = (0..100).map(|number| json!({"n": number}).to_string()).collect();
    let calls: Vec<_> = arguments.iter().map(|text| ("wait", text.as_str())).collect();
    let result = run(registry, LoopSettings::default(), calls_then_repeats(&[&calls])).await;
    let expected: Vec<_> = (0..100).map(|number| number.to_string()).collect();
    assert_eq!(result_texts(&result), expected);
    assert_eq!((peak.load(Ordering::Relaxed), running.load(Ordering::Relaxed)), (8, 0));
}

/// Returns a loop with a tool that returns how often it has run. The tool's results are cached.
fn cached_counter(cache: CacheSettings) -> ToolLoop {
    let count = AtomicU32::new(0);
    let mut registry = ToolRegistry::new();
    let cached = ToolSettings { cache: Some(cache), ..ToolSettings::default() };
    let counter = add(&mut registry, "count", move |_| {
        let number = count.fetch_add(1, Ordering::Relaxed) + 1;
        async move { Ok(json!(number)) }
    });
    counter.with_settings(cached);
    ToolLoop::new(registry, LoopSettings::default()).unwrap()
}

/// Makes a call with these arguments. Returns its result and whether the tool ran.
async fn count(tool_loop: &ToolLoop, arguments: &str) -> (String, bool) {
    let result = run_again(tool_loop, calls_then_repeats(&[&[("count", arguments)]])).await;
    let call = &result.calls[0];
    assert_eq!(call.is_cached(), call.outcome.as_str() == "cached");
    (call.result.text().to_owned(), !call.is_cached())
}

#[tokio::test(start_paused = true)]
async fn caches_results_of_equal_calls_until_they_expire() {
    let tool_loop = cached_counter(CacheSettings::default());
    let one = ("1".to_owned(), false);
    assert_eq!(count(&tool_loop, r#"{"a":1,"b":2}"#).await, ("1".to_owned(), true));
    assert_eq!(count(&tool_loop, r#"{"b": 2.0, "a": 1}"#).await, one);
    assert_eq!(count(&tool_loop, r#"{"b":2}"#).await, ("2".to_owned(), true));
    advance(Duration::from_secs(299)).await;
    assert_eq!(count(&tool_loop, r#"{"a":1,"b":2}"#).await, one);
    advance(Duration::from_secs(2)).await;
    assert_eq!(count(&tool_loop, r#"{"a":1,"b":2}"#).await, ("3".to_owned(), true));
}

#[tokio::test]
async fn evicts_the_oldest_result_first() {
    let by_count = CacheSettings { entries: 2, ..CacheSettings::default() };
    // An entry consists of `["count",{"a":1}]` and the result, 18 bytes in total.
    let by_bytes = CacheSettings { bytes: 36, ..CacheSettings::default() };
    for settings in [by_count, by_bytes] {
        let tool_loop = cached_counter(settings);
        for (arguments, ran) in [
            (r#"{"a":1}"#, true),
            (r#"{"a":2}"#, true),
            (r#"{"a":1}"#, false),
            (r#"{"a":3}"#, true),
        ] {
            assert_eq!(count(&tool_loop, arguments).await.1, ran, "{settings:?} {arguments}");
        }
        assert!(!count(&tool_loop, r#"{"a":2}"#).await.1);
        assert!(count(&tool_loop, r#"{"a":1}"#).await.1);
    }
    let tool_loop = cached_counter(CacheSettings { bytes: 17, ..CacheSettings::default() });
    assert!(count(&tool_loop, r#"{"a":1}"#).await.1);
    assert!(count(&tool_loop, r#"{"a":1}"#).await.1, "too large for the cache");
}

const A: (&str, &str) = ("f", r#"{"x":1,"y":2}"#);
const SAME: (&str, &str) = ("f", r#"{"y": 2.0, "x": 1}"#);
const B: (&str, &str) = ("f", r#"{"x":2}"#);

async fn repeated(
    duplicates: DuplicatePolicy,
    repeatable: bool,
    turns: &[&[(&str, &str)]],
) -> Vec<&'static str> {
    let tools = ToolSettings { repeatable, ..ToolSettings::default() };
    let settings = LoopSettings { duplicates, tools, ..LoopSettings::default() };
    outcomes(&run(identity("f"), settings, calls_then_repeats(turns)).await)
}

#[tokio::test]
async fn skips_duplicates_by_policy() {
    use DuplicatePolicy::{AnySuccessful, Off, Previous};
    let (ok, duplicate) = ("succeeded", "duplicate");
    for (policy, next, later) in
        [(Previous, duplicate, ok), (AnySuccessful, duplicate, duplicate), (Off, ok, ok)]
    {
        assert_eq!(repeated(policy, false, &[&[A], &[SAME]]).await, [ok, next], "{policy:?}");
        assert_eq!(repeated(policy, false, &[&[A, SAME]]).await, [ok, next], "{policy:?}");
        let turns: [&[_]; 3] = [&[A], &[B], &[SAME]];
        assert_eq!(repeated(policy, false, &turns).await, [ok, ok, later], "{policy:?}");
        // `previous` compares with the latest call only, not with all calls in the latest turn.
        let turns: [&[_]; 2] = [&[A, B], &[SAME]];
        assert_eq!(repeated(policy, false, &turns).await, [ok, ok, later], "{policy:?}");
        assert_eq!(repeated(policy, true, &[&[A, SAME], &[SAME]]).await, [ok; 3], "{policy:?}");
    }
}

#[tokio::test]
async fn any_successful_allows_a_failed_call_again() {
    let settings =
        LoopSettings { duplicates: DuplicatePolicy::AnySuccessful, ..LoopSettings::default() };
    let model = calls_then_repeats(&[&[("nope", "{}")], &[("f", "[]")], &[("f", "[]")]]);
    let result = run(identity("f"), settings, model).await;
    assert_eq!(outcomes(&result), ["unknown", "invalid", "invalid"]);
    let model = calls_then_repeats(&[&[("nope", "{}")], &[("nope", "")], &[("f", "[]")]]);
    let result = run(identity("f"), LoopSettings::default(), model).await;
    assert_eq!(outcomes(&result), ["unknown", "duplicate", "invalid"]);
}

#[tokio::test]
async fn asks_the_model_for_a_different_call() {
    let model = calls_then_repeats(&[&[A], &[A]]);
    let result = run(identity("f"), LoopSettings::default(), model).await;
    let text = "You just called the F tool with the exact same parameters as your previous action. \
                Please try a different approach or use different parameters instead.";
    assert_eq!(result_texts(&result)[1], text);
}

#[tokio::test]
async fn returns_text_unquoted_and_other_values_as_json() {
    let registry: ToolRegistry = single_tool("f", async |arguments| Ok(arguments["x"].clone()));
    for (argument, result) in
        [("\"ä/\\n\"", "ä/\n"), ("[1, {\"b\":2}]", "[1,{\"b\":2}]"), ("null", "null"), ("\"\"", "")]
    {
        let arguments = format!(r#"{{"x":{argument}}}"#);
        assert_eq!(registry.run("f", &arguments).await.unwrap(), result);
    }
}
