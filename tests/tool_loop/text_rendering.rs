//! Tests of models without native tools, where calls and results are text.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use insta::assert_snapshot;
use mynah::{
    chat::{Message, Request, Response, Role, Tool, ToolChoice},
    provider::Provider,
    tool_loop::{
        DuplicatePolicy, LoopEnd, LoopEvent, LoopResult, LoopSettings, Rendering, ToolError,
        ToolLoop, ToolRegistry, ToolSettings, Wording,
    },
};
use serde_json::json;

use super::{
    ask,
    doubles::{add, call_response, identity, model, single_tool, text_response},
    outcomes, result_texts, run,
    scripted_models::{follow, script},
};

/// Returns settings that render calls and results as text.
fn in_text() -> LoopSettings {
    LoopSettings { rendering: Rendering::Text(Wording::default()), ..LoopSettings::default() }
}

/// Returns a model that answers with these texts, turn by turn, and then with `That is all.`
fn answers(texts: &'static [&'static str]) -> Arc<dyn Provider> {
    let turn = Mutex::new(0);
    model(move |_| {
        let mut turn = turn.lock().unwrap();
        *turn += 1;
        Ok(text_response(*texts.get(*turn - 1).unwrap_or(&"That is all.")))
    })
}

/// Returns tools that return data, text or nothing, and tools that fail.
fn tools() -> ToolRegistry {
    let mut registry =
        single_tool("get_weather", async |place| Ok(json!({"sunny": true, "in": place})));
    add(&mut registry, "sayHello", async |_| Ok("hello".into()));
    add(&mut registry, "fail", async |_| Err(ToolError::new("no network")));
    add(&mut registry, "act", async |_| Ok(json!(null)));
    registry
}

/// Returns the transcript as text, without the first message.
fn read(result: &LoopResult) -> String {
    let line = |message: &Message| {
        let role = match &message.role {
            Role::User => "user",
            Role::Assistant { tool_calls } if tool_calls.is_empty() => "assistant",
            other => panic!("unexpected role {other:?}"),
        };
        format!("{role}: {}\n", message.text())
    };
    result.transcript[1..].iter().map(line).collect()
}

