//! The examples of the echo provider's description, by number, in the order in which they stand
//! there. Where mynah differs on purpose, the test says so.

use std::collections::BTreeSet;

use mynah::wire::proto::ConversationTools;
use serde_json::json;

use crate::support::{
    Sidecar,
    messages::{Answer, ask, assistant, request, tool, user},
    stream,
};

async fn answer(text: &str, tools: impl Into<Vec<ConversationTools>>) -> Answer {
    Sidecar::start().converse(ask(text, tools)).await.expect("an answer")
}

fn plain(name: &str) -> ConversationTools {
    tool(name, json!({"type": "object", "properties": {"location": {"type": "string"}}}))
}

/// Arguments for a tool of these properties, in JSON.
async fn arguments(name: &str, properties: serde_json::Value) -> serde_json::Value {
    let schema = json!({"type": "object", "properties": properties});
    let answer = answer(&format!("call {name}"), [tool(name, schema)]).await;
    answer.calls[0].arguments.clone()
}

#[tokio::test]
async fn example_1_a_single_input_is_echoed_exactly() {
    assert_eq!(answer("Hello, world!", []).await.content, "Hello, world!");
}

#[tokio::test]
async fn example_2_of_several_inputs_the_last_user_message_is_echoed() {
    let history = [user("First message"), assistant("Assistant response"), user("Final message")];
    let answer = Sidecar::start().converse(request(history)).await.unwrap();
    assert_eq!(answer.content, "Final message");
}

#[tokio::test]
async fn example_3_a_tool_is_called_by_its_name() {
    assert_eq!(answer("call send_email", [plain("send_email")]).await.called(), ["send_email"]);
}

#[tokio::test]
async fn example_4_a_tool_is_called_by_keywords() {
    assert_eq!(answer("send an email", [plain("send_email")]).await.called(), ["send_email"]);
}

#[tokio::test]
async fn example_5_case_does_not_matter() {
    for text in ["Send Email", "send_email", "sendEmail"] {
        assert_eq!(answer(text, [plain("send_email")]).await.called(), ["send_email"], "{text}");
    }
}

#[tokio::test]
async fn example_6_arguments_follow_the_schema() {
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
async fn example_7_several_tools_are_called_at_once() {
    let tools = ["get_weather", "get_time", "calculate"];
    let text = "Get weather and time for San Francisco and calculate 10+5";
    assert_eq!(answer(text, tools.map(plain)).await.called(), tools);
}

#[tokio::test]
async fn example_8_ids_of_one_reply_are_consecutive() {
    let tools = ["get_weather", "get_time", "calculate"].map(plain);
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
async fn example_9_there_is_one_output_with_usage_and_the_context_comes_back() {
    let mut asked = ask("Hello Echo!", []);
    asked.context_id = Some("my-context".to_owned());
    let answer = Sidecar::start().converse(asked).await.unwrap();
    assert_eq!(answer.whole.outputs.len(), 1);
    assert!(answer.whole.outputs[0].usage.is_some());
    assert_eq!(answer.whole.context_id.as_deref(), Some("my-context"));
}

#[tokio::test]
async fn example_10_finish_reasons_are_those_of_openai() {
    assert_eq!(answer("hello", [plain("get_weather")]).await.finish_reason, "stop");
    let calls = answer("weather?", [plain("get_weather")]).await;
    assert_eq!((calls.finish_reason.as_str(), calls.content.as_str()), ("tool_calls", ""));
}

#[tokio::test]
async fn example_11_four_characters_are_a_token_and_one_is_the_least() {
    for (text, tokens) in [("Hello, world!", 3), ("Hi", 1), ("Hello Echo!!", 3)] {
        let answer = answer(text, []).await;
        let usage = answer.whole.outputs[0].usage.expect("usage");
        let counted = (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens);
        assert_eq!(counted, (tokens, tokens, 2 * tokens), "{text}");
    }
}

#[tokio::test]
async fn example_12_any_tool_can_be_called() {
    let tools = ["custom_function", "another_tool", "third_tool"];
    let text = "use custom_function, another_tool and third_tool";
    assert_eq!(answer(text, tools.map(plain)).await.called(), tools);
}

#[tokio::test]
async fn example_13_every_naming_convention_matches() {
    for written in ["sendEmail", "send_email", "send-email", "send email"] {
        let text = format!("please {written} to the team");
        assert_eq!(answer(&text, [plain("sendEmail")]).await.called(), ["sendEmail"], "{written}");
    }
}

/// The description's own sample has `priority: 42`, over its maximum of 5. A real tool would
/// refuse that, so mynah stays within the bounds; `arguments: literal` gives the sample.
#[tokio::test]
async fn example_14_a_whole_schema() {
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
    let asked = ask("send_email", [tool("send_email", schema)]);
    let answer = Sidecar::with_components(literal).converse(asked).await.unwrap();
    assert_eq!(answer.calls[0].arguments, expected(42));
}

/// The description's own sample drops the comma; its test asks that the chunks make the message.
#[tokio::test]
async fn example_15_text_streams_in_words() {
    let sidecar = Sidecar::start();
    let streamed = stream(&sidecar, ask("Hello, world!", [])).await.unwrap();
    assert_eq!(streamed.chunks, ["Hello,", " world!"]);
    assert_eq!(streamed.answer.content, "Hello, world!");
}

#[tokio::test]
async fn example_16_the_assertions_that_it_recommends() {
    let history = [user("First"), user("Final user message")];
    let answer = Sidecar::start().converse(request(history)).await.unwrap();
    assert_eq!(answer.content, "Final user message");
    assert_eq!(answer.finish_reason, "stop");
    assert_ne!(answer.content, "First Final user message");
}

#[tokio::test]
async fn example_17_the_tool_assertions_that_it_recommends() {
    let tools = ["get_weather", "get_time", "calculate"].map(plain);
    let answer = answer("weather, time, calculate", tools).await;
    let ids: BTreeSet<_> = answer.calls.iter().map(|call| &call.id).collect();
    assert_eq!(ids.len(), 3);
    assert!(ids.iter().all(|id| id.starts_with("call_echo_")));
    assert_eq!(answer.calls[0].name, "get_weather");
}

#[tokio::test]
async fn example_18_the_streaming_assertions_that_it_recommends() {
    let sidecar = Sidecar::start();
    let streamed = stream(&sidecar, ask("Expected message", [])).await.unwrap();
    assert!(streamed.chunks.len() > 1);
    assert_eq!(streamed.chunks.concat(), "Expected message");
}

#[tokio::test]
async fn example_19_usage_of_plain_echo() {
    assert_eq!(answer("Hello Echo!", []).await.content, "Hello Echo!");
}

#[tokio::test]
async fn example_20_usage_of_tools() {
    let answer = answer("What's the weather in San Francisco?", [plain("get_weather")]).await;
    assert_eq!(answer.called(), ["get_weather"]);
    assert_eq!(answer.calls[0].arguments, json!({"location": "San Francisco"}));
    assert_eq!(answer.finish_reason, "tool_calls");
}

#[tokio::test]
async fn example_21_the_component_needs_no_configuration() {
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
    let mut asked = ask("hi", []);
    asked.name = "echo-conversation".to_owned();
    assert_eq!(Sidecar::with_components(yaml).converse(asked).await.unwrap().content, "hi");
}
