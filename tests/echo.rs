//! Tests of echo's answers: text, tool calls and their arguments, usage and streams.

mod described_tools;
mod earlier_requests;
pub mod sentences;
mod stated_values;

use std::collections::BTreeSet;

use mynah::internals::wire::proto::ConversationTools;
use serde_json::json;

use crate::support::{
    Sidecar,
    messages::{Answer, assistant, prompt, request, system, tool, user},
    stream,
};

/// Sends one user message to a new sidecar.
async fn answer(text: &str, tools: impl Into<Vec<ConversationTools>>) -> Answer {
    Sidecar::start().converse(prompt(text, tools)).await.expect("an answer")
}

/// Returns a tool with one text parameter.
fn location_tool(name: &str) -> ConversationTools {
    tool(name, json!({"type": "object", "properties": {"location": {"type": "string"}}}))
}

/// Returns the arguments with which echo calls a tool that has these properties.
async fn arguments(name: &str, properties: serde_json::Value) -> serde_json::Value {
    let schema = json!({"type": "object", "properties": properties});
    let answer = answer(&format!("call {name}"), [tool(name, schema)]).await;
    answer.calls[0].arguments.clone()
}

#[tokio::test]
async fn echoes_a_single_message_unchanged() {
    for text in ["Hello, world!", "Hello Echo!"] {
        assert_eq!(answer(text, []).await.content, text);
    }
}

#[tokio::test]
async fn echoes_the_last_user_message_of_a_conversation() {
    let history = [user("First message"), assistant("Assistant response"), user("Final message")];
    let answer = Sidecar::start().converse(request(history)).await.unwrap();
    assert_eq!(answer.content, "Final message");
}

#[tokio::test]
async fn calls_a_tool_mentioned_by_name() {
    assert_eq!(
        answer("call send_email", [location_tool("send_email")]).await.called_tools(),
        ["send_email"]
    );
}

#[tokio::test]
async fn calls_a_tool_mentioned_by_keywords() {
    assert_eq!(
        answer("send an email", [location_tool("send_email")]).await.called_tools(),
        ["send_email"]
    );
}

#[tokio::test]
async fn ignores_case_in_mentions() {
    for text in ["Send Email", "send_email", "sendEmail"] {
        assert_eq!(
            answer(text, [location_tool("send_email")]).await.called_tools(),
            ["send_email"],
            "{text}"
        );
    }
}

#[tokio::test]
async fn generates_arguments_from_the_schema() {
    let properties = json!({
        "location": {"type": "string"},
        "temperature": {"type": "number"},
        "count": {"type": "integer"},
        "enabled": {"type": "boolean"},
        "address": {"type": "object", "properties": {
            "street": {"type": "string"}, "city": {"type": "string"},
        }},
    });
    let expected = json!({
        "location": "San Francisco",
        "temperature": 42,
        "count": 42,
        "enabled": true,
        "address": {"street": "123 Main St", "city": "San Francisco"},
    });
    assert_eq!(arguments("custom_function", properties).await, expected);
}

#[tokio::test]
async fn calls_all_mentioned_tools_in_one_answer() {
    let tools = ["get_weather", "get_time", "calculate"];
    let text = "Get weather and time for San Francisco and calculate 10+5";
    assert_eq!(answer(text, tools.map(location_tool)).await.called_tools(), tools);
}

#[tokio::test]
async fn numbers_the_call_ids_of_one_answer_consecutively() {
    let tools = ["get_weather", "get_time", "calculate"].map(location_tool);
    let answer = answer("weather, time, calculate", tools).await;
    let number = |id: &str| -> u64 {
        let digits = id.strip_prefix("call_echo_").expect("echo's prefix");
        assert_eq!(digits.len(), 19, "nanoseconds have 19 digits");
        digits.parse().expect("a number")
    };
    let numbers: Vec<_> = answer.calls.iter().map(|call| number(&call.id)).collect();
    assert_eq!(numbers, [numbers[0], numbers[0] + 1, numbers[0] + 2]);
}

#[tokio::test]
async fn returns_one_output_with_usage_and_the_context_id() {
    let mut request = prompt("Hello Echo!", []);
    request.context_id = Some("my-context".to_owned());
    let answer = Sidecar::start().converse(request).await.unwrap();
    assert_eq!(answer.response.outputs.len(), 1);
    assert!(answer.response.outputs[0].usage.is_some());
    assert_eq!(answer.response.context_id.as_deref(), Some("my-context"));
}

#[tokio::test]
async fn uses_the_finish_reasons_of_openai() {
    assert_eq!(answer("hello", [location_tool("get_weather")]).await.finish_reason, "stop");
    let calls = answer("weather?", [location_tool("get_weather")]).await;
    assert_eq!((calls.finish_reason.as_str(), calls.content.as_str()), ("tool_calls", ""));
}

#[tokio::test]
async fn counts_four_characters_as_a_token_and_at_least_one_token() {
    for (text, tokens) in [("Hello, world!", 3), ("Hi", 1), ("Hello Echo!!", 3)] {
        let answer = answer(text, []).await;
        let usage = answer.response.outputs[0].usage.expect("usage");
        let counts = (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens);
        assert_eq!(counts, (tokens, tokens, 2 * tokens), "{text}");
    }
}

