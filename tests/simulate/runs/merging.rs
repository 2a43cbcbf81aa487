//! Shards, and merging their results.

use std::{fs, path::PathBuf, process::Command};

use mynah::simulate::{RunIdentity, RunSettings, merge};

use super::{complete, identity, message, read, results, settings, whole};
use crate::support::{mynah, scratch};

/// Runs each of these shards, in a folder of its own.
async fn run_shards(folder: &std::path::Path, shards: &[&str]) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for shard in shards {
        let out = folder.join(shard.replace('/', "-of-"));
        let settings = RunSettings { shard: Some(shard.parse().unwrap()), ..settings(&out) };
        complete(&identity(11), &settings).await.unwrap();
        folders.push(out);
    }
    folders
}

#[tokio::test]
async fn a_shard_plays_every_nth_conversation() {
    let folder = scratch("shards");
    let folders = run_shards(&folder, &["1/3"]).await;
    let text = read(&folders[0]);
    let mut lines = text.lines();
    let header = r#"{"run":"desk","hash":"1","scenarios":2,"conversations":11,"shard":"1/3"}"#;
    assert_eq!(lines.next(), Some(header));
    let ids: Vec<_> = lines.map(|line| line.split('"').nth(3).unwrap()).collect();
    assert_eq!(ids, ["refund-1", "refund-4", "refund-7", "refund-10"]);
}

#[tokio::test]
async fn merged_shards_equal_the_whole_run() {
    let folder = scratch("merge");
    let expected = whole(11).await;
    // There may be more shards than conversations.
    for shards in [1, 2, 3, 13] {
        let names: Vec<_> = (0..shards).rev().map(|index| format!("{index}/{shards}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let folders = run_shards(&folder, &names).await;
        let out = folder.join("merged");
        let summary = merge(&folders, &out).unwrap();
        assert_eq!(read(&out), expected);
        assert_eq!((summary.tally.finished, summary.tally.failed), (11, 1));
    }
}

/// Systems often let a process open 1,024 files.
#[tokio::test]
async fn merges_more_shards_than_it_may_open_files() {
    const SHARDS: usize = 300;
    let (folder, identity) = (scratch("many"), identity(SHARDS));
    let mut merge = Command::new("sh");
    merge.args(["-c", "ulimit -n 290; exec \"$0\" \"$@\""]).arg(mynah().get_program());
    merge.args(["simulate", "merge"]);
    for index in 0..SHARDS {
        let out = folder.join(index.to_string());
        let shard = Some(format!("{index}/{SHARDS}").parse().unwrap());
        complete(&identity, &RunSettings { shard, ..settings(&out) }).await.unwrap();
        merge.arg(out);
    }
    let out = folder.join("merged");
    let output = merge.arg("--out").arg(&out).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(read(&out), whole(SHARDS).await);
}

#[tokio::test]
async fn refuses_gaps() {
    let folder = scratch("gaps");
    let folders = run_shards(&folder, &["0/3", "2/3"]).await;
    let error = message(merge(&folders, &folder.join("out")), &folder);
    assert_eq!(error, "4 of 11 conversations are missing: 1, 4, 7, 10; finish shard 1/3 first");
    assert!(!folder.join("out").exists());
    // An interrupted shard also has gaps.
    let text = read(&folders[0]);
    fs::write(results(&folders[0]), &text[..text.len() - 9]).unwrap();
    let error = message(merge(&folders, &folder.join("out")), &folder);
    assert_eq!(
        error,
        "5 of 11 conversations are missing: 1, 4, 7, 9, 10; finish shard 0/3, 1/3 first"
    );
}

#[tokio::test]
async fn refuses_doubles() {
    let folder = scratch("doubles");
    let folders = run_shards(&folder, &["0/2", "0/3"]).await;
    let error = message(merge(&folders, &folder.join("out")), &folder);
    assert_eq!(
        error,
        "conversation 0 is in both FOLDER/0-of-2/results.jsonl and FOLDER/0-of-3/results.jsonl"
    );
}

#[tokio::test]
async fn refuses_a_line_that_is_doubled_within_a_shard() {
    let folder = scratch("doubled-line");
    let folders = run_shards(&folder, &["0/2", "1/2"]).await;
    let text = read(&folders[0]);
    let last = text.lines().last().unwrap();
    fs::write(results(&folders[0]), format!("{text}{last}\n")).unwrap();
    let error = message(merge(&folders, &folder.join("out")), &folder);
    assert_eq!(
        error,
        "FOLDER/0-of-2/results.jsonl:8: conversation 10 is already in an earlier line; delete the \
         line to continue"
    );
}

#[tokio::test]
async fn refuses_different_runs() {
    let folder = scratch("mixed");
    let folders = run_shards(&folder, &["0/2"]).await;
    let other = RunIdentity { hash: "2".to_owned(), ..identity(11) };
    complete(&other, &settings(&folder.join("other"))).await.unwrap();
    let all = [folders[0].clone(), folder.join("other")];
    let error = message(merge(&all, &folder.join("out")), &folder);
    assert_eq!(
        error,
        "FOLDER/0-of-2/results.jsonl and FOLDER/other/results.jsonl are not of the same run: the \
         simulate file or its inputs have changed"
    );
}

#[tokio::test]
async fn keeps_the_results_of_shards_and_of_other_runs() {
    let folder = scratch("target");
    let folders = run_shards(&folder, &["0/2", "1/2"]).await;
    let before = read(&folders[0]);
    let error = message(merge(&folders, &folders[0]), &folder);
    assert!(
        error.ends_with(
            "belongs to another run: it is shard 0/2, not the whole run; to replace it, delete it \
             first; to keep it, use another folder"
        ),
        "{error}"
    );
    assert_eq!(read(&folders[0]), before);
    let foreign = folder.join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(results(&foreign), "shopping list\n").unwrap();
    let problem = "FOLDER/foreign/results.jsonl:1: not the first line of the results of a run";
    let error = message(merge(&folders, &foreign), &folder);
    assert_eq!(error, format!("{problem}; to replace it, delete it first"));
    assert_eq!(message(merge(&[foreign], &folder.join("out")), &folder), problem);
    merge(&folders, &folder.join("out")).unwrap();
    merge(&folders, &folder.join("out")).unwrap();
}

#[tokio::test]
async fn reports_folders_without_results() {
    let folder = scratch("nothing");
    assert_eq!(
        message(merge(&[], &folder), &folder),
        "there is nothing to merge; name the folders of the shards"
    );
    let error = message(merge(&[folder.join("absent")], &folder), &folder);
    assert_eq!(error, "cannot open FOLDER/absent/results.jsonl");
    fs::write(results(&folder), "").unwrap();
    let error = message(merge(std::slice::from_ref(&folder), &folder), &folder);
    assert_eq!(error, "FOLDER/results.jsonl:1: the file has no results; finish the run first");
}
