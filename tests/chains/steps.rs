//! The test cases of the system that chains come from, by their numbers there.
//!
//! Not here: 7, since an empty step is an error (`an_empty_step_is_an_error`); 15, 46: Dapr has no
//! tools of the server; 16 to 20, 29 to 31: Dapr shows no URL, no headers and no body; 23: usage is
//! that of echo; 32: there is no capture of requests yet; 34, 36, 39 to 45, 48 to 55: other wires;
//! 56 to 84: scenarios in files.

use mynah::wire::proto::{ConversationTools, conversation_tools::ToolTypes};
use serde_json::{Value, json};

use super::{answer, chain, content, failure, scripted, tagged, text};
use crate::support::{
    messages::{ask, assistant, request, result, system, tool, user},
    stream,
};

const LOREM: &str = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor \
    incididunt ut labore et dolore magna aliqua ut enim ad minim veniam quis nostrud exercitation \
    ullamco laboris nisi ut aliquip ex ea commodo consequat duis aute irure dolor in reprehenderit \
    in voluptate velit esse cillum dolore eu fugiat nulla pariatur excepteur sint occaecat \
    cupidatat non proident sunt in culpa qui officia deserunt mollit anim id est laborum";

fn filler(words: usize) -> String {
    LOREM.split(' ').cycle().take(words).collect::<Vec<_>>().join(" ")
}

fn described(name: &str, description: &str, parameters: Value) -> ConversationTools {
    let mut tool = tool(name, parameters);
    let Some(ToolTypes::Function(function)) = &mut tool.tool_types else { unreachable!() };
    function.description = Some(description.to_owned());
    tool
}

fn weather() -> [ConversationTools; 2] {
    let place = json!({"type": "object", "properties": {"location": {"type": "string"}}});
    [
        described("get_weather", "Get the weather", place),
        described("get_time", "", json!({"type": "object"})),
    ]
}

/// What an item says to a request with the two tools of [`weather`].
async fn directive(item: Value) -> String {
    let mut asked = request([system("Be brief."), chain(json!([{"messages": [item]}]))]);
    asked.tools = weather().into();
    scripted("").converse(asked).await.unwrap().content
}

#[tokio::test]
async fn case_1_a_chain_of_four_steps() {
    let call = json!([{"tool_call": [{"name": "get_weather", "args": {"location": "Paris"}}]}]);
    let steps = chain(json!([
        {"reasoning": {"length": 150}},
        {"id_message": "Something interesting", "messages": call},
        {"messages": call},
        {"id_message": "Now responding with summary", "messages": [{"text_message": {"length": 20}}]},
    ]));
    let sidecar = scripted("");
    let mut history = vec![steps];
    let mut turns = Vec::new();
    for _ in 0..4 {
        let mut asked = request(history.clone());
        asked.tools = weather().into();
        let answer = sidecar.converse(asked).await.unwrap();
        turns.push((answer.content.clone(), answer.called().join(","), answer.finish_reason));
        history.extend([assistant("."), user("next")]);
    }
    let turn =
        |text: &str, call: &str, end: &str| (text.to_owned(), call.to_owned(), end.to_owned());
    assert_eq!(
        turns,
        [
            turn("", "", "stop"),
            turn("", "get_weather", "tool_calls"),
            turn("", "get_weather", "tool_calls"),
            turn(&filler(20), "", "stop"),
        ]
    );
}

#[tokio::test]
async fn case_2_a_chain_in_the_arguments_of_another() {
    let inner = format!(
        "Go <|instruction_start|>{}<|instruction_end|>",
        json!({"instruction_chain": [text("from \"within\"")]})
    );
    let step = json!({"messages": [{"tool_call": [{"name": "Agent", "args": {"prompt": inner}}]}]});
    let mut asked = request([chain(json!([step]))]);
    asked.tools = vec![tool("Agent", json!({}))];
    let sidecar = scripted("");
    let answer = sidecar.converse(asked).await.unwrap();
    assert_eq!(answer.called(), ["Agent"]);
    assert_eq!(answer.calls[0].arguments["prompt"], inner);
    // The sub-agent is asked with that prompt, and follows the inner chain.
    assert_eq!(content(&sidecar, [user(&inner)]).await, "from \"within\"");
}

