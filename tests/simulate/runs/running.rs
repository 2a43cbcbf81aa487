//! Runs from start to end.

use std::{
    num::NonZeroUsize,
    sync::atomic::{AtomicUsize, Ordering},
};

use mynah::simulate::{EndReason, RunError, RunSettings, run};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{complete, conversation, identity, play, read, settings, whole};
use crate::support::{process::with_timeout, scratch};

fn with_in_flight(settings: RunSettings, in_flight: usize) -> RunSettings {
    RunSettings { in_flight: NonZeroUsize::new(in_flight).unwrap(), ..settings }
}

#[tokio::test]
async fn results_have_a_header_and_all_conversations_in_order() {
    let folder = scratch("run").join("new/folder");
    let summary = complete(&identity(30), &settings(&folder)).await.unwrap();
    assert_eq!((summary.resumed, summary.tally.finished, summary.tally.failed), (0, 30, 4));
    assert_eq!(summary.tally.outcomes.get("resolved"), Some(&8));
    assert_eq!(summary.tally.without_outcome, 18);
    let text = read(&folder);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let header = r#"{"run":"desk","hash":"1","scenarios":2,"conversations":30}"#;
    assert_eq!(text.lines().next(), Some(header));
    let expected = (0..30).map(|index| serde_json::to_value(conversation(index)).unwrap());
    assert!(lines[1..].iter().cloned().eq(expected));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_do_not_depend_on_the_number_in_flight() {
    let expected = whole(100).await;
    for in_flight in [1, 2, 16, 1_000] {
        let folder = scratch("in-flight");
        complete(&identity(100), &with_in_flight(settings(&folder), in_flight)).await.unwrap();
        assert_eq!(read(&folder), expected, "{in_flight} in flight");
        assert!(!folder.join("results.jsonl.tmp").exists());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn never_plays_more_conversations_at_once_than_allowed() {
    static PLAYING: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    let play = |index| async move {
        MOST.fetch_max(PLAYING.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let conversation = play(index).await;
        PLAYING.fetch_sub(1, Ordering::SeqCst);
        conversation
    };
    for (in_flight, conversations) in [(1, 7), (2, 9), (10, 50), (10, 3)] {
        MOST.store(0, Ordering::SeqCst);
        let mut started = Vec::new();
        let settings = with_in_flight(settings(&scratch("limit")), in_flight);
        let progress = |progress: mynah::simulate::RunProgress<'_>| {
            assert!(progress.in_flight <= in_flight);
            started.push(progress.tally.finished + progress.in_flight);
        };
        let cancel = CancellationToken::new();
        run(&identity(conversations), &settings, play, progress, cancel).await.unwrap();
        assert!(MOST.load(Ordering::SeqCst) <= in_flight);
        assert_eq!(started.last(), Some(&conversations));
    }
}

#[tokio::test]
async fn plays_as_many_conversations_at_once_as_allowed() {
    let settings = with_in_flight(settings(&scratch("at-once")), 4);
    // The conversations end only when four of them are being played.
    let all = std::sync::Arc::new(tokio::sync::Barrier::new(4));
    let play = |index| {
        let all = all.clone();
        async move {
            all.wait().await;
            play(index).await
        }
    };
    let cancel = CancellationToken::new();
    let identity = identity(8);
    let run = run(&identity, &settings, play, |_| {}, cancel);
    let summary = with_timeout(run).await.unwrap();
    assert_eq!(summary.tally.finished, 8);
}

#[tokio::test]
async fn starts_conversations_in_their_order() {
    let starts = std::sync::Mutex::new(Vec::new());
    let settings = with_in_flight(settings(&scratch("order")), 3);
    let play = |index| {
        starts.lock().unwrap().push(index);
        play(index)
    };
    run(&identity(9), &settings, play, |_| {}, CancellationToken::new()).await.unwrap();
    assert!(starts.into_inner().unwrap().into_iter().eq(0..9));
}

#[tokio::test]
async fn a_run_without_conversations_has_a_header_only() {
    assert_eq!(whole(0).await.lines().count(), 1);
}

#[tokio::test]
async fn timings_are_in_a_file_of_their_own() {
    let folder = scratch("timings");
    complete(&identity(12), &settings(&folder)).await.unwrap();
    let text = std::fs::read_to_string(folder.join("timings.json")).unwrap();
    let timings: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&timings["played"], &timings["resumed"]), (&12.into(), &0.into()));
    assert_eq!(timings["slowest"].as_array().unwrap().len(), 10);
    assert!(timings["seconds"].as_f64().unwrap() > 0.0);
}

#[tokio::test]
async fn a_panic_is_the_error_of_its_conversation() {
    let folder = scratch("panic");
    let play = |index| async move {
        assert_ne!(index, 3, "this panic is part of the test");
        play(index).await
    };
    let settings = with_in_flight(settings(&folder), 4);
    let summary = run(&identity(9), &settings, play, |_| {}, CancellationToken::new()).await;
    let tally = summary.unwrap().tally;
    assert_eq!((tally.finished, tally.failed), (9, 2));
    let (text, expected) = (read(&folder), whole(9).await);
    let others = |text: &str| -> Vec<String> {
        text.lines().enumerate().filter(|(at, _)| *at != 4).map(|(_, it)| it.to_owned()).collect()
    };
    assert_eq!(others(&text), others(&expected));
    let panicked: Value = serde_json::from_str(text.lines().nth(4).unwrap()).unwrap();
    assert_eq!(
        (&panicked["index"], &panicked["end_reason"]),
        (&3.into(), &"participant_error".into())
    );
    assert_eq!(panicked["error"], "the conversation panicked; the log has the reason");
}

#[tokio::test]
async fn cancelled_conversations_are_not_stored() {
    let folder = scratch("cancelled");
    let cancel = CancellationToken::new();
    let play = |index| {
        let cancel = cancel.clone();
        async move {
            let mut conversation = conversation(index);
            if index == 4 {
                cancel.cancel();
                conversation.result.end_reason = EndReason::Cancelled;
            }
            conversation
        }
    };
    let result = run(&identity(9), &settings(&folder), play, |_| {}, cancel.clone()).await;
    assert!(matches!(result, Err(RunError::Cancelled { stored: 4, conversations: 9 })));
    assert_eq!(
        result.unwrap_err().to_string(),
        "cancelled after 4 of 9 conversations; to continue, run the same command again"
    );
    assert_eq!(read(&folder).lines().count(), 5);
}
