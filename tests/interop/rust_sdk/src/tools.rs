//! Tests of tool calls and their results.

use std::collections::HashSet;

use dapr::client::{ConversationToolCalls, conversation_tool_calls::ToolTypes};
use serde_json::{Value as Json, json};

use crate::{
    connect,
    messages::{assistant, only_choice, prompt, result, text, tool, user},
};

const QUESTION: &str = "What are the weather and the time in Paris?";

#[tokio::test]
async fn tool_loop_ends_with_the_results() {
    let mut client = connect().await;
    let word = json!({ "type": "string" });
    let tools = vec![
        tool("get_weather", &json!({ "type": "object", "properties": { "location": word } })),
        tool("get_time", &json!({ "type": "object", "properties": { "timezone": word } })),
    ];
    let mut messages = vec![user(QUESTION)];
    let first = prompt(messages.clone()).with_tools(tools.clone()).build();
    let answer = client.converse_alpha2(first).await.unwrap();
    let choice = only_choice(&answer);
    assert_eq!((text(choice), &*choice.finish_reason), ("", "tool_calls"));
    let calls = &choice.message.as_ref().unwrap().tool_calls;
    let called: Vec<_> = calls.iter().map(function).collect();
    assert_eq!(
        called,
        [
            ("get_weather", json!({ "location": "Paris" })),
            ("get_time", json!({ "timezone": "UTC" }))
        ],
    );
    assert_eq!(calls.iter().map(id).collect::<HashSet<_>>().len(), 2);

    messages.push(assistant(calls.clone()));
    let results = calls.iter().zip(["Sunny", "12:00"]);
    messages.extend(results.map(|(call, text)| result(id(call), function(call).0, text)));
    let last = prompt(messages).with_tools(tools).build();
    let answer = client.converse_alpha2(last).await.unwrap();
    let choice = only_choice(&answer);
    assert_eq!((text(choice), &*choice.finish_reason), ("Sunny\n12:00", "stop"));
}

fn id(call: &ConversationToolCalls) -> &str {
    call.id.as_deref().unwrap()
}

/// Returns the name and the arguments of a call.
fn function(call: &ConversationToolCalls) -> (&str, Json) {
    let Some(ToolTypes::Function(function)) = &call.tool_types else { panic!("{call:?}") };
    (&function.name, serde_json::from_str(&function.arguments).unwrap())
}
