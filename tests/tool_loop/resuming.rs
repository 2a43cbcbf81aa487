//! Runs that go on where another ended: what was called then is known.

use mynah::{
    chat::{Message, Request, Role},
    tool_loop::{
        CancellationToken, Duplicates, EndReason, LoopResult, LoopSettings, Rendering, ToolError,
        ToolLoop, ToolRegistry, Wording,
    },
};

use super::{
    ask,
    doubles::{add, calls_for_ever, identity, model, saying},
    outcomes,
};

/// One call, whether the model knows tools or not.
const CALL: &str = "AI ACTION: Executing F with parameters: n: 1";

fn tools() -> ToolRegistry {
    let mut registry = identity("f");
    add(&mut registry, "fail", async |_| Err(ToolError::new("no")));
    registry
}

/// A run of a model that makes this call, then as many calls as it may.
async fn run(settings: LoopSettings, request: Request, text: &'static str) -> LoopResult {
    let model = match settings.rendering {
        Rendering::Native if text == CALL => calls_for_ever(&[("f", r#"{"n":1}"#)]),
        Rendering::Native => calls_for_ever(&[("fail", "{}"), ("f", r#"{"n":1}"#)]),
        Rendering::Text(_) => model(move |_| Ok(saying(text))),
    };
    let tool_loop = ToolLoop::new(tools(), settings).unwrap();
    tool_loop.run(model, request, CancellationToken::new()).await
}

/// The transcript, to go on with.
fn go_on(result: LoopResult) -> Request {
    Request { messages: result.transcript, ..Request::default() }
}

fn renderings() -> [LoopSettings; 2] {
    [Rendering::Native, Rendering::Text(Wording::default())].map(|rendering| LoopSettings {
        rendering,
        max_turns: 1,
        ..LoopSettings::default()
    })
}

#[tokio::test]
async fn a_call_of_the_history_is_a_call() {
    for settings in renderings() {
        for (duplicates, then) in [
            (Duplicates::Previous, "duplicate"),
            (Duplicates::AnySuccessful, "duplicate"),
            (Duplicates::Off, "succeeded"),
        ] {
            let settings = LoopSettings { duplicates, ..settings.clone() };
            let first = run(settings.clone(), ask("Go!"), CALL).await;
            assert_eq!(outcomes(&first), ["succeeded"], "{settings:?}");
            let second = run(settings.clone(), go_on(first), CALL).await;
            assert_eq!(outcomes(&second), [then], "{settings:?}");
            // A correction hides no call.
            let third = run(settings.clone(), go_on(second), CALL).await;
            assert_eq!(outcomes(&third), [then], "{settings:?}");
        }
    }
}

#[tokio::test]
async fn what_the_user_asks_for_again_is_done_again() {
    for settings in renderings() {
        for duplicates in [Duplicates::Previous, Duplicates::AnySuccessful] {
            let settings = LoopSettings { duplicates, ..settings.clone() };
            let mut again = go_on(run(settings.clone(), ask("Go!"), CALL).await);
            again.messages.push(Message::new(Role::User, "Once more!"));
            let second = run(settings.clone(), again, CALL).await;
            assert_eq!(outcomes(&second), ["succeeded"], "{settings:?}");
            let third = run(settings.clone(), go_on(second), CALL).await;
            assert_eq!(outcomes(&third), ["duplicate"], "{settings:?}");
        }
    }
}

#[tokio::test]
async fn a_call_that_was_left_out_may_be_made_again() {
    const BOTH: &str = "AI ACTION: Executing Fail\nAI ACTION: Executing F with parameters: n: 1";
    for settings in renderings() {
        let limited = LoopSettings { max_calls: Some(1), ..settings.clone() };
        let first = run(limited, ask("Go!"), BOTH).await;
        assert_eq!(outcomes(&first), ["error", "ended"], "{settings:?}");
        assert_eq!(first.end, EndReason::Budget);
        let second = run(settings.clone(), go_on(first.clone()), CALL).await;
        assert_eq!(outcomes(&second), ["succeeded"], "{settings:?}");
        // The latest that was run is the one before.
        let second = run(settings.clone(), go_on(first), BOTH).await;
        assert_eq!(outcomes(&second), ["duplicate", "succeeded"], "{settings:?}");
    }
}
