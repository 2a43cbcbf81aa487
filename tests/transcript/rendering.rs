//! Tests of a loop's history in each rendering, and of calls that a model writes as text.

use mynah::{
    chat::{FinishReason, LazyJson, Message, Response, Role, Tool},
    tool_loop::{
        CallFailure, CallOutcome, CallRecord, ToolError,
        transcript::{CallReader, Rendering, ToolTurn, Wording, correction, extract_all},
    },
};
use serde_json::{Value, json};

use super::{assistant, call, user};

/// Returns a turn with one call for each outcome.
fn turn() -> ToolTurn {
    let call =
        |number: u32| call(&format!("call-{number}"), "get_sky", &format!(r#"{{"n":{number}}}"#));
    let calls = vec![
        CallRecord::new(call(1), CallOutcome::Succeeded, json!({"sky": "clear/blue"})),
        CallRecord::new(call(2), CallOutcome::Succeeded, "plain"),
        CallRecord::failed(call(3), CallFailure::Error(ToolError::new("no network"))),
        CallRecord::failed(call(4), CallFailure::UnknownTool("get_sky".to_owned())),
        CallRecord::duplicate(call(5)),
    ];
    ToolTurn { number: 4, text: "I will look.".to_owned(), calls }
}

#[test]
fn renders_native_calls() {
    let turn = turn();
    let messages = Rendering::Native.messages(&turn);
    let tool_calls = turn.calls.iter().map(CallRecord::call).collect();
    assert_eq!(messages[0], Message::new(Role::Assistant { tool_calls }, "I will look."));
    let results = messages[1..].iter().map(|message| {
        let Role::Tool { id: Some(id), name } = &message.role else { panic!("{message:?}") };
        assert_eq!((name.as_str(), message.parts.len()), ("get_sky", 1));
        format!("{id}: {}\n", message.text())
    });
    insta::assert_snapshot!(results.collect::<String>(), @r#"
    call-1: {"sky":"clear/blue"}
    call-2: plain
    call-3: Error executing get_sky: no network
    call-4: Tool 'get_sky' not found
    call-5: You just called the Get Sky tool with the exact same parameters as your previous action. Please try a different approach or use different parameters instead.
    "#);
}

#[test]
fn renders_calls_as_text() {
    let messages = Rendering::Text(Wording::default()).messages(&turn());
    assert_eq!(messages.last(), Some(&correction("get_sky")));
    // A message is a turn, even if one of its calls is a duplicate.
    let extracted = extract_all(&messages[0]).into_iter().map(|call| call.arguments.to_string());
    assert_eq!(extracted.collect::<Vec<_>>(), [1, 2, 3, 4, 5].map(|n| format!(r#"{{"n":{n}}}"#)));
    let lines = messages.iter().map(|message| {
        let role = match &message.role {
            Role::Assistant { tool_calls } if tool_calls.is_empty() => "assistant",
            Role::User => "user",
            other => panic!("unexpected role {other:?}"),
        };
        format!("{role}: {}\n", message.text())
    });
    insta::assert_snapshot!(lines.collect::<String>(), @r#"
    assistant: I will look.

    AI ACTION (Turn 4): Executing Get Sky with parameters: n: 1
    AI ACTION (Turn 4): Executing Get Sky with parameters: n: 2
    AI ACTION (Turn 4): Executing Get Sky with parameters: n: 3
    AI ACTION (Turn 4): Executing Get Sky with parameters: n: 4
    AI ACTION (Turn 4): Executing Get Sky with parameters: n: 5
    user: TOOL RESPONSE (Turn 4): SUCCESS: Get Sky completed successfully. The requested operation has been finished as requested.

    {"sky":"clear/blue"}
    user: TOOL RESPONSE (Turn 4): SUCCESS: Get Sky completed successfully. The requested operation has been finished as requested.

    "plain"
    user: TOOL RESPONSE (Turn 4): TOOL FAILED: get_sky execution failed - no network
    user: TOOL RESPONSE (Turn 4): TOOL FAILED: get_sky execution failed - Tool 'get_sky' not found
    user: You just called the Get Sky tool with the exact same parameters as your previous action. Please try a different approach or use different parameters instead.
    "#);
}

#[test]
fn a_hook_changes_the_history() {
    let wording = Wording::customized(|_, executed| format!("{} is done", executed.name));
    let messages = Rendering::Text(wording).messages(&turn());
    assert_eq!(
        messages[1],
        user("TOOL RESPONSE (Turn 4): get_sky is done\n\n{\"sky\":\"clear/blue\"}")
    );
}

#[test]
fn hooks_stack_and_tools_can_omit_their_data() {
    let wording = Wording::customized(|_, executed| format!("{} is done", executed.name))
        .customize(|message, _| format!("{message}, really"));
    let texts =
        |wording: Wording| Rendering::Text(wording).messages(&turn())[1].text().into_owned();
    let text = "TOOL RESPONSE (Turn 4): get_sky is done, really";
    assert_eq!(texts(wording.clone()), format!("{text}\n\n{{\"sky\":\"clear/blue\"}}"));
    assert_eq!(texts(wording.text_only(["get_sky"])), text);
}

#[test]
fn omits_arguments_that_are_not_objects() {
    let call = call("1", "f", "San Francisco");
    let calls = vec![CallRecord::failed(call, CallFailure::InvalidJson("expected {".to_owned()))];
    let turn = ToolTurn { number: 1, text: String::new(), calls };
    let messages = Rendering::Text(Wording::default()).messages(&turn);
    assert_eq!(messages[0], assistant("AI ACTION (Turn 1): Executing F"));
    assert_eq!(messages.len(), 2);
}

fn read(rendering: &Rendering, content: &str, tools: &[&str]) -> Response {
    let tools: Vec<_> = tools.iter().map(|name| tool(name, None)).collect();
    let response = Response { content: content.to_owned(), ..Response::default() };
    rendering.read(response, &CallReader::new(&tools))
}

fn tool(name: &str, parameters: Option<LazyJson>) -> Tool {
    Tool { name: name.to_owned(), description: None, parameters }
}

/// Returns the arguments of a call to a tool with this schema, or the text if there is no call.
fn arguments_by_schema(properties: &Value, parameters: &str) -> String {
    let schema = LazyJson::new(json!({"type": "object", "properties": properties}));
    let content = format!("AI ACTION: Executing F with parameters: {parameters}");
    let response = Response { content, ..Response::default() };
    let reader = CallReader::new(&[tool("f", Some(schema))]);
    let response = Rendering::Text(Wording::default()).read(response, &reader);
    response.tool_calls.into_iter().map(|call| call.arguments).collect()
}

#[test]
fn the_schema_decides_commas_and_types() {
    let schema = json!({
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "zip": {"type": ["string", "null"]},
        "unit": {"enum": ["1", "2"]},
        "tags": {"anyOf": [{"type": "array"}, {"type": "string"}]},
        "any": {},
    });
    let table = [
        ("city: San Francisco, CA", r#"{"city":"San Francisco, CA"}"#),
        ("city: San Francisco, CA, days: 3", r#"{"city":"San Francisco, CA","days":3}"#),
        ("city: 1001, days: 1001", r#"{"city":"1001","days":1001}"#),
        ("city: true, zip: null, unit: 1", r#"{"city":"true","zip":null,"unit":"1"}"#),
        ("zip: 0150", r#"{"zip":"0150"}"#),
        (r#"city: "Oslo", any: 5"#, r#"{"city":"Oslo","any":5}"#),
        ("tags: [1,2], days: soon", r#"{"tags":[1,2],"days":"soon"}"#),
        (r#"{"city": "San Francisco, CA", "days": 3}"#, r#"{"city":"San Francisco, CA","days":3}"#),
        ("", "{}"),
    ];
    for (parameters, expected) in table {
        assert_eq!(arguments_by_schema(&schema, parameters), expected, "{parameters}");
    }
}

fn called(content: &str, tools: &[&str]) -> Vec<(String, String)> {
    let response = read(&Rendering::Text(Wording::default()), content, tools);
    response.tool_calls.into_iter().map(|call| (call.name, call.arguments)).collect()
}

#[test]
fn reads_calls_from_text() {
    let content = "Both at once:\n\
        AI ACTION (Turn 2): Executing Get Sky with parameters: city: Oslo, days: 3\r\n  \
        AI ACTION: Executing Now with parameters: zone: \n\
        That is all.";
    let response = read(&Rendering::Text(Wording::default()), content, &[]);
    assert_eq!(response.content, "Both at once:\nThat is all.");
    assert_eq!(response.finish_reason, FinishReason::ToolCalls);
    let expected = [("get_sky", r#"{"city":"Oslo","days":3}"#), ("now", r#"{"zone":""}"#)];
    let expected = expected.map(|(name, arguments)| (name.to_owned(), arguments.to_owned()));
    assert_eq!(called(content, &[]), expected);
}

#[test]
fn prefers_the_names_of_offered_tools() {
    let name = |display: &str, tools: &[&str]| {
        called(&format!("AI ACTION (Turn 1): Executing {display}"), tools)[0].0.clone()
    };
    assert_eq!(name("SendEmail", &["sendEmail", "sendemails"]), "sendEmail");
    assert_eq!(name("Send Email", &["Send_Email"]), "Send_Email");
    assert_eq!(name("Search", &["Search", "search"]), "search");
    assert_eq!(name("Unknown Tool", &["search"]), "unknown_tool");
}

#[test]
fn leaves_other_text_unchanged() {
    let text = "I would make an AI ACTION (Turn 1): Executing F, but\nAI ACTION is no call.\n";
    let response = Response { content: text.to_owned(), ..Response::default() };
    assert_eq!(read(&Rendering::Text(Wording::default()), text, &["f"]), response);
    let call = "AI ACTION (Turn 1): Executing F";
    let response = Response { content: call.to_owned(), ..Response::default() };
    assert_eq!(read(&Rendering::Native, call, &["f"]), response);
}
