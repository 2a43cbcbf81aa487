//! Tests of the simulation in `deploy/simulate.yaml`.

use std::{fs, path::Path};

use super::files::folder_with;
use crate::support::{
    mynah,
    process::{Output, Process},
};

/// Number of pods in the Job.
const SHARDS: usize = 4;

/// Returns the simulation in the ConfigMap.
fn simulation() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/simulate.yaml");
    let text = fs::read_to_string(file).unwrap();
    let (_, value) = text.split_once("support-desk.yaml: |\n").unwrap();
    let lines = value.lines().map_while(|line| line.strip_prefix("    "));
    lines.map(|line| format!("{line}\n")).collect()
}

fn simulate(folder: &Path, args: &[&str]) -> Output {
    let mut command = mynah();
    command.current_dir(folder).arg("simulate").args(args);
    let output = Process::start(&mut command).wait();
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    output
}

#[test]
fn jobs_play_the_whole_simulation() {
    let folder = folder_with(&[("support-desk.yaml", &simulation())]);
    let shards: Vec<_> = (0..SHARDS).map(|shard| format!("shard-{shard}")).collect();
    for (index, out) in shards.iter().enumerate() {
        let shard = format!("--shard={index}/{SHARDS}");
        simulate(&folder, &["support-desk.yaml", &shard, "--out", out]);
    }
    let mut merge = vec!["merge", "--out=merged"];
    merge.extend(shards.iter().map(String::as_str));
    insta::assert_snapshot!(simulate(&folder, &merge).stdout, @r"
    support-desk: 1000 conversations, 1000 completed, 0 failed
    messages: 3.0 on average
    outcome                    simulated
    resolved               1000 (100.0%)
    report: merged/report.html
    ");
    simulate(&folder, &["support-desk.yaml", "--out", "whole"]);
    let results = |run| fs::read(folder.join(run).join("results.jsonl")).unwrap();
    assert!(results("merged") == results("whole"), "the results differ");
}