#[tokio::test]
async fn cases_3_4_and_6_reasoning_counts_in_the_usage() {
    for (messages, content, words) in [
        (json!([{"text_message": {"length": 50}}]), filler(50), 100),
        (Value::Null, String::new(), 200),
        (json!([]), String::new(), 50),
    ] {
        let answer = answer(json!({"reasoning": {"length": words}, "messages": messages})).await;
        assert_eq!((answer.content.as_str(), answer.finish_reason.as_str()), (&*content, "stop"));
        let usage = answer.whole.outputs[0].usage.unwrap();
        let spoken = (content.len() as u64 / 4).max(1);
        assert_eq!(usage.completion_tokens, spoken + words);
        assert_eq!(usage.completion_tokens_details.unwrap().reasoning_tokens, words);
        assert_eq!(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
    }
}

#[tokio::test]
async fn case_5_labels_are_never_said() {
    let step = json!({"id": "secret-id", "id_message": "secret", "messages": [{"text": "x"}]});
    let whole = format!("{:?}", answer(step).await.whole);
    assert!(!whole.contains("secret"), "{whole}");
}

/// Case 7 the other way round.
#[tokio::test]
async fn an_empty_step_is_an_error() {
    let steps = json!([{}, {"messages": [{"text_message": {"length": 10}}]}]);
    let (_, said) = failure(&scripted(""), request([chain(steps)])).await;
    let wrong = "needs messages, reasoning, error or delay";
    assert_eq!(said, format!("chain in message 1, step 1: {wrong}"));
}

#[tokio::test]
async fn case_8_two_calls_come_in_order() {
    let calls = json!([{"name": "b", "args": {"n": 1}, "id": "mine"}, {"name": "a"}]);
    let mut asked = request([chain(json!([{"messages": [{"tool_call": calls}]}]))]);
    asked.tools = ["a", "b"].map(|name| tool(name, Value::Null)).into();
    let answer = scripted("").converse(asked).await.unwrap();
    assert_eq!(answer.called(), ["b", "a"]);
    assert_eq!(
        [&answer.calls[0].arguments, &answer.calls[1].arguments],
        [&json!({"n": 1}), &json!({})]
    );
    assert_eq!(answer.calls[0].id, "mine");
    assert!(answer.calls[1].id.starts_with("call_echo_"), "{}", answer.calls[1].id);
}

#[tokio::test]
async fn cases_9_and_24_the_system_prompt() {
    assert_eq!(directive(json!({"system_prompt_echo": {}})).await, "Be brief.");
    let none = answer(json!({"messages": [{"system_prompt_echo": {}}]})).await;
    assert_eq!(none.content, "No system prompt configured");
}

#[tokio::test]
async fn cases_10_and_25_the_names_of_the_tools() {
    assert_eq!(directive(json!({"tools_list": {}})).await, "get_weather, get_time");
    let none = answer(json!({"messages": [{"tools_list": {}}, {"tools_echo": {}}]})).await;
    assert_eq!(none.content, "No tools available\n\nNo tools available");
}

#[tokio::test]
async fn cases_11_and_26_the_descriptions_of_the_tools() {
    let said = directive(json!({"tools_echo": {}})).await;
    assert_eq!(said, "get_weather: Get the weather\nget_time: ");
}

#[tokio::test]
async fn case_12_items_of_all_kinds_in_one_step() {
    let items = json!([{"text_message": {"length": 10}}, {"system_prompt_echo": {}},
        {"tools_list": {}}, {"tool_call": [{"name": "get_time"}]}, {"text": "end"}]);
    let mut asked = request([system("Be brief."), chain(json!([{"messages": items}]))]);
    asked.tools = weather().into();
    let answer = scripted("").converse(asked).await.unwrap();
    let expected = format!("{}\n\nBe brief.\n\nget_weather, get_time\n\nend", filler(10));
    assert_eq!(answer.content, expected);
    assert_eq!((answer.called(), answer.finish_reason.as_str()), (vec!["get_time"], "tool_calls"));
}

#[tokio::test]
async fn case_13_two_steps_of_directives() {
    let steps = chain(json!([
        {"id_message": "a", "messages": [{"system_prompt_echo": {}}]},
        {"id_message": "b", "messages": [{"tools_list": {}}]},
    ]));
    let sidecar = scripted("");
    assert_eq!(content(&sidecar, [system("S"), steps.clone()]).await, "S");
    let second = content(&sidecar, [system("S"), steps, assistant("S")]).await;
    assert_eq!(second, "No tools available");
}

#[tokio::test]
async fn case_14_a_text_is_said_as_it_is() {
    for words in ["Hello world", "", " \n ", "__TOOLS_LIST__", "é\u{1f600}\"\\"] {
        assert_eq!(answer(text(words)).await.content, words);
    }
    let two = json!({"messages": [{"text": ""}, {"text": "a"}, {"json": {"b": 1.50, "a": [ ] }}]});
    assert_eq!(answer(two).await.content, "\n\na\n\n{\"a\":[],\"b\":1.5}");
}

/// As it was written: the order of keys and the spelling of numbers count for some tests.
#[tokio::test]
async fn json_keeps_its_keys_and_its_numbers() {
    let step = r#"{"messages": [{"json": {"b": 1.50, "a": [ 1e3, "x y" ]}},
        {"tool_call": [{"name": "f", "args": { "z" : 1.0, "y": "\u00e9" }}]}]}"#;
    let mut asked = request([tagged(step)]);
    asked.tools = vec![tool("f", Value::Null)];
    let answer = scripted("").converse(asked).await.unwrap();
    assert_eq!(answer.content, r#"{"b":1.50,"a":[1e3,"x y"]}"#);
    let whole = format!("{:?}", answer.whole);
    assert!(whole.contains(r#"{\"z\":1.0,\"y\":\"\\u00e9\"}"#), "{whole}");
}

#[tokio::test]
async fn cases_21_and_27_the_schema_of_a_tool() {
    let said = directive(json!({"tool_schema": {"name": "get_weather"}})).await;
    let schema = "{\n  \"properties\": {\n    \"location\": {\n      \"type\": \"string\"\n    }\n  },\n  \"type\": \"object\"\n}";
    let expected = format!(
        "# get_weather\n\n## Description\n\nGet the weather\n\n## Schema\n\n```json\n{schema}\n```"
    );
    assert_eq!(said, expected);
    let plain = directive(json!({"tool_schema": {"name": "get_time"}})).await;
    assert!(plain.contains("\n\n_No description provided._\n\n"), "{plain}");
}

#[tokio::test]
async fn cases_22_and_28_the_schema_of_no_tool() {
    assert_eq!(directive(json!({"tool_schema": {}})).await, "No tool name specified");
    let unknown = directive(json!({"tool_schema": {"name": "Get_Weather"}})).await;
    assert_eq!(unknown, "Tool 'Get_Weather' not found");
}

/// As steps with errors.
#[tokio::test]
async fn case_33_unavailable_then_an_answer() {
    let steps = chain(json!([{"error": {"code": "UNAVAILABLE"}}, text("fine now")]));
    let sidecar = scripted("");
    let (code, said) = failure(&sidecar, request([steps.clone()])).await;
    assert_eq!((code, said.as_str()), (tonic::Code::Unavailable, "scripted UNAVAILABLE"));
    assert_eq!(content(&sidecar, [steps, assistant("failed")]).await, "fine now");
}

#[tokio::test]
async fn case_35_three_words_a_chunk() {
    let words = "alpha beta gamma delta epsilon zeta eta";
    let step = json!({"messages": [{"text": words}], "words_per_chunk": 3});
    let streamed = stream(&scripted(""), request([chain(json!([step]))])).await.unwrap();
    assert_eq!(streamed.chunks, ["alpha beta gamma", " delta epsilon zeta", " eta"]);
    assert_eq!(streamed.answer.content, words);
}

#[tokio::test]
async fn case_37_filler_is_streamed() {
    let step = json!({"messages": [{"text_message": {"length": 20}}]});
    let streamed = stream(&scripted(""), request([chain(json!([step]))])).await.unwrap();
    assert_eq!(streamed.chunks.len(), 20);
    assert_eq!(streamed.chunks.concat(), filler(20));
}

#[tokio::test]
async fn case_38_a_call_comes_once() {
    let step = json!({"messages": [{"tool_call": [{"name": "getWeather", "args": {}}]}]});
    let mut asked = request([chain(json!([step]))]);
    asked.tools = vec![tool("getWeather", Value::Null)];
    let sidecar = scripted("");
    assert_eq!(sidecar.converse(asked.clone()).await.unwrap().called(), ["getWeather"]);
    let streamed = stream(&sidecar, asked).await.unwrap();
    assert!(streamed.chunks.is_empty());
    assert_eq!(streamed.answer.called(), ["getWeather"]);
}

#[tokio::test]
async fn case_47_a_new_chain_begins_anew() {
    let sidecar = scripted("");
    let first = chain(json!([text("a"), text("b")]));
    let second = chain(json!([text("c"), text("d")]));
    let history = [first, assistant("a"), second, assistant("c"), user("go on")];
    assert_eq!(content(&sidecar, &history[..3]).await, "c");
    assert_eq!(content(&sidecar, history).await, "d");
}

#[tokio::test]
async fn tool_results_come_one_a_line() {
    let steps = chain(json!([text("-"), {"messages": [{"tool_results": {}}]}]));
    let history = [steps, assistant("-"), result("1", "f", "one"), result("2", "g", "two")];
    assert_eq!(content(&scripted(""), history).await, "one\ntwo");
}

/// The table 7.7; where it has no chain, the fallback repeats the text.
#[tokio::test]
async fn the_table_of_tags() {
    let (s, e) = ("<|instruction_start|>", "<|instruction_end|>");
    let (a, b) = (text("A").to_string(), text("B").to_string());
    let nested = json!({"messages": [{"text": format!("{s}{b}{e}")}]}).to_string();
    let none = |text: &String| text.clone();
    let table = [
        (format!("{s}{a}{e}"), "A".to_owned()),
        (format!("{s}{a}{e}{s}{b}{e}"), "A".to_owned()),
        (format!("{e}{s}{a}{e}"), "A".to_owned()),
        (format!("{s}{nested}{e}"), format!("{s}{b}{e}")),
        (format!("{s}{s}{a}{e}"), none(&format!("{s}{s}{a}{e}"))),
        (format!("{s}{a}"), none(&format!("{s}{a}"))),
        (format!("{s}{e}"), none(&format!("{s}{e}"))),
        (format!("{s}{a}{e}").to_uppercase(), none(&format!("{s}{a}{e}").to_uppercase())),
    ];
    let sidecar = scripted("");
    for (text, expected) in table {
        assert_eq!(content(&sidecar, [user(&text)]).await, expected, "{text}");
    }
    let others = [system(&format!("{s}{a}{e}")), assistant(&format!("{s}{a}{e}")), user("plain")];
    assert_eq!(content(&sidecar, others).await, "plain");
    assert_eq!(
        sidecar.converse(ask(&format!("{s}{s}{e}{s}{b}{e}"), [])).await.unwrap().content,
        format!("{s}{s}{e}{s}{b}{e}")
    );
}
