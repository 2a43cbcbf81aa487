//! The history: the same every time, and never copied.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use mynah::{
    chat::{Message, Request, Role},
    provider::Provider,
    tool_loop::{CancellationToken, LoopEvent, LoopResult, LoopSettings, ToolLoop, ToolSettings},
};
use serde_json::json;

use super::{
    ask,
    doubles::{add, calling, identity, model, one, saying, turn},
    every_call_has_its_result,
};

/// Where the first text of the history was, turn by turn.
type Places = Arc<Mutex<Vec<usize>>>;

/// A model that notes where the history is.
fn observant(turns: usize) -> (Arc<dyn Provider>, Places) {
    let places = Places::default();
    let seen = places.clone();
    let model = model(move |request| {
        seen.lock().unwrap().push(request.messages[0].parts[0].as_ptr().addr());
        let arguments = json!({"turn": turn(request)}).to_string();
        Ok(if turn(request) < turns { calling(&[("f", &arguments)]) } else { saying("done") })
    });
    (model, places)
}

fn fifty_turns() -> Arc<ToolLoop> {
    let settings = LoopSettings { max_turns: 50, ..LoopSettings::default() };
    Arc::new(ToolLoop::new(identity("f"), settings).unwrap())
}

#[tokio::test]
async fn a_turn_does_not_copy_the_history() {
    let (model, places) = observant(49);
    let request = ask("Go!");
    let place = request.messages[0].parts[0].as_ptr().addr();
    let result = fifty_turns().run(model, request, CancellationToken::new()).await;
    assert_eq!(*places.lock().unwrap(), vec![place; 50]);
    assert_eq!(result.transcript[0].parts[0].as_ptr().addr(), place);
    every_call_has_its_result(&result);
}

#[tokio::test]
async fn a_streamed_turn_does_not_copy_it_either() {
    let (model, places) = observant(49);
    let request = ask("Go!");
    let place = request.messages[0].parts[0].as_ptr().addr();
    let events = fifty_turns().run_stream(model, request, CancellationToken::new());
    assert!(matches!(events.collect::<Vec<_>>().await.last(), Some(LoopEvent::Ended(_))));
    assert_eq!(*places.lock().unwrap(), vec![place; 50]);
}

/// Faults, tools of different speed and calls without ids: a run that has all of it.
async fn eventful() -> LoopResult {
    let mut registry = one("slow", async |arguments| {
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
            3 => saying("done"),
            _ => calling(&[("slow", &arguments), ("panics", "{}"), ("fast", "{}"), ("none", "")]),
        })
    });
    tool_loop.run(model, ask("Go!"), CancellationToken::new()).await
}

#[tokio::test]
async fn the_same_conversation_is_the_same_to_the_byte() {
    let first = eventful().await.transcript;
    for _ in 0..20 {
        assert_eq!(format!("{:?}", eventful().await.transcript), format!("{first:?}"));
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

/// What an application offers itself stays as it wrote it.
/// Arguments are checked against the tool that runs, so it is the one on offer.
#[tokio::test]
async fn tools_are_offered_beside_those_of_the_request() {
    let offered = Arc::new(Mutex::new(Vec::new()));
    let seen = offered.clone();
    let model = model(move |request| {
        let tools = request.tools.iter().map(|tool| (tool.name.clone(), tool.description.clone()));
        seen.lock().unwrap().extend(tools);
        Ok(saying("done"))
    });
    let own = |name: &str| mynah::chat::Tool {
        name: name.to_owned(),
        description: Some("its own".to_owned()),
        parameters: None,
    };
    let request = Request { tools: vec![own("g"), own("f")], ..ask("Go!") };
    let mut registry = identity("f");
    add(&mut registry, "h", async |arguments| Ok(arguments));
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    tool_loop.run(model, request, CancellationToken::new()).await;
    let words = |word: Option<&str>| word.map(str::to_owned);
    let expected = [("g", Some("its own")), ("f", None), ("h", None)];
    assert_eq!(
        *offered.lock().unwrap(),
        expected.map(|(name, said)| (name.to_owned(), words(said)))
    );
}
