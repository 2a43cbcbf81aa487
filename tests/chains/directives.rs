//! Tests of items that repeat parts of the request: the system prompt, tools and tool results.

use mynah::internals::wire::proto::{ConversationTools, conversation_tools::ToolTypes};
use serde_json::{Value, json};

use super::{answer, chain, content, filler, scripted, text};
use crate::support::messages::{assistant, request, system, tool, tool_result};

/// Returns a tool with a description.
fn described(name: &str, description: &str, parameters: Value) -> ConversationTools {
    let mut tool = tool(name, parameters);
    let Some(ToolTypes::Function(function)) = &mut tool.tool_types else { unreachable!() };
    function.description = Some(description.to_owned());
    tool
}

fn weather_and_time() -> [ConversationTools; 2] {
    let place = json!({"type": "object", "properties": {"location": {"type": "string"}}});
    [
        described("get_weather", "Get the weather", place),
        described("get_time", "", json!({"type": "object"})),
    ]
}

/// Returns the answer of one item, for a request with a system prompt and the tools of
/// [`weather_and_time`].
async fn directive(item: Value) -> String {
    let mut request = request([system("Be brief."), chain(json!([{"messages": [item]}]))]);
    request.tools = weather_and_time().into();
    scripted("").converse(request).await.unwrap().content
}

#[tokio::test]
async fn reports_the_system_prompt() {
    assert_eq!(directive(json!({"system_prompt_echo": {}})).await, "Be brief.");
    let none = answer(json!({"messages": [{"system_prompt_echo": {}}]})).await;
    assert_eq!(none.content, "No system prompt configured");
}

#[tokio::test]
async fn lists_the_names_of_the_tools() {
    assert_eq!(directive(json!({"tools_list": {}})).await, "get_weather, get_time");
    let none = answer(json!({"messages": [{"tools_list": {}}, {"tools_echo": {}}]})).await;
    assert_eq!(none.content, "No tools available\n\nNo tools available");
}

#[tokio::test]
async fn lists_the_descriptions_of_the_tools() {
    let list = directive(json!({"tools_echo": {}})).await;
    assert_eq!(list, "get_weather: Get the weather\nget_time: ");
}

#[tokio::test]
async fn lists_tool_results_one_per_line() {
    let steps = chain(json!([text("-"), {"messages": [{"tool_results": {}}]}]));
    let history =
        [steps, assistant("-"), tool_result("1", "f", "one"), tool_result("2", "g", "two")];
    assert_eq!(content(&scripted(""), history).await, "one\ntwo");
}

#[tokio::test]
async fn describes_a_tool_with_its_schema() {
    let page = directive(json!({"tool_schema": {"name": "get_weather"}})).await;
    let schema = "{\n  \"properties\": {\n    \"location\": {\n      \"type\": \"string\"\n    }\n  },\n  \"type\": \"object\"\n}";
    let expected = format!(
        "# get_weather\n\n## Description\n\nGet the weather\n\n## Schema\n\n```json\n{schema}\n```"
    );
    assert_eq!(page, expected);
    let plain = directive(json!({"tool_schema": {"name": "get_time"}})).await;
    assert!(plain.contains("\n\n_No description provided._\n\n"), "{plain}");
}

#[tokio::test]
async fn reports_tools_that_are_not_found() {
    assert_eq!(directive(json!({"tool_schema": {}})).await, "No tool name specified");
    let unknown = directive(json!({"tool_schema": {"name": "Get_Weather"}})).await;
    assert_eq!(unknown, "Tool 'Get_Weather' not found");
}

#[tokio::test]
async fn mixes_items_of_all_kinds_in_one_step() {
    let items = json!([{"text_message": {"length": 10}}, {"system_prompt_echo": {}},
        {"tools_list": {}}, {"tool_call": [{"name": "get_time"}]}, {"text": "end"}]);
    let mut request = request([system("Be brief."), chain(json!([{"messages": items}]))]);
    request.tools = weather_and_time().into();
    let answer = scripted("").converse(request).await.unwrap();
    let expected = format!("{}\n\nBe brief.\n\nget_weather, get_time\n\nend", filler(10));
    assert_eq!(answer.content, expected);
    assert_eq!(
        (answer.called_tools(), answer.finish_reason.as_str()),
        (vec!["get_time"], "tool_calls")
    );
}

#[tokio::test]
async fn follows_two_steps_of_directives() {
    let steps = chain(json!([
        {"id_message": "a", "messages": [{"system_prompt_echo": {}}]},
        {"id_message": "b", "messages": [{"tools_list": {}}]},
    ]));
    let sidecar = scripted("");
    assert_eq!(content(&sidecar, [system("S"), steps.clone()]).await, "S");
    let second = content(&sidecar, [system("S"), steps, assistant("S")]).await;
    assert_eq!(second, "No tools available");
}
