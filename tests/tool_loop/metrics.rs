//! Tests of tool metrics.

use std::time::Duration;

use insta::assert_snapshot;
use mynah::tool_loop::{CacheSettings, LoopSettings, ToolError, ToolLoop, ToolSettings};
use prometheus::{Registry, TextEncoder};

use super::{
    ask,
    doubles::{add, calls_then_repeats, identity, settle, single_tool, sleep},
    run_again,
};

/// Returns the samples of a loop's metrics without histogram buckets, sorted.
fn samples(tool_loop: &ToolLoop) -> String {
    let metrics = Registry::new();
    tool_loop.metrics().register(&metrics).unwrap();
    let text = TextEncoder::new().encode_to_string(&metrics.gather()).unwrap();
    let is_sample = |line: &&str| !line.contains("_bucket") && !line.starts_with("# ");
    let mut lines: Vec<_> = text.lines().filter(is_sample).collect();
    lines.sort_unstable();
    lines.join("\n")
}

#[tokio::test(start_paused = true)]
async fn counts_the_calls_of_a_dropped_run() {
    let mut registry = identity("works");
    add(&mut registry, "waits", async |_| std::future::pending().await);
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    let model = calls_then_repeats(&[&[("works", "{}"), ("waits", "{}")]]);
    tokio::select! {
        _ = tool_loop.run(model, ask("Go!")) => panic!("the run ended"),
        () = sleep(Duration::from_secs(3)) => {}
    }
    settle().await;
    let samples = samples(&tool_loop);
    let is_count = |line: &&str| line.starts_with("mynah_tool_calls_total");
    assert_snapshot!(samples.lines().filter(is_count).collect::<Vec<_>>().join("\n"), @r#"
    mynah_tool_calls_total{outcome="interrupted",tool="waits"} 1
    mynah_tool_calls_total{outcome="succeeded",tool="works"} 1
    "#);
}

#[tokio::test(start_paused = true)]
async fn counts_calls_by_tool_and_outcome() {
    let mut registry = single_tool("fails", async |_| Err(ToolError::new("always")));
    let cached = ToolSettings { cache: Some(CacheSettings::default()), ..ToolSettings::default() };
    add(&mut registry, "works", async |arguments| Ok(arguments)).with_settings(cached);
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    let calls =
        [("works", "{}"), ("works", "{}"), ("fails", "{}"), ("works", "[]"), ("made_up", "")];
    let model = calls_then_repeats(&[&calls]);
    run_again(&tool_loop, model.clone()).await;
    run_again(&tool_loop, model).await;
    assert_snapshot!(samples(&tool_loop), @r#"
    mynah_tool_calls_total{outcome="cached",tool="works"} 1
    mynah_tool_calls_total{outcome="duplicate",tool="works"} 2
    mynah_tool_calls_total{outcome="error",tool="fails"} 2
    mynah_tool_calls_total{outcome="invalid",tool="works"} 2
    mynah_tool_calls_total{outcome="succeeded",tool="works"} 1
    mynah_tool_calls_total{outcome="unknown",tool=""} 2
    mynah_tool_open_breakers{tool="fails"} 0
    mynah_tool_open_breakers{tool="works"} 0
    mynah_tool_seconds_count{tool="fails"} 2
    mynah_tool_seconds_count{tool="works"} 1
    mynah_tool_seconds_sum{tool="fails"} 0
    mynah_tool_seconds_sum{tool="works"} 0
    "#);
}
