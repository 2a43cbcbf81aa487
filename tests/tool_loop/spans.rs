//! Tests of the events and spans that a run logs.

use std::{cell::RefCell, io, sync::Once};

use insta::assert_snapshot;
use mynah::tool_loop::{LoopSettings, ToolLoop};

use super::{
    doubles::{calls_then_repeats, single_tool},
    run_again,
};

thread_local! {
    /// The log of the test on this thread, if the test records it.
    static LOG: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A log writer that adds to [`LOG`].
#[derive(Clone, Copy)]
struct ThreadLog;

impl io::Write for ThreadLog {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        LOG.with_borrow_mut(|log| {
            if let Some(log) = log {
                *log += std::str::from_utf8(text).unwrap();
            }
        });
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Records the log of this thread.
///
/// There is one subscriber for the process. With a subscriber for this thread only, a thread without
/// one could reach an event first, and tracing would disable the event on all threads.
fn record_log() {
    static SUBSCRIBER: Once = Once::new();
    SUBSCRIBER.call_once(|| {
        tracing_subscriber::fmt()
            .with_writer(|| ThreadLog)
            .with_max_level(tracing::Level::DEBUG)
            .with_ansi(false)
            .without_time()
            .init();
        // Other threads may have reached events before the subscriber was in place.
        tracing::callsite::rebuild_interest_cache();
    });
    LOG.set(Some(String::new()));
}

/// Events that a tool logs are inside the span of the call.
#[tokio::test(start_paused = true)]
async fn logs_each_call_in_a_span() {
    record_log();
    let registry = single_tool("greet", async |_| {
        tracing::info!("hello");
        Ok("done".into())
    });
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    run_again(&tool_loop, calls_then_repeats(&[&[("greet", "{}")]])).await;
    assert_snapshot!(LOG.take().unwrap(), @r#"
     INFO tool_call{tool="greet" id="tool-call-1-1"}: integration::tool_loop::spans: hello
    DEBUG tool_call{tool="greet" id="tool-call-1-1"}: mynah_agent::tool_loop::batch: tool call finished outcome="succeeded" duration=0ns
    DEBUG mynah_agent::tool_loop::turns: tool loop ended end="answered" turns=2
    "#);
}
