//! Tests of how runs end and which reason they report.

use mynah::{
    chat::{Message, Request, Role, ToolCall, ToolChoice},
    provider::ProviderError,
    tool_loop::{DuplicatePolicy, LoopEnd, LoopSettings, ToolLoop, ToolRegistry, ToolSettings},
};

use super::{
    ask, assert_every_call_has_a_result,
    doubles::{
        call_response, calls_forever, calls_then_repeats, identity, model, text_response, turn,
    },
    outcomes, run,
};
use crate::tool_loop::doubles::add;

#[tokio::test]
async fn ends_when_the_model_answers() {
    let result = run(identity("f"), LoopSettings::default(), calls_then_repeats(&[])).await;
    assert_eq!((result.turns, &result.end, result.text()), (1, &LoopEnd::Answered, ""));
    assert_eq!(result.transcript.len(), 2);
    assert!(result.calls.is_empty());
}

#[tokio::test]
async fn stalls_if_the_model_repeats_one_call() {
    let model = || calls_forever(&[("f", r#"{"x":1}"#), ("nope", "x,y")]);
    let result = run(identity("f"), LoopSettings::default(), model()).await;
    assert_eq!((result.turns, &result.end), (3, &LoopEnd::Stalled));
    assert_eq!(
        outcomes(&result),
        ["succeeded", "unknown", "succeeded", "unknown", "not_run", "not_run"]
    );
    let settings = LoopSettings {
        stalled_after: 5,
        duplicates: DuplicatePolicy::Off,
        ..LoopSettings::default()
    };
    let result = run(identity("f"), settings, model()).await;
    assert_eq!((result.turns, &result.end), (5, &LoopEnd::Stalled));
}

#[tokio::test]
async fn does_not_stall_on_repeatable_tools() {
    let tools = ToolSettings { repeatable: true, ..ToolSettings::default() };
    let settings = LoopSettings { tools, ..LoopSettings::default() };
    let result = run(identity("f"), settings, calls_forever(&[("f", "{}")])).await;
    assert_eq!((result.turns, &result.end), (12, &LoopEnd::MaxTurns));
    // The call in the last turn also ran.
    assert_eq!(outcomes(&result), ["succeeded"; 12]);
}

#[tokio::test]
async fn ends_at_its_limits_if_the_model_alternates_two_calls() {
    let alternating = || {
        model(|request| {
            Ok(call_response(&[(
                "f",
                if turn(request).is_multiple_of(2) { "{}" } else { r#"{"x":1}"# },
            )]))
        })
    };
    let settings = LoopSettings { max_calls: Some(5), ..LoopSettings::default() };
    let result = run(identity("f"), settings, alternating()).await;
    assert_eq!((result.turns, &result.end), (6, &LoopEnd::Budget));
    assert_eq!(outcomes(&result), [&["succeeded"; 5][..], &["not_run"]].concat());
    let result = run(identity("f"), LoopSettings::default(), alternating()).await;
    assert_eq!((result.turns, &result.end), (12, &LoopEnd::MaxTurns));
}

#[tokio::test]
async fn requires_a_tool_in_the_first_turn_only() {
    let obedient = || {
        model(|request| match request.tool_choice {
            ToolChoice::Required | ToolChoice::Tool(_) => Ok(call_response(&[("f", "{}")])),
            ToolChoice::Auto => Ok(text_response("auto")),
            ToolChoice::None => Ok(text_response("none")),
        })
    };
    for (tool_choice, turns, text) in [
        (ToolChoice::Required, 2, "auto"),
        (ToolChoice::Tool("f".to_owned()), 2, "auto"),
        (ToolChoice::Auto, 1, "auto"),
        (ToolChoice::None, 1, "none"),
    ] {
        let tool_loop = ToolLoop::new(identity("f"), LoopSettings::default()).unwrap();
        let request = Request { tool_choice, ..ask("Go!") };
        let result = tool_loop.run(obedient(), request).await;
        assert_eq!((result.turns, result.text()), (turns, text));
        assert_eq!(result.end, LoopEnd::Answered);
    }
}

#[tokio::test]
async fn keeps_tool_choice_none_in_every_turn() {
    let model = model(|request| match turn(request) {
        0 => Ok(call_response(&[("f", "{}")])),
        _ => Ok(text_response(format!("{:?}", request.tool_choice))),
    });
    let tool_loop = ToolLoop::new(identity("f"), LoopSettings::default()).unwrap();
    let request = Request { tool_choice: ToolChoice::None, ..ask("Go!") };
    let result = tool_loop.run(model, request).await;
    assert_eq!(result.text(), "None");
}

#[tokio::test]
async fn keeps_the_transcript_before_a_model_error() {
    let broken = model(|request| match turn(request) {
        0 => Ok(call_response(&[("f", r#"{"x":1}"#)])),
        _ => Err(ProviderError::internal("the model is away")),
    });
    let result = run(identity("f"), LoopSettings::default(), broken).await;
    let LoopEnd::ModelError(error) = &result.end else { panic!("{result:?}") };
    assert_eq!(error.to_string(), "the model is away");
    assert_eq!(result.calls[0].result, r#"{"x":1}"#);
    assert_eq!((result.turns, result.transcript.len()), (1, 3));
    let failing = model(|_| Err(ProviderError::internal("no")));
    let result = run(ToolRegistry::new(), LoopSettings::default(), failing).await;
    assert_eq!((result.response, result.turns), (None, 0));
}

#[tokio::test]
async fn continues_from_a_transcript_with_new_call_ids() {
    let mut registry = identity("f");
    add(&mut registry, "g", async |_| Ok("g".into()));
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    let both = |_: &Request| Ok(call_response(&[("f", "{}"), ("g", "{}")]));
    let answering =
        model(move |request| match request.messages.last().map(|message| &message.role) {
            Some(Role::User) => both(request),
            _ => Ok(text_response("done")),
        });
    let mut request = ask("first");
    let mut seen = Vec::new();
    for _ in 0..3 {
        let result = tool_loop.run(answering.clone(), request).await;
        assert_every_call_has_a_result(&result);
        assert_eq!(result.text(), "done");
        seen.extend(result.calls.into_iter().map(|call| call.id));
        request = Request { messages: result.transcript, ..Request::default() };
        request.messages.push(Message::new(Role::User, "again"));
    }
    let ids = ["1-1", "1-2", "3-1", "3-2", "5-1", "5-2"].map(|id| format!("tool-call-{id}"));
    assert_eq!(seen, ids);
}

#[tokio::test]
async fn replaces_call_ids_that_a_model_repeats() {
    // daprd's echo repeats ids like this.
    let counting = model(|request| {
        let mut response = call_response(&[("f", "{}"), ("f", r#"{"x":1}"#), ("f", r#"{"x":2}"#)]);
        let ids = [Some("0"), Some("0"), Some("")].map(|id| id.map(str::to_owned));
        for (call, id) in response.tool_calls.iter_mut().zip(ids) {
            *call = ToolCall { id, ..call.clone() };
        }
        Ok(if turn(request) < 2 { response } else { text_response("done") })
    });
    let result = run(identity("f"), LoopSettings::default(), counting).await;
    let ids: Vec<_> = result.calls.iter().map(|call| call.id.as_str()).collect();
    let expected = ["0", "tool-call-1-2", "tool-call-1-3", "tool-call-2-1", "tool-call-2-2"];
    assert_eq!(ids[..5], expected);
    assert_eq!(ids[5], "tool-call-2-3");
}
