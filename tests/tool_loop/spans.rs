//! Tests of the events and spans that a run logs.

use std::{
    io,
    sync::{Arc, Mutex},
};

use insta::assert_snapshot;
use mynah::tool_loop::{LoopSettings, ToolLoop};
use tracing_subscriber::fmt::MakeWriter;

use super::{
    doubles::{calls_then_repeats, single_tool},
    run_again,
};

/// A log writer that writes to memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(text)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Events that a tool logs are inside the span of the call.
#[tokio::test(start_paused = true)]
async fn logs_each_call_in_a_span() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(log.clone())
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .without_time()
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let registry = single_tool("greet", async |_| {
        tracing::info!("hello");
        Ok("done".into())
    });
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    run_again(&tool_loop, calls_then_repeats(&[&[("greet", "{}")]])).await;
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert_snapshot!(text, @r#"
     INFO tool_call{tool="greet" id="tool-call-1-1"}: integration::tool_loop::spans: hello
    DEBUG tool_call{tool="greet" id="tool-call-1-1"}: mynah::tool_loop::batch: tool call finished outcome="succeeded" duration=0ns
    DEBUG mynah::tool_loop::run: tool loop ended end="answered" turns=2
    "#);
}
