//! Tests of tool metrics.

use insta::assert_snapshot;
use mynah::tool_loop::{CacheSettings, LoopSettings, ToolError, ToolLoop, ToolSettings};
use prometheus::{Registry, TextEncoder};

use super::{
    doubles::{add, calls_then_repeats, identity},
    run_again,
};

#[tokio::test(start_paused = true)]
async fn counts_calls_by_tool_and_outcome() {
    let mut registry = identity("works");
    add(&mut registry, "fails", async |_| Err(ToolError::new("always")));
    let cached = ToolSettings { cache: Some(CacheSettings::default()), ..ToolSettings::default() };
    let by_tool = [("works".to_owned(), cached)].into();
    let settings = LoopSettings { by_tool, ..LoopSettings::default() };
    let tool_loop = ToolLoop::new(registry, settings).unwrap();
    let calls =
        [("works", "{}"), ("works", "{}"), ("fails", "{}"), ("works", "[]"), ("made_up", "")];
    let model = calls_then_repeats(&[&calls]);
    run_again(&tool_loop, model.clone()).await;
    run_again(&tool_loop, model).await;
    let metrics = Registry::new();
    tool_loop.metrics().register(&metrics).unwrap();
    let text = TextEncoder::new().encode_to_string(&metrics.gather()).unwrap();
    let mut lines: Vec<_> =
        text.lines().filter(|line| !line.contains("_bucket") && !line.starts_with("# ")).collect();
    lines.sort_unstable();
    assert_snapshot!(lines.join("\n"), @r#"
    mynah_tool_breaker{tool="fails"} 0
    mynah_tool_breaker{tool="works"} 0
    mynah_tool_calls_total{outcome="cached",tool="works"} 1
    mynah_tool_calls_total{outcome="duplicate",tool="works"} 2
    mynah_tool_calls_total{outcome="error",tool="fails"} 2
    mynah_tool_calls_total{outcome="invalid",tool="works"} 2
    mynah_tool_calls_total{outcome="succeeded",tool="works"} 1
    mynah_tool_calls_total{outcome="unknown",tool=""} 2
    mynah_tool_seconds_count{tool="fails"} 2
    mynah_tool_seconds_count{tool="works"} 1
    mynah_tool_seconds_sum{tool="fails"} 0
    mynah_tool_seconds_sum{tool="works"} 0
    "#);
}
