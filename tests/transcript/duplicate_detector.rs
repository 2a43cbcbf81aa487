//! Tests of which calls the loop skips as duplicates under each policy, turn by turn.

use std::slice;

use mynah::{
    chat::{Message, ToolCall},
    tool_loop::{
        CallFailure, CallOutcome, CallRecord, ToolError,
        transcript::{DuplicateDetector, DuplicatePolicy, Rendering, ToolTurn, Verdict, Wording},
    },
};

use super::{assistant, call, user};

/// Returns a call to the tool `a`.
fn a(arguments: &str) -> ToolCall {
    call("1", "a", arguments)
}

/// Returns which calls run in each turn if every call succeeds.
fn run(policy: DuplicatePolicy, turns: &[&[ToolCall]]) -> Vec<Vec<bool>> {
    let mut detector = DuplicateDetector::from_history(policy, &[]);
    turns.iter().map(|calls| run_turn(&mut detector, calls, true)).collect()
}

/// Returns which calls run in one turn.
fn run_turn(detector: &mut DuplicateDetector, calls: &[ToolCall], succeed: bool) -> Vec<bool> {
    let verdicts = detector.check(calls, |name| name == "repeatable");
    let is_run = |Verdict { key, is_duplicate }| {
        if !is_duplicate {
            detector.record(key, succeed);
        }
        !is_duplicate
    };
    verdicts.into_iter().map(is_run).collect()
}

#[test]
fn previous_compares_with_the_call_before() {
    let (one, two) = (a(r#"{"n": 1}"#), a(r#"{"n": 2}"#));
    let same = a(r#"{ "n": 1.0 }"#);
    let turns = [&one, &same, &one, &two, &one].map(slice::from_ref);
    let expected = [vec![true], vec![false], vec![false], vec![true], vec![true]];
    assert_eq!(run(DuplicatePolicy::Previous, &turns), expected);
}

#[test]
fn any_successful_compares_with_all_calls() {
    let both = [a(r#"{"n": 1}"#), a(r#"{"n": 2}"#)];
    let turns = [&both[..1], &both[1..], &both];
    let expected = [vec![true], vec![true], vec![false, false]];
    assert_eq!(run(DuplicatePolicy::AnySuccessful, &turns), expected);
}

#[test]
fn any_successful_allows_a_failed_call_again() {
    let mut detector = DuplicateDetector::from_history(DuplicatePolicy::AnySuccessful, &[]);
    let calls = [a("{}")];
    assert_eq!(run_turn(&mut detector, &calls, false), [true]);
    assert_eq!(run_turn(&mut detector, &calls, true), [true]);
    assert_eq!(run_turn(&mut detector, &calls, true), [false]);
    let mut detector = DuplicateDetector::from_history(DuplicatePolicy::Previous, &[]);
    assert_eq!(run_turn(&mut detector, &calls, false), [true]);
    assert_eq!(
        run_turn(&mut detector, &calls, false),
        [false],
        "`previous` also counts failed calls"
    );
}

#[test]
fn skips_a_call_repeated_within_a_turn() {
    let turn = [a("{}"), call("2", "b", "{}"), a("")];
    for policy in [DuplicatePolicy::Previous, DuplicatePolicy::AnySuccessful] {
        assert_eq!(run(policy, &[&turn]), [[true, true, false]], "{policy:?}");
    }
    assert_eq!(run(DuplicatePolicy::Off, &[&turn, &turn]), [[true; 3]; 2]);
}

#[test]
fn runs_every_call_of_a_repeatable_tool() {
    let turn = [call("1", "repeatable", "{}"), call("2", "repeatable", "{}")];
    assert_eq!(run(DuplicatePolicy::Previous, &[&turn, &turn]), [[true; 2]; 2]);
    let between = [&[a("{}")][..], &turn, &[a("{}")]];
    assert_eq!(
        run(DuplicatePolicy::Previous, &between)[2],
        [true],
        "its calls count as the call before"
    );
}

/// Models send such arguments and may repeat them.
#[test]
fn compares_arguments_that_are_not_objects_as_text() {
    let deep = "[".repeat(100_000);
    for arguments in ["San Francisco", "[1]", "{", &deep] {
        let (same, other) = (a(arguments), a("{}"));
        let turns = [&[same.clone()][..], &[same], &[other]];
        assert_eq!(run(DuplicatePolicy::Previous, &turns), [[true], [false], [true]]);
    }
}

/// Returns the history of a loop in which the call to `a` ended like this.
fn history(rendering: &Rendering, first: CallRecord) -> Vec<Message> {
    let mut messages =
        rendering.messages(&ToolTurn { number: 1, text: String::new(), calls: vec![first] });
    let calls = vec![CallRecord::new(call("2", "b", "{}"), CallOutcome::Succeeded, "done")];
    messages.extend(rendering.messages(&ToolTurn { number: 2, text: "And".to_owned(), calls }));
    messages
}

#[test]
fn resumes_with_the_calls_of_the_history() {
    let again = [a(r#"{"n": 1}"#), call("4", "b", "{}")];
    let failed = |failure| CallRecord::failed(a(r#"{"n":1}"#), failure);
    let table = [
        (CallRecord::new(a(r#"{"n":1}"#), CallOutcome::Succeeded, "Oslo"), false),
        (failed(CallFailure::Error(ToolError::new("no network"))), true),
        (failed(CallFailure::UnknownTool("a".to_owned())), true),
    ];
    for rendering in [Rendering::Native, Rendering::Text(Wording::default())] {
        for (first, is_run) in table.clone() {
            let history = history(&rendering, first.clone());
            let mut detector =
                DuplicateDetector::from_history(DuplicatePolicy::AnySuccessful, &history);
            assert_eq!(
                run_turn(&mut detector, &again, true),
                [is_run, false],
                "{rendering:?} {first:?}"
            );
            let mut detector = DuplicateDetector::from_history(DuplicatePolicy::Previous, &history);
            assert_eq!(run_turn(&mut detector, &[again[1].clone()], true), [false]);
        }
    }
}

#[test]
fn a_call_without_a_result_did_not_succeed() {
    let orphan = [user("go"), assistant("AI ACTION: Executing A")];
    let mut detector = DuplicateDetector::from_history(DuplicatePolicy::AnySuccessful, &orphan);
    assert_eq!(run_turn(&mut detector, &[a("{}")], true), [true]);
}
