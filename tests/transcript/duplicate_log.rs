//! Duplicates as the loop sees them: turn by turn, by each policy.

use std::slice;

use mynah::{
    chat::{Message, ToolCall},
    tool_loop::transcript::{
        DuplicateLog, Duplicates, FinishedCall, Outcome, Rendering, ToolResult, Turn, Verdict,
        Wording,
    },
};

use super::{assistant, call, user};

fn a(arguments: &str) -> ToolCall {
    call("1", "a", arguments)
}

/// Which calls of each turn are run, if every tool succeeds.
fn run(policy: Duplicates, turns: &[&[ToolCall]]) -> Vec<Vec<bool>> {
    let mut log = DuplicateLog::resume(policy, &[]);
    turns.iter().map(|calls| judge(&mut log, calls, true)).collect()
}

fn judge(log: &mut DuplicateLog, calls: &[ToolCall], succeed: bool) -> Vec<bool> {
    let verdicts = log.judge(calls, |name| name == "repeatable");
    let is_run = |Verdict { key, is_duplicate }| {
        if succeed && !is_duplicate {
            log.succeeded(key);
        }
        !is_duplicate
    };
    verdicts.into_iter().map(is_run).collect()
}

#[test]
fn previous_looks_at_the_call_before() {
    let (one, two) = (a(r#"{"n": 1}"#), a(r#"{"n": 2}"#));
    let same = a(r#"{ "n": 1.0 }"#);
    let turns = [&one, &same, &one, &two, &one].map(slice::from_ref);
    let expected = [vec![true], vec![false], vec![false], vec![true], vec![true]];
    assert_eq!(run(Duplicates::Previous, &turns), expected);
}

#[test]
fn any_successful_looks_at_all() {
    let both = [a(r#"{"n": 1}"#), a(r#"{"n": 2}"#)];
    let turns = [&both[..1], &both[1..], &both];
    let expected = [vec![true], vec![true], vec![false, false]];
    assert_eq!(run(Duplicates::AnySuccessful, &turns), expected);
}

#[test]
fn any_successful_lets_a_failed_call_be_tried_again() {
    let mut log = DuplicateLog::resume(Duplicates::AnySuccessful, &[]);
    let calls = [a("{}")];
    assert_eq!(judge(&mut log, &calls, false), [true]);
    assert_eq!(judge(&mut log, &calls, true), [true]);
    assert_eq!(judge(&mut log, &calls, true), [false]);
    let mut log = DuplicateLog::resume(Duplicates::Previous, &[]);
    assert_eq!(judge(&mut log, &calls, false), [true]);
    assert_eq!(judge(&mut log, &calls, false), [false], "to `previous`, failures are calls, too");
}

#[test]
fn the_same_call_twice_in_a_turn_is_a_duplicate() {
    let turn = [a("{}"), call("2", "b", "{}"), a("")];
    for policy in [Duplicates::Previous, Duplicates::AnySuccessful] {
        assert_eq!(run(policy, &[&turn]), [[true, true, false]], "{policy:?}");
    }
    assert_eq!(run(Duplicates::Off, &[&turn, &turn]), [[true; 3]; 2]);
}

#[test]
fn a_repeatable_tool_has_no_duplicates() {
    let turn = [call("1", "repeatable", "{}"), call("2", "repeatable", "{}")];
    assert_eq!(run(Duplicates::Previous, &[&turn, &turn]), [[true; 2]; 2]);
    let between = [&[a("{}")][..], &turn, &[a("{}")]];
    assert_eq!(run(Duplicates::Previous, &between)[2], [true], "but its calls are calls");
}

/// Models write such things; that they do so again is no less a duplicate.
#[test]
fn arguments_that_are_no_object_are_compared_as_they_are() {
    let deep = "[".repeat(100_000);
    for arguments in ["San Francisco", "[1]", "{", &deep] {
        let (same, other) = (a(arguments), a("{}"));
        let turns = [&[same.clone()][..], &[same], &[other]];
        assert_eq!(run(Duplicates::Previous, &turns), [[true], [false], [true]]);
    }
}

/// A history with `outcome` for the call of `a`, as a loop would have made it.
fn history(rendering: &Rendering, outcome: Outcome) -> Vec<Message> {
    let calls = vec![FinishedCall { call: a(r#"{"n":1}"#), outcome }];
    let mut messages = rendering.messages(&Turn { number: 1, text: String::new(), calls });
    let calls = vec![FinishedCall {
        call: call("2", "b", "{}"),
        outcome: Outcome::Result(ToolResult::success("done")),
    }];
    messages.extend(rendering.messages(&Turn { number: 2, text: "And".to_owned(), calls }));
    messages
}

#[test]
fn a_loop_resumes_with_the_calls_of_its_history() {
    let again = [a(r#"{"n": 1}"#), call("4", "b", "{}")];
    let table = [
        (Outcome::Result(ToolResult::success("Oslo")), false),
        (Outcome::Result(ToolResult::failure("no network")), true),
        (Outcome::NotFound, true),
    ];
    for rendering in [Rendering::Native, Rendering::Text(Wording::default())] {
        for (outcome, is_run) in table.clone() {
            let history = history(&rendering, outcome.clone());
            let mut log = DuplicateLog::resume(Duplicates::AnySuccessful, &history);
            assert_eq!(judge(&mut log, &again, true), [is_run, false], "{rendering:?} {outcome:?}");
            let mut log = DuplicateLog::resume(Duplicates::Previous, &history);
            assert_eq!(judge(&mut log, &[again[1].clone()], true), [false]);
        }
    }
}

#[test]
fn a_call_without_a_result_has_not_succeeded() {
    let orphan = [user("go"), assistant("AI ACTION: Executing A")];
    let mut log = DuplicateLog::resume(Duplicates::AnySuccessful, &orphan);
    assert_eq!(judge(&mut log, &[a("{}")], true), [true]);
}
