//! Runs a tool that panics, for `bench/panics`. The call must fail, but the program must continue.

use std::sync::Arc;

use mynah::{
    provider::echo::{Echo, EchoSettings},
    tool_loop::{LoopSettings, ToolError, ToolLoop, ToolRegistry},
};
use serde_json::{Map, Value};

#[expect(clippy::panic, reason = "the check needs a tool that panics")]
async fn panic(_: Map<String, Value>) -> Result<String, ToolError> {
    panic!("out of cheese")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let mut registry = ToolRegistry::new();
    registry.register("panic", "Panics", panic)?;
    let tool_loop = ToolLoop::new(registry, LoopSettings::default())?;
    let echo = Arc::new(Echo::new("echo", EchoSettings::default()));
    let result = tool_loop.run(echo, "Please panic!").await;
    println!("{}: {}", result.end.as_str(), result.text());
    Ok(())
}