#[tokio::test]
async fn renders_calls_and_results_as_text() {
    let model = answers(&[
        "Let me look.\nAI ACTION (Turn 1): Executing Get Weather with parameters: city: Oslo, days: 2",
        "AI ACTION (Turn 2): Executing SayHello\nAI ACTION (Turn 2): Executing Fail\n\
         AI ACTION (Turn 2): Executing Nobody with parameters: a: 1\nAI ACTION (Turn 2): Executing Act",
        "AI ACTION: Executing Act",
        "It is sunny in Oslo.",
    ]);
    let result = run(tools(), in_text(), model).await;
    assert_snapshot!(read(&result), @r#"
    assistant: Let me look.

    AI ACTION (Turn 1): Executing Get Weather with parameters: city: Oslo, days: 2
    user: TOOL RESPONSE (Turn 1): SUCCESS: Get Weather completed successfully. The requested operation has been finished as requested.

    {"in":{"city":"Oslo","days":2},"sunny":true}
    assistant: AI ACTION (Turn 2): Executing SayHello
    AI ACTION (Turn 2): Executing Fail
    AI ACTION (Turn 2): Executing Nobody with parameters: a: 1
    AI ACTION (Turn 2): Executing Act
    user: TOOL RESPONSE (Turn 2): SUCCESS: SayHello completed successfully. The requested operation has been finished as requested.

    "hello"
    user: TOOL RESPONSE (Turn 2): TOOL FAILED: fail execution failed - no network
    user: TOOL RESPONSE (Turn 2): TOOL FAILED: nobody execution failed - Tool 'nobody' not found
    user: TOOL RESPONSE (Turn 2): SUCCESS: Act completed successfully. The requested operation has been finished as requested.
    assistant: AI ACTION (Turn 3): Executing Act
    user: You just called the Act tool with the exact same parameters as your previous action. Please try a different approach or use different parameters instead.
    assistant: It is sunny in Oslo.
    "#);
    let calls = result.calls.iter().map(|call| (call.id.as_str(), call.name.as_str()));
    let expected = [
        ("tool-call-1-1", "get_weather"),
        ("tool-call-2-1", "sayHello"),
        ("tool-call-2-2", "fail"),
        ("tool-call-2-3", "nobody"),
        ("tool-call-2-4", "act"),
        ("tool-call-3-1", "act"),
    ];
    assert_eq!(calls.collect::<Vec<_>>(), expected);
    assert_eq!(result_texts(&result)[1], "hello");
    assert_eq!(result_texts(&result)[2], "Error executing fail: no network");
    assert_eq!((result.turns, result.text()), (4, "It is sunny in Oslo."));
}

/// The history shows only the first 50 characters of a value, and the model may copy them.
#[tokio::test]
async fn refuses_arguments_that_are_cut_off() {
    let cut = format!("{}...", "x".repeat(50));
    let content = format!(
        "AI ACTION: Executing Get Weather with parameters: city: {cut}\n\
         AI ACTION: Executing Act with parameters: {{\"a\": \"{cut}\"}}\n\
         AI ACTION: Executing Get Weather with parameters: city: wait..."
    );
    let model = model(move |request| match request.messages.len() {
        1 => Ok(text_response(content.clone())),
        _ => Ok(text_response("done")),
    });
    let result = run(tools(), in_text(), model).await;
    assert_eq!(outcomes(&result), ["invalid", "invalid", "succeeded"]);
    let text = "Error executing get_weather: the arguments are not valid: the value of city is cut \
        off after 50 characters; write the whole value, as in with parameters: {\"city\": \"…\"}";
    assert_eq!(result_texts(&result)[0], text);
}

/// A turn is one message, so a chain that counts the messages of the assistant does not skip steps.
#[tokio::test]
async fn follows_a_chain_with_text_calls_and_duplicates() {
    let step = |text: &str| json!({"messages": [{"text": text}]});
    let both = "I look.\nAI ACTION: Executing Act\nAI ACTION: Executing SayHello";
    let steps = json!([step(both), step("AI ACTION: Executing SayHello"), step("Done.")]);
    let result = follow("", tools, in_text(), script(steps)).await;
    assert_eq!(outcomes(&result), ["succeeded", "succeeded", "duplicate"]);
    assert_eq!((result.text(), result.turns), ("Done.", 3));
}

#[tokio::test]
async fn offers_no_native_tools() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let recorded = seen.clone();
    let model = model(move |request| {
        recorded.lock().unwrap().push((request.tools.len(), request.tool_choice.clone()));
        Ok(text_response("fine"))
    });
    let own = Tool { name: "own".to_owned(), description: None, parameters: None };
    let request = Request { tools: vec![own], tool_choice: ToolChoice::Required, ..ask("Go!") };
    let tool_loop = ToolLoop::new(tools(), in_text()).unwrap();
    tool_loop.run(model, request).await;
    assert_eq!(*seen.lock().unwrap(), [(0, ToolChoice::Auto)]);
}

const SAME: &str = "AI ACTION (Turn 1): Executing Get Weather with parameters: city: Oslo";

#[tokio::test]
async fn applies_all_limits() {
    let result = run(tools(), in_text(), answers(&[SAME; 9])).await;
    assert_eq!((result.turns, &result.end), (3, &LoopEnd::Stalled));
    assert_eq!(outcomes(&result), ["succeeded", "duplicate", "not_run"]);
    let settings = LoopSettings {
        max_turns: 5,
        stalled_after: 50,
        duplicates: DuplicatePolicy::Off,
        ..in_text()
    };
    let result = run(tools(), settings, answers(&[SAME; 9])).await;
    assert_eq!((result.turns, &result.end), (5, &LoopEnd::MaxTurns));
    assert_eq!(outcomes(&result), ["succeeded"; 5]);
    let settings = LoopSettings { max_calls: Some(1), ..in_text() };
    let two = "AI ACTION: Executing Act\nAI ACTION: Executing SayHello";
    let result = run(tools(), settings, model(move |_| Ok(text_response(two)))).await;
    assert_eq!((outcomes(&result), &result.end), (vec!["succeeded", "not_run"], &LoopEnd::Budget));
    let tools = ToolSettings { repeatable: true, max_result: 8, ..ToolSettings::default() };
    let result = run(self::tools(), LoopSettings { tools, ..in_text() }, answers(&[SAME; 2])).await;
    let cut = "{\"in\":{\"\n[truncated: 8 of 35 bytes]";
    assert_eq!(result_texts(&result), [cut; 2]);
    // A truncated result is not valid JSON, so it is shown as a string.
    assert!(read(&result).ends_with(&format!("\n\n{}\nassistant: That is all.\n", json!(cut))));
}