#[tokio::test]
async fn calls_tools_whatever_their_names() {
    let tools = ["custom_function", "another_tool", "third_tool"];
    let text = "use custom_function, another_tool and third_tool";
    assert_eq!(answer(text, tools.map(location_tool)).await.called_tools(), tools);
}

#[tokio::test]
async fn matches_every_naming_convention() {
    for spelling in ["sendEmail", "send_email", "send-email", "send email"] {
        let text = format!("please {spelling} to the team");
        assert_eq!(
            answer(&text, [location_tool("sendEmail")]).await.called_tools(),
            ["sendEmail"],
            "{spelling}"
        );
    }
}

/// By default, a number stays within its bounds, because a real tool would reject any other number.
/// With `arguments: literal`, echo ignores the bounds and always sends 42.
#[tokio::test]
async fn keeps_arguments_within_bounds_unless_they_are_literal() {
    let properties = json!({
        "email": {"type": "string", "format": "email"},
        "subject": {"type": "string"},
        "priority": {"type": "integer", "minimum": 1, "maximum": 5},
        "send_immediately": {"type": "boolean"},
    });
    let expected = |priority: u8| {
        json!({
            "email": "test@example.com",
            "subject": "Test email subject",
            "priority": priority,
            "send_immediately": true,
        })
    };
    assert_eq!(arguments("send_email", properties.clone()).await, expected(5));

    let literal = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: echo}
spec: {type: conversation.echo, metadata: [{name: arguments, value: literal}]}
";
    let schema = json!({"type": "object", "properties": properties});
    let request = prompt("send_email", [tool("send_email", schema)]);
    let answer = Sidecar::with_components(literal).converse(request).await.unwrap();
    assert_eq!(answer.calls[0].arguments, expected(42));
}

/// A list of what is required says what must be there. The component can say otherwise.
#[tokio::test]
async fn leaves_out_what_nobody_stated_unless_the_component_fills_it() {
    let schema = json!({"type": "object", "required": ["subject"], "properties": {
        "subject": {"type": "string"}, "priority": {"type": "integer"}}});
    for (value, expected) in [
        ("''", json!({"subject": "Test email subject"})),
        ("omit", json!({"subject": "Test email subject"})),
        ("fill", json!({"priority": 42, "subject": "Test email subject"})),
    ] {
        let component = format!(
            "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: echo}}\n\
             spec: {{type: conversation.echo, metadata: [{{name: optional, value: {value}}}]}}\n"
        );
        let request = prompt("send_email", [tool("send_email", schema.clone())]);
        let answer = Sidecar::with_components(&component).converse(request).await.unwrap();
        assert_eq!(answer.calls[0].arguments, expected, "{value}");
    }
}

#[tokio::test]
async fn streams_text_word_by_word() {
    let sidecar = Sidecar::start();
    let streamed = stream(&sidecar, prompt("Hello, world!", [])).await.unwrap();
    assert_eq!(streamed.chunks, ["Hello,", " world!"]);
    assert_eq!(streamed.answer.content, "Hello, world!");
}

#[tokio::test]
async fn echoes_only_the_last_of_consecutive_user_messages() {
    let history = [user("First"), user("Final user message")];
    let answer = Sidecar::start().converse(request(history)).await.unwrap();
    assert_eq!(answer.content, "Final user message");
    assert_eq!(answer.finish_reason, "stop");
}

#[tokio::test]
async fn gives_every_call_its_own_id() {
    let tools = ["get_weather", "get_time", "calculate"].map(location_tool);
    let answer = answer("weather, time, calculate", tools).await;
    let ids: BTreeSet<_> = answer.calls.iter().map(|call| &call.id).collect();
    assert_eq!(ids.len(), 3);
    assert!(ids.iter().all(|id| id.starts_with("call_echo_")));
    assert_eq!(answer.calls[0].name, "get_weather");
}

#[tokio::test]
async fn streams_several_chunks_that_add_up_to_the_message() {
    let sidecar = Sidecar::start();
    let streamed = stream(&sidecar, prompt("Expected message", [])).await.unwrap();
    assert!(streamed.chunks.len() > 1);
    assert_eq!(streamed.chunks.concat(), "Expected message");
}

#[tokio::test]
async fn takes_arguments_from_the_message() {
    let answer =
        answer("What's the weather in San Francisco?", [location_tool("get_weather")]).await;
    assert_eq!(answer.called_tools(), ["get_weather"]);
    assert_eq!(answer.calls[0].arguments, json!({"location": "San Francisco"}));
    assert_eq!(answer.finish_reason, "tool_calls");
}

#[tokio::test]
async fn needs_no_component_metadata() {
    let yaml = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata:
  name: echo-conversation
spec:
  type: conversation.echo
  version: v1
  metadata: []  # No configuration required
";
    let mut request = prompt("hi", []);
    request.name = "echo-conversation".to_owned();
    assert_eq!(Sidecar::with_components(yaml).converse(request).await.unwrap().content, "hi");
}

#[tokio::test]
async fn an_empty_prompt_counts_one_token_if_it_is_the_only_message() {
    let sidecar = Sidecar::start();
    for (history, prompt_tokens) in
        [(vec![user("")], 1), (vec![user(""), user("")], 0), (vec![system("")], 0)]
    {
        let answer = sidecar.converse(request(history)).await.unwrap();
        assert_eq!(answer.response.outputs[0].usage.unwrap().prompt_tokens, prompt_tokens);
    }
}
