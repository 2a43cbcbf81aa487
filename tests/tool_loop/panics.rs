//! Tests that a panic of a model or of a hook ends a run with a result.

use std::sync::Arc;

use futures_util::StreamExt;
use mynah::{
    chat::Request,
    provider::{Answering, CallContext, Provider, ProviderError},
    tool_loop::{LoopEnd, LoopEvent, LoopSettings, ToolLoop},
};

use super::{
    doubles::{call_response, calls_then_repeats, identity, model, turn},
    outcomes, result_texts, run, run_again,
};

fn panicked() -> LoopEnd {
    LoopEnd::ModelError(ProviderError::internal("the provider panicked: out of cheese"))
}

#[tokio::test]
async fn keeps_what_happened_before_a_provider_panics() {
    let model = model(|request| match turn(request) {
        0 => Ok(call_response(&[("f", r#"{"n":1}"#)])),
        _ => panic!("out of cheese"),
    });
    let tool_loop = ToolLoop::new(identity("f"), LoopSettings::default()).unwrap();
    let result = run_again(&tool_loop, model.clone()).await;
    assert_eq!((result_texts(&result), &result.end), (vec![r#"{"n":1}"#], &panicked()));
    assert_eq!((result.turns, result.transcript.len()), (1, 3));

    let events: Vec<_> = tool_loop.run(model, "Go!").stream().collect().await;
    let Some(LoopEvent::Ended(streamed)) = events.last() else { panic!("no end: {events:?}") };
    assert_eq!((streamed.end.clone(), streamed.turns), (panicked(), 1));
}

/// A model whose stream panics when it is polled.
struct PanickingStream;

impl Provider for PanickingStream {
    fn answer(self: Arc<Self>, _: Arc<Request>, _: CallContext) -> Answering {
        Answering::Pieces(futures_util::stream::poll_fn(|_| panic!("out of cheese")).boxed())
    }
}

#[tokio::test]
async fn survives_a_panic_in_a_stream() {
    let result = run(identity("f"), LoopSettings::default(), Arc::new(PanickingStream)).await;
    assert_eq!(result.end, panicked());
}

#[tokio::test]
async fn a_hook_that_panics_refuses_the_call() {
    let mut registry = identity("f");
    registry.before_call(async |_| panic!("out of cheese"));
    let result =
        run(registry, LoopSettings::default(), calls_then_repeats(&[&[("f", "{}")]])).await;
    assert_eq!(outcomes(&result), ["denied"]);
    assert_eq!(result_texts(&result), ["Error executing f: a hook panicked: out of cheese"]);
    assert_eq!(result.end, LoopEnd::Answered);
}
