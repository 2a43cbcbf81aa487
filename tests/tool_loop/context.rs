//! Tests of what a tool knows about its call.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mynah::tool_loop::{
    CancellationToken, LoopSettings, ToolContext, ToolLoop, ToolRegistry, ToolSettings,
};
use serde_json::{Value, json};

use super::{
    ask,
    doubles::{calls_then_repeats, settle},
    outcomes, result_texts,
};

/// A value that the caller of a run supplies.
#[derive(Clone)]
struct User(&'static str);

fn register<F, W>(registry: &mut ToolRegistry, name: &str, tool: F)
where
    F: Fn(Value, ToolContext) -> W + Send + Sync + 'static,
    W: Future<Output = Result<Value, mynah::tool_loop::ToolError>> + Send + 'static,
{
    registry.register_with_schema(name, "A tool", json!({"type": "object"}), tool).unwrap();
}

#[tokio::test]
async fn tools_get_the_id_the_turn_and_the_extensions() {
    let mut registry = ToolRegistry::new();
    register(&mut registry, "who", async |arguments, context| {
        let ToolContext { call_id, turn, .. } = &context;
        Ok(json!([call_id, turn, context.extension::<User>()?.0, arguments["n"]]))
    });
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    let calls: [&[_]; 2] = [&[("who", r#"{"n":1}"#), ("who", r#"{"n":2}"#)], &[("who", "{}")]];
    let run = || tool_loop.run(calls_then_repeats(&calls), ask("Go!"));
    let (ann, bob) =
        (run().extension(User("Zoe")).extension(User("Ann")), run().extension(User("Bob")));
    let expected = |name: &str| {
        [
            format!(r#"["tool-call-1-1",1,"{name}",1]"#),
            format!(r#"["tool-call-1-2",1,"{name}",2]"#),
            format!(r#"["tool-call-2-1",2,"{name}",null]"#),
        ]
    };
    assert_eq!(result_texts(&ann.await), expected("Ann"));
    assert_eq!(result_texts(&bob.await), expected("Bob"));
    let error = "Error executing who: the run has no integration::tool_loop::context::User";
    assert_eq!(result_texts(&run().await), [error; 3]);
}

/// Work outside of the tool's future must learn that nobody waits for it.
#[tokio::test(start_paused = true)]
async fn the_token_is_cancelled_if_the_attempt_is_abandoned() {
    let tokens = Arc::new(Mutex::new(Vec::new()));
    let mut registry = ToolRegistry::new();
    let seen = tokens.clone();
    register(&mut registry, "hangs", move |_, context| {
        seen.lock().unwrap().push(context.cancel);
        std::future::pending()
    });
    let seen = tokens.clone();
    register(&mut registry, "ends", move |_, context| {
        seen.lock().unwrap().push(context.cancel);
        async { Ok("done".into()) }
    });
    let hangs = registry.get_mut("hangs").unwrap();
    hangs.with_settings(ToolSettings {
        retries: 1,
        timeout: Duration::from_secs(1),
        ..ToolSettings::default()
    });
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    let model = calls_then_repeats(&[&[("ends", "{}"), ("hangs", "{}")]]);
    let result = tool_loop.run(model.clone(), ask("Go!")).await;
    assert_eq!(outcomes(&result), ["succeeded", "timed_out"]);
    let cancelled = || -> Vec<_> {
        tokens.lock().unwrap().drain(..).map(|token| token.is_cancelled()).collect()
    };
    assert_eq!(cancelled(), [false, true, true], "the second attempt has a token of its own");
    let stop = CancellationToken::new();
    let run = tool_loop.run(model, ask("Go!")).cancel_with(stop.clone()).into_future();
    let run = tokio::spawn(run);
    settle().await;
    assert!(!tokens.lock().unwrap()[1].is_cancelled());
    stop.cancel();
    assert_eq!(outcomes(&run.await.unwrap()), ["succeeded", "interrupted"]);
    assert_eq!(cancelled(), [false, true]);
}