#[tokio::test]
async fn accepts_native_calls() {
    let turn = Mutex::new(0);
    let model = model(move |_| {
        *turn.lock().unwrap() += 1;
        let content = "AI ACTION: Executing SayHello".to_owned();
        Ok(match *turn.lock().unwrap() {
            1 => Response { content, ..call_response(&[("act", "x,y")]) },
            _ => text_response("done"),
        })
    });
    let result = run(tools(), in_text(), model).await;
    assert_eq!(outcomes(&result), ["invalid", "succeeded"]);
    assert_snapshot!(read(&result), @r#"
    assistant: AI ACTION (Turn 1): Executing Act
    AI ACTION (Turn 1): Executing SayHello
    user: TOOL RESPONSE (Turn 1): TOOL FAILED: act execution failed - the arguments are not a JSON object: expected value at line 1 column 1
    user: TOOL RESPONSE (Turn 1): SUCCESS: SayHello completed successfully. The requested operation has been finished as requested.

    "hello"
    assistant: done
    "#);
}

#[tokio::test]
async fn a_hook_changes_the_text_of_successes() {
    let wording = Wording::customized(|message, executed| {
        match (executed.name, &executed.result.data()["sunny"]) {
            ("get_weather", sunny) if *sunny == true => "SUCCESS: take your hat".to_owned(),
            _ => message.to_owned(),
        }
    });
    let settings = LoopSettings { rendering: Rendering::Text(wording), ..in_text() };
    let result = run(tools(), settings, answers(&[SAME])).await;
    let text = "TOOL RESPONSE (Turn 1): SUCCESS: take your hat\n\n\
        {\"in\":{\"city\":\"Oslo\"},\"sunny\":true}";
    assert_eq!(result.transcript[2].text(), text);
}

/// Text is streamed unchanged, including the lines that are calls.
#[tokio::test]
async fn streams_the_same_transcript() {
    let texts: &[&str] = &["Hm.\nAI ACTION: Executing Act", "Done."];
    let tool_loop = Arc::new(ToolLoop::new(tools(), in_text()).unwrap());
    let events = tool_loop.run(answers(texts), ask("Go!")).stream();
    let mut events: Vec<_> = events.collect().await;
    let Some(LoopEvent::Ended(streamed)) = events.pop() else { panic!("{events:?}") };
    let lines = events.iter().map(|event| match event {
        LoopEvent::Reasoning(text) | LoopEvent::Text(text) => text.clone(),
        LoopEvent::ToolStarted { id, name, arguments } => format!("\n{id}: {name} {arguments}\n"),
        LoopEvent::ToolFinished(record) => format!("{}: {}\n", record.id, record.result),
        LoopEvent::ToolsFinished { turn, executed } => format!("turn {turn}: {executed}\n"),
        LoopEvent::Ended(_) => unreachable!("it was the last"),
    });
    assert_snapshot!(lines.collect::<String>(), @r"
    Hm.
    AI ACTION: Executing Act
    tool-call-1-1: act {}
    tool-call-1-1: null
    turn 1: 1
    Done.
    ");
    let result = run(tools(), in_text(), answers(texts)).await;
    assert_eq!(result.transcript, streamed.transcript);
    assert_eq!(result.response, streamed.response);
}

#[tokio::test]
async fn reads_calls_of_a_scripted_model() {
    let step = |text: &str| json!({"messages": [{"text": text}]});
    let steps = json!([step(SAME), step("AI ACTION (Turn 2): Executing Fail"), step("Sunny!")]);
    let result = follow("", tools, in_text(), script(steps)).await;
    assert_eq!(outcomes(&result), ["succeeded", "error"]);
    assert_eq!((result.text(), result.turns), ("Sunny!", 3));
    // Echo repeats the call, and then the result of the call.
    let result = follow("", || identity("say"), in_text(), ask("AI ACTION: Executing Say")).await;
    assert_eq!((outcomes(&result), &result.end), (vec!["succeeded"], &LoopEnd::Answered));
    let expected = "TOOL RESPONSE (Turn 1): SUCCESS: Say completed successfully. \
        The requested operation has been finished as requested.";
    assert_eq!(result.text(), expected);
}
