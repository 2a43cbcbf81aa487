//! Tests that the history of a run is deterministic and never copied.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use mynah::{
    chat::{Message, Request, Role, Tool},
    provider::Provider,
    tool_loop::{LoopEnd, LoopEvent, LoopResult, LoopSettings, ToolLoop, ToolSettings},
};
use serde_json::json;

use super::{
    ask, assert_every_call_has_a_result,
    doubles::{add, call_response, identity, model, single_tool, text_response, turn},
    outcomes,
};

/// The memory address of the first text in the history, turn by turn.
type Addresses = Arc<Mutex<Vec<usize>>>;

/// Returns a model that records the memory address of the history.
fn recording_model(turns: usize) -> (Arc<dyn Provider>, Addresses) {
    let addresses = Addresses::default();
    let seen = addresses.clone();
    let model = model(move |request| {
        seen.lock().unwrap().push(request.messages[0].parts[0].as_ptr().addr());
        let arguments = json!({"turn": turn(request)}).to_string();
        Ok(if turn(request) < turns {
            call_response(&[("f", &arguments)])
        } else {
            text_response("done")
        })
    });
    (model, addresses)
}

fn fifty_turns() -> Arc<ToolLoop> {
    let settings = LoopSettings { max_turns: 50, ..LoopSettings::default() };
    Arc::new(ToolLoop::new(identity("f"), settings).unwrap())
}

#[tokio::test]
async fn does_not_copy_the_history() {
    let (model, addresses) = recording_model(49);
    let request = ask("Go!");
    let address = request.messages[0].parts[0].as_ptr().addr();
    let result = fifty_turns().run(model, request).await;
    assert_eq!(*addresses.lock().unwrap(), vec![address; 50]);
    assert_eq!(result.transcript[0].parts[0].as_ptr().addr(), address);
    assert_every_call_has_a_result(&result);
}

#[tokio::test]
async fn does_not_copy_the_history_of_a_stream() {
    let (model, addresses) = recording_model(49);
    let request = ask("Go!");
    let address = request.messages[0].parts[0].as_ptr().addr();
    let events = fifty_turns().run(model, request).stream();
    assert!(matches!(events.collect::<Vec<_>>().await.last(), Some(LoopEvent::Ended(_))));
    assert_eq!(*addresses.lock().unwrap(), vec![address; 50]);
}

/// Runs a loop with panics, tools of different speeds and calls without ids.
async fn mixed_run() -> LoopResult {
    let mut registry = single_tool("slow", async |arguments| {
        tokio::task::yield_now().await;
        Ok(arguments)
    });
    add(&mut registry, "panics", async |_| panic!("always"));
    add(&mut registry, "fast", async |arguments| Ok(arguments));
    let tools = ToolSettings { retries: 1, ..ToolSettings::default() };
    let settings = LoopSettings { tools, ..LoopSettings::default() };
    let tool_loop = ToolLoop::new(registry, settings).unwrap();
    let model = model(|request| {
        let arguments = json!({"turn": turn(request)}).to_string();
        Ok(match turn(request) {
            3 => text_response("done"),
            _ => call_response(&[
                ("slow", &arguments),
                ("panics", "{}"),
                ("fast", "{}"),
                ("none", ""),
            ]),
        })
    });
    tool_loop.run(model, ask("Go!")).await
}

#[tokio::test]
async fn repeated_runs_have_equal_transcripts() {
    let first = mixed_run().await.transcript;
    for _ in 0..20 {
        assert_eq!(format!("{:?}", mixed_run().await.transcript), format!("{first:?}"));
    }
    let ids: Vec<_> = first.iter().filter_map(|message| id(message)).collect();
    let expected: Vec<_> = (1..=3)
        .flat_map(|turn| (1..=4).map(move |number| format!("tool-call-{turn}-{number}")))
        .collect();
    assert_eq!(ids, expected);
}

fn id(message: &Message) -> Option<&str> {
    match &message.role {
        Role::Tool { id, .. } => id.as_deref(),
        _ => None,
    }
}

/// The caller runs its own tools, and continues from the transcript.
#[tokio::test]
async fn leaves_calls_to_the_request_tools_to_the_caller() {
    let model = model(|request| {
        Ok(match request.messages.last().map(|message| &message.role) {
            Some(Role::User) => call_response(&[("f", "{}"), ("own", r#"{"x":1}"#), ("no", "{}")]),
            _ => text_response("done"),
        })
    });
    let own = Tool { name: "own".to_owned(), description: None, parameters: None };
    let request = Request { tools: vec![own], ..ask("Go!") };
    let tool_loop = ToolLoop::new(identity("f"), LoopSettings::default()).unwrap();
    let result = tool_loop.run(model.clone(), request.clone()).await;
    assert_eq!((&result.end, result.turns), (&LoopEnd::CallerTools, 1));
    assert_eq!(outcomes(&result), ["succeeded", "pending", "unknown"]);
    assert_eq!(result.executed_calls(), 1);
    let pending: Vec<_> = result.pending().map(|call| (&*call.id, &*call.arguments)).collect();
    assert_eq!(pending, [("tool-call-1-2", r#"{"x":1}"#)]);
    // The message with the calls and two results.
    let mut messages = result.transcript;
    assert_eq!(messages.len(), 4);
    let role = Role::Tool { id: Some("tool-call-1-2".to_owned()), name: "own".to_owned() };
    messages.push(Message::new(role, "ok"));
    let request = Request { messages, ..request };
    let result = tool_loop.run(model, request).await;
    assert_eq!((result.text(), &result.end), ("done", &LoopEnd::Answered));
}

/// A tool in the registry replaces a tool with the same name in the request, because arguments are
/// validated against the tool that runs.
#[tokio::test]
async fn offers_the_tools_of_the_registry_and_of_the_request() {
    let offered = Arc::new(Mutex::new(Vec::new()));
    let seen = offered.clone();
    let model = model(move |request| {
        let tools = request.tools.iter().map(|tool| (tool.name.clone(), tool.description.clone()));
        seen.lock().unwrap().extend(tools);
        Ok(text_response("done"))
    });
    let own = |name: &str| Tool {
        name: name.to_owned(),
        description: Some("its own".to_owned()),
        parameters: None,
    };
    let request = Request { tools: vec![own("g"), own("f")], ..ask("Go!") };
    let mut registry = identity("f");
    add(&mut registry, "h", async |arguments| Ok(arguments));
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    tool_loop.run(model, request).await;
    let expected = [("g", Some("its own")), ("f", None), ("h", None)];
    assert_eq!(
        *offered.lock().unwrap(),
        expected.map(|(name, text)| (name.to_owned(), text.map(str::to_owned)))
    );
}
