//! Interrupted runs, and the results of other runs.

use std::{
    fs,
    num::NonZeroUsize,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use mynah::simulate::{EarlierResults, RunIdentity, RunSettings, run};
use tokio_util::sync::CancellationToken;

use super::{complete, identity, interrupted, message, play, read, results, settings, whole};
use crate::support::scratch;

#[tokio::test]
async fn a_restarted_run_plays_only_what_is_missing() {
    let folder = scratch("resume");
    let settings = RunSettings { in_flight: NonZeroUsize::new(4).unwrap(), ..settings(&folder) };
    interrupted(&identity(20), &settings, 8).await;
    let stored = read(&folder).lines().count() - 1;
    assert!((8..20).contains(&stored));
    let plays = AtomicUsize::new(0);
    let play = |index| {
        plays.fetch_add(1, Ordering::Relaxed);
        play(index)
    };
    let cancel = CancellationToken::new();
    let summary = run(&identity(20), &settings, play, |_| {}, cancel).await.unwrap();
    assert_eq!((summary.resumed, summary.tally.finished), (stored, 20));
    assert_eq!(plays.into_inner(), 20 - stored);
    assert_eq!(read(&folder), whole(20).await);
}

#[tokio::test]
async fn a_complete_run_is_not_played_again() {
    let folder = scratch("again");
    complete(&identity(5), &settings(&folder)).await.unwrap();
    let before = read(&folder);
    let timings = || fs::read_to_string(folder.join("timings.json")).unwrap();
    let times = timings();
    let summary = complete(&identity(5), &settings(&folder)).await.unwrap();
    assert_eq!(summary.resumed, 5);
    assert_eq!(read(&folder), before);
    assert_eq!(timings(), times);
}

/// A killed process can stop writing at any byte.
#[tokio::test]
async fn a_run_continues_after_a_cut_at_any_byte() {
    let folder = scratch("cut");
    let expected = whole(3).await;
    let breaks = expected.match_indices('\n').flat_map(|(at, _)| [at, at + 1]);
    for length in breaks.chain((0..expected.len()).step_by(23)) {
        fs::write(results(&folder), &expected.as_bytes()[..length]).unwrap();
        let lines = expected.as_bytes()[..length].iter().filter(|byte| **byte == b'\n').count();
        let summary = complete(&identity(3), &settings(&folder)).await.unwrap();
        assert_eq!(summary.resumed, lines.saturating_sub(1), "cut at byte {length}");
        assert_eq!(read(&folder), expected, "cut at byte {length}");
    }
}

/// Conversations that are played at the same time are stored in the order in which they end.
#[tokio::test]
async fn a_run_continues_after_a_cut_of_unsorted_results() {
    let folder = scratch("cut-unsorted");
    let expected = whole(4).await;
    let lines: Vec<_> = expected.lines().collect();
    let unsorted = [0, 3, 1, 4, 2].map(|line| lines[line]).join("\n") + "\n";
    let breaks = unsorted.match_indices('\n').flat_map(|(at, _)| [at, at + 1]);
    for length in breaks.chain((0..unsorted.len()).step_by(23)) {
        let kept = &unsorted.as_bytes()[..length];
        fs::write(results(&folder), kept).unwrap();
        let lines = kept.iter().filter(|byte| **byte == b'\n').count();
        let summary = complete(&identity(4), &settings(&folder)).await.unwrap();
        assert_eq!(summary.resumed, lines.saturating_sub(1), "cut at byte {length}");
        assert_eq!(read(&folder), expected, "cut at byte {length}");
    }
}

/// A process can be killed while it rewrites the results in their order.
#[tokio::test]
async fn a_cut_temporary_file_is_replaced() {
    let folder = scratch("cut-temporary");
    let expected = whole(3).await;
    let lines: Vec<_> = expected.lines().collect();
    let unsorted = [0, 2, 3, 1].map(|line| lines[line]).join("\n") + "\n";
    let temporary = folder.join("results.jsonl.tmp");
    for length in (0..expected.len()).step_by(101) {
        fs::write(results(&folder), &unsorted).unwrap();
        fs::write(&temporary, &expected.as_bytes()[..length]).unwrap();
        let summary = complete(&identity(3), &settings(&folder)).await.unwrap();
        assert_eq!(summary.resumed, 3);
        assert_eq!(read(&folder), expected, "cut at byte {length}");
        assert!(!temporary.exists());
    }
}

#[tokio::test]
async fn an_unreadable_last_line_is_played_again() {
    let folder = scratch("zeros");
    let expected = whole(3).await;
    // File systems can leave zeros after a power failure.
    let lines: Vec<_> = expected.lines().collect();
    let zeros = "\0".repeat(40);
    fs::write(results(&folder), [&lines[..3], &[&zeros, ""]].concat().join("\n")).unwrap();
    let summary = complete(&identity(3), &settings(&folder)).await.unwrap();
    assert_eq!(summary.resumed, 2);
    assert_eq!(read(&folder), expected);
}

#[tokio::test]
async fn refuses_results_with_an_invalid_line_before_the_last() {
    let folder = scratch("invalid");
    let whole = whole(3).await;
    let lines: Vec<_> = whole.lines().collect();
    for (line, problem) in [
        ("nonsense", "not a complete line of JSON"),
        (
            "{\"index\":1}",
            "not the result of a conversation: missing field `id` at line 1 column 11",
        ),
        (lines[1], "conversation 0 is already in an earlier line"),
        (&lines[1].replace(":0,", ":7,"), "conversation 7 does not belong to this file"),
    ] {
        fs::write(results(&folder), [lines[0], lines[1], line, lines[2], ""].join("\n")).unwrap();
        let before = read(&folder);
        let error = message(complete(&identity(3), &settings(&folder)).await, &folder);
        assert_eq!(
            error,
            format!("FOLDER/results.jsonl:3: {problem}; delete the line to continue")
        );
        assert_eq!(read(&folder), before);
        fs::write(results(&folder), [lines[0], lines[1], lines[2], ""].join("\n")).unwrap();
        assert_eq!(complete(&identity(3), &settings(&folder)).await.unwrap().resumed, 2);
    }
}

#[tokio::test]
async fn refuses_a_complete_last_line_that_does_not_belong_to_the_results() {
    let folder = scratch("last");
    let whole = whole(3).await;
    let lines: Vec<_> = whole.lines().collect();
    for (line, problem) in [
        (lines[1], "conversation 0 is already in an earlier line"),
        (&lines[1].replace(":0,", ":7,"), "conversation 7 does not belong to this file"),
        (
            "[]",
            "not the result of a conversation: invalid type: sequence, expected struct SimulatedConversation at line 1 column 0",
        ),
    ] {
        fs::write(results(&folder), [lines[0], lines[1], line, ""].join("\n")).unwrap();
        let error = message(complete(&identity(3), &settings(&folder)).await, &folder);
        assert_eq!(
            error,
            format!("FOLDER/results.jsonl:3: {problem}; delete the line to continue")
        );
    }
}

#[tokio::test]
async fn failed_conversations_are_played_again_on_request() {
    let folder = scratch("retry");
    let summary = complete(&identity(20), &settings(&folder)).await.unwrap();
    assert_eq!((summary.tally.finished, summary.tally.failed), (20, 2));
    let before = read(&folder);
    let retry = RunSettings { earlier: EarlierResults::KeepCompleted, ..settings(&folder) };
    let played = Mutex::new(Vec::new());
    let succeed = |index| {
        played.lock().unwrap().push(index);
        play(index + 1)
    };
    let cancel = CancellationToken::new();
    let summary = run(&identity(20), &retry, succeed, |_| {}, cancel).await.unwrap();
    assert_eq!((summary.resumed, summary.tally.failed), (18, 0));
    assert_eq!(played.into_inner().unwrap(), [6, 13]);
    let after = read(&folder);
    let lines = before.lines().zip(after.lines());
    assert_eq!(lines.filter(|(before, after)| before == after).count(), 19);
    let again = complete(&identity(20), &retry).await.unwrap();
    assert_eq!(again.resumed, 20);
    assert_eq!(read(&folder), after);
}

#[tokio::test]
async fn keeps_the_failed_conversations_of_another_run() {
    let folder = scratch("retry-other");
    complete(&identity(20), &settings(&folder)).await.unwrap();
    let before = read(&folder);
    let changed = RunIdentity { hash: "2".to_owned(), ..identity(20) };
    let retry = RunSettings { earlier: EarlierResults::KeepCompleted, ..settings(&folder) };
    let error = message(complete(&changed, &retry).await, &folder);
    assert!(error.contains("belongs to another run"), "{error}");
    assert_eq!(read(&folder), before);
}

#[tokio::test]
async fn refuses_the_results_of_another_run_unless_fresh() {
    let folder = scratch("other");
    interrupted(&identity(5), &settings(&folder), 2).await;
    fs::write(folder.join("report.json"), "old").unwrap();
    let before = read(&folder);
    let changed = RunIdentity { hash: "2".to_owned(), ..identity(5) };
    let error = message(complete(&changed, &settings(&folder)).await, &folder);
    assert_eq!(
        error,
        "FOLDER/results.jsonl belongs to another run: the simulate file or its inputs have changed; \
         to replace it, use --fresh; to keep it, use another folder"
    );
    assert_eq!(read(&folder), before);
    let fresh = RunSettings { earlier: EarlierResults::Replace, ..settings(&folder) };
    let summary = complete(&changed, &fresh).await.unwrap();
    assert_eq!(summary.resumed, 0);
    assert!(read(&folder).starts_with(r#"{"run":"desk","hash":"2","#));
    assert!(!folder.join("report.json").exists());
}

#[tokio::test]
async fn refuses_the_results_of_another_shard_or_name() {
    let folder = scratch("shard");
    complete(&identity(5), &settings(&folder)).await.unwrap();
    let shard = RunSettings { shard: Some("1/2".parse().unwrap()), ..settings(&folder) };
    let error = message(complete(&identity(5), &shard).await, &folder);
    assert!(error.contains("another run: it is the whole run, not shard 1/2;"), "{error}");
    let renamed = RunIdentity { name: "shop".to_owned(), ..identity(5) };
    let error = message(complete(&renamed, &settings(&folder)).await, &folder);
    assert!(error.contains(r#"another run: its name is "desk", not "shop";"#), "{error}");
}

#[tokio::test]
async fn refuses_files_that_are_not_results() {
    let folder = scratch("foreign");
    for text in ["", "{\"run", "{\"run\":\"de"] {
        fs::write(results(&folder), text).unwrap();
        complete(&identity(2), &settings(&folder)).await.unwrap();
    }
    for text in ["{}\n", "shopping list", "{\"runs\"", "{\"run\":1}\n"] {
        fs::write(results(&folder), text).unwrap();
        let error = message(complete(&identity(2), &settings(&folder)).await, &folder);
        assert_eq!(
            error,
            "FOLDER/results.jsonl:1: not the first line of the results of a run; to replace it, use \
             --fresh"
        );
        assert_eq!(read(&folder), text);
    }
}

#[tokio::test]
async fn only_one_process_writes_to_a_folder() {
    let folder = scratch("lock");
    let (identity, settings) = (identity(1), settings(&folder));
    let play = |index| {
        let (identity, settings) = (identity.clone(), settings.clone());
        async move {
            let error = message(complete(&identity, &settings).await, &settings.out);
            assert_eq!(error, "another process is writing to FOLDER");
            super::conversation(index)
        }
    };
    run(&identity, &settings, play, |_| {}, CancellationToken::new()).await.unwrap();
    complete(&identity, &settings).await.unwrap();
}

#[tokio::test]
async fn reports_a_folder_that_cannot_be_created() {
    let folder = scratch("file");
    fs::write(folder.join("out"), "").unwrap();
    let error = message(complete(&identity(1), &settings(&folder.join("out"))).await, &folder);
    assert_eq!(error, "cannot create FOLDER/out");
}
