//! Tests of what needs a paused clock.

use std::time::Duration;

use mynah_core::provider::StreamOptions;
use mynah_script::{Scripted, ScriptedSettings, tags};
use serde_json::{Value, json};

use super::*;
use crate::tool_loop::{LoopSettings, ToolRegistry};

/// The time between two words of the model.
const WORD: Duration = Duration::from_secs(1);

/// Returns a provider whose calls end after `limit`. It owns a tool that takes the time of five words.
fn owner(limit: Duration) -> Arc<ToolOwner> {
    let mut registry = ToolRegistry::new();
    let schema = json!({"type": "object"});
    let sleep = async |_: Value| {
        mynah_core::base::clock::pause(WORD * 5).await;
        Ok("")
    };
    registry.register_with_schema("sleep", "", schema, sleep).unwrap();
    let settings = LoopSettings { wall_clock: limit, ..LoopSettings::default() };
    let tools = ToolLoop::new(registry, settings).unwrap();
    let stream = StreamOptions { chunk_delay: WORD, ..StreamOptions::default() };
    let settings = ScriptedSettings { stream, ..ScriptedSettings::default() };
    let memory = ToolMemory::new(1, OwnerMetrics::new().unwrap().dropped("echo"));
    Arc::new(ToolOwner::new(Arc::new(Scripted::new("echo", settings, None)), tools, memory))
}

/// Returns the streamed reasoning and text, and the response at the end.
async fn streamed(steps: Value, limit: Duration) -> (String, String, Response) {
    let chain = json!({"instruction_chain": steps});
    let request = Request::from(format!("{}{chain}{}", tags::START, tags::END));
    let mut deltas = owner(limit).stream(Arc::new(request), CallContext::default());
    let (mut reasoning, mut text) = (String::new(), String::new());
    loop {
        match deltas.next().await.unwrap().unwrap() {
            Delta::Reasoning(piece) => reasoning += &piece,
            Delta::Text(piece) => text += &piece,
            Delta::Complete(response) => return (reasoning, text, *response),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn streamed_text_is_the_content_of_the_response_however_the_run_ends() {
    let steps = json!([
        {"messages": [{"text": "one two"}, {"tool_call": [{"name": "sleep"}]}]},
        {"messages": [{"text": "three four five"}]},
    ]);
    for words in 0..12 {
        let (_, text, response) = streamed(steps.clone(), WORD * words + WORD / 2).await;
        assert_eq!(text, response.content, "after {words} words");
        let expected = match words {
            0 => "one",
            1..6 => "one two",
            6 => "one two\n\nthree",
            7 => "one two\n\nthree four",
            _ => "one two\n\nthree four five",
        };
        assert_eq!(text, expected, "after {words} words");
    }
}

#[tokio::test(start_paused = true)]
async fn streamed_reasoning_is_that_of_the_response_however_the_run_ends() {
    let steps = json!([
        {"reasoning": {"length": 2}, "messages": [{"tool_call": [{"name": "sleep"}]}]},
        {"reasoning": {"length": 1}, "messages": [{"text": "done"}]},
    ]);
    for words in 0..12 {
        let (reasoning, text, response) = streamed(steps.clone(), WORD * words + WORD / 2).await;
        assert_eq!((&reasoning, &text), (&response.reasoning, &response.content));
        let expected = match words {
            0 => ("lorem", ""),
            1..6 => ("lorem ipsum", ""),
            6 => ("lorem ipsum\n\nlorem", ""),
            _ => ("lorem ipsum\n\nlorem", "done"),
        };
        assert_eq!((reasoning.as_str(), text.as_str()), expected, "after {words} words");
    }
}
