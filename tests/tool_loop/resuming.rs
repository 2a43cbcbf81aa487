//! Tests of runs that continue an earlier transcript and remember its calls.

use std::sync::{Arc, Mutex};

use mynah::{
    chat::{Message, Request, Role},
    provider::Provider,
    tool_loop::{
        CancellationToken, DuplicatePolicy, LoopEnd, LoopResult, LoopSettings, Rendering,
        ToolError, ToolLoop, ToolRegistry, Wording,
    },
};

use super::{
    ask,
    doubles::{add, call_response, calls_forever, identity, model, single_tool, text_response},
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

/// Returns a tool that counts its runs by argument. It cancels the run instead of returning in the
/// run with the number `cut`.
fn counter(runs: &Arc<Mutex<Vec<u64>>>, cut: usize, cancel: &CancellationToken) -> ToolRegistry {
    let (runs, cancel) = (runs.clone(), cancel.clone());
    single_tool("f", move |arguments| {
        let mut runs = runs.lock().unwrap();
        runs.push(arguments["n"].as_u64().unwrap());
        let is_cut = runs.len() == cut;
        let cancel = cancel.clone();
        async move {
            if is_cut {
                cancel.cancel();
                std::future::pending::<()>().await;
            }
            tokio::task::yield_now().await;
            Ok(arguments)
        }
    })
}

/// The calls of three turns. The model repeats its latest turn if a result says that a call was
/// interrupted or did not run.
fn charging_model(in_text: bool) -> Arc<dyn Provider> {
    let answers = move |request: &Request| {
        let prefix = if in_text { "AI ACTION" } else { "" };
        let mut turn = 0;
        let mut was_cut = false;
        for message in &request.messages {
            match &message.role {
                Role::Assistant { .. } if message.text().starts_with(prefix) => {
                    turn += u32::from(!was_cut);
                    was_cut = false;
                }
                _ => was_cut |= message.text().contains("because the tool loop ended"),
            }
        }
        let first = 2 * turn.saturating_sub(u32::from(was_cut));
        let calls = [first, first + 1].map(|n| format!(r#"{{"n":{n}}}"#));
        if first > 4 {
            return Ok(text_response("done"));
        }
        if in_text {
            let line = |n| format!("AI ACTION: Executing F with parameters: n: {n}");
            return Ok(text_response(format!("{}\n{}", line(first), line(first + 1))));
        }
        Ok(call_response(&[("f", &calls[0]), ("f", &calls[1])]))
    };
    model(answers)
}

/// A run that is cut at any point and continued runs no call twice.
#[tokio::test]
async fn a_continued_run_repeats_no_call() {
    for settings in renderings() {
        for cut in 1..=6 {
            // `previous` allows a call of the same batch to be repeated after it has succeeded.
            let duplicates = DuplicatePolicy::AnySuccessful;
            let settings = LoopSettings { max_turns: 12, duplicates, ..settings.clone() };
            let (runs, cancel) = (Arc::default(), CancellationToken::new());
            let model = charging_model(matches!(settings.rendering, Rendering::Text(_)));
            let tool_loop = ToolLoop::new(counter(&runs, cut, &cancel), settings).unwrap();
            let first = tool_loop.run(model.clone(), ask("Go!")).cancel_with(cancel).await;
            assert_eq!(first.end, LoopEnd::Cancelled);
            let second = tool_loop.run(model, continue_from(first)).await;
            assert_eq!((&second.end, second.text()), (&LoopEnd::Answered, "done"));
            let mut runs = runs.lock().unwrap().clone();
            runs.sort_unstable();
            assert_eq!(runs, [0, 1, 2, 3, 4, 5], "cut at {cut}");
        }
    }
}

/// Two charges that were interrupted at the same time: none of them may be repeated.
#[tokio::test]
async fn every_interrupted_call_of_a_turn_counts() {
    for settings in renderings() {
        let (runs, cancel) = (Arc::default(), CancellationToken::new());
        let model = charging_model(matches!(settings.rendering, Rendering::Text(_)));
        let settings = LoopSettings { max_turns: 12, ..settings };
        let tool_loop = ToolLoop::new(counter(&runs, 2, &cancel), settings).unwrap();
        let first = tool_loop.run(model.clone(), ask("Go!")).cancel_with(cancel).await;
        assert_eq!(outcomes(&first), ["interrupted", "interrupted"]);
        let second = tool_loop.run(model, continue_from(first)).await;
        assert_eq!(outcomes(&second)[..2], ["duplicate", "duplicate"]);
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
        assert_eq!(first.end, LoopEnd::Budget);
        let second = run(settings.clone(), continue_from(first.clone()), CALL).await;
        assert_eq!(outcomes(&second), ["succeeded"], "{settings:?}");
        // The previous call is the latest one that ran.
        let second = run(settings.clone(), continue_from(first), BOTH).await;
        assert_eq!(outcomes(&second), ["duplicate", "succeeded"], "{settings:?}");
    }
}
