//! Tests of runs that continue an earlier transcript and remember its calls.

use mynah::{
    chat::{Message, Request, Role},
    tool_loop::{
        CancellationToken, DuplicatePolicy, EndReason, LoopResult, LoopSettings, Rendering,
        ToolError, ToolLoop, ToolRegistry, Wording,
    },
};

use super::{
    ask,
    doubles::{add, calls_forever, identity, model, single_tool, text_response},
    outcomes,
};

/// One call, written as text.
const CALL: &str = "AI ACTION: Executing F with parameters: n: 1";

fn tools() -> ToolRegistry {
    let mut registry = identity("f");
    add(&mut registry, "fail", async |_| Err(ToolError::new("no")));
    registry
}

/// Runs a model that makes the calls in `text` in every turn.
async fn run(settings: LoopSettings, request: Request, text: &'static str) -> LoopResult {
    let model = match settings.rendering {
        Rendering::Native if text == CALL => calls_forever(&[("f", r#"{"n":1}"#)]),
        Rendering::Native => calls_forever(&[("fail", "{}"), ("f", r#"{"n":1}"#)]),
        Rendering::Text(_) => model(move |_| Ok(text_response(text))),
    };
    let tool_loop = ToolLoop::new(tools(), settings).unwrap();
    tool_loop.run(model, request).await
}

/// Runs a model that makes one call to a tool that never returns, and cancels the run meanwhile.
async fn interrupt(settings: LoopSettings) -> LoopResult {
    let cancel = CancellationToken::new();
    let cancelling = cancel.clone();
    let hanging = single_tool("f", move |_| {
        cancelling.cancel();
        std::future::pending()
    });
    let model = match settings.rendering {
        Rendering::Native => calls_forever(&[("f", r#"{"n":1}"#)]),
        Rendering::Text(_) => model(|_| Ok(text_response(CALL))),
    };
    let tool_loop = ToolLoop::new(hanging, settings).unwrap();
    tool_loop.run(model, ask("Go!")).cancel_with(cancel).await
}

/// An interrupted call may have taken effect, so it must not run twice.
#[tokio::test]
async fn does_not_repeat_an_interrupted_call() {
    for settings in renderings() {
        for duplicates in [DuplicatePolicy::Previous, DuplicatePolicy::AnySuccessful] {
            let settings = LoopSettings { duplicates, ..settings.clone() };
            let first = interrupt(settings.clone()).await;
            assert_eq!(outcomes(&first), ["interrupted"], "{settings:?}");
            let told = first.transcript.last().unwrap().text().into_owned();
            assert!(told.ends_with("; it may have taken effect"), "{told}");
            let second = run(settings.clone(), continue_from(first), CALL).await;
            assert_eq!(outcomes(&second), ["duplicate"], "{settings:?}");
        }
    }
}

/// Returns a request that continues from the transcript.
fn continue_from(result: LoopResult) -> Request {
    Request { messages: result.transcript, ..Request::default() }
}

/// Returns settings for one turn, in each rendering.
fn renderings() -> [LoopSettings; 2] {
    [Rendering::Native, Rendering::Text(Wording::default())].map(|rendering| LoopSettings {
        rendering,
        max_turns: 1,
        ..LoopSettings::default()
    })
}

#[tokio::test]
async fn finds_duplicates_in_the_history() {
    for settings in renderings() {
        for (duplicates, then) in [
            (DuplicatePolicy::Previous, "duplicate"),
            (DuplicatePolicy::AnySuccessful, "duplicate"),
            (DuplicatePolicy::Off, "succeeded"),
        ] {
            let settings = LoopSettings { duplicates, ..settings.clone() };
            let first = run(settings.clone(), ask("Go!"), CALL).await;
            assert_eq!(outcomes(&first), ["succeeded"], "{settings:?}");
            let second = run(settings.clone(), continue_from(first), CALL).await;
            assert_eq!(outcomes(&second), [then], "{settings:?}");
            // A correction does not hide the previous call.
            let third = run(settings.clone(), continue_from(second), CALL).await;
            assert_eq!(outcomes(&third), [then], "{settings:?}");
        }
    }
}

#[tokio::test]
async fn runs_a_call_again_after_a_new_user_message() {
    for settings in renderings() {
        for duplicates in [DuplicatePolicy::Previous, DuplicatePolicy::AnySuccessful] {
            let settings = LoopSettings { duplicates, ..settings.clone() };
            let mut again = continue_from(run(settings.clone(), ask("Go!"), CALL).await);
            again.messages.push(Message::new(Role::User, "Once more!"));
            let second = run(settings.clone(), again, CALL).await;
            assert_eq!(outcomes(&second), ["succeeded"], "{settings:?}");
            let third = run(settings.clone(), continue_from(second), CALL).await;
            assert_eq!(outcomes(&third), ["duplicate"], "{settings:?}");
        }
    }
}

#[tokio::test]
async fn runs_a_call_that_the_earlier_run_skipped() {
    const BOTH: &str = "AI ACTION: Executing Fail\nAI ACTION: Executing F with parameters: n: 1";
    for settings in renderings() {
        let limited = LoopSettings { max_calls: Some(1), ..settings.clone() };
        let first = run(limited, ask("Go!"), BOTH).await;
        assert_eq!(outcomes(&first), ["error", "not_run"], "{settings:?}");
        assert_eq!(first.end, EndReason::Budget);
        let second = run(settings.clone(), continue_from(first.clone()), CALL).await;
        assert_eq!(outcomes(&second), ["succeeded"], "{settings:?}");
        // The previous call is the latest one that ran.
        let second = run(settings.clone(), continue_from(first), BOTH).await;
        assert_eq!(outcomes(&second), ["duplicate", "succeeded"], "{settings:?}");
    }
}
