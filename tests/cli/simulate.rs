//! Tests of `mynah simulate`.

use std::{fs, path::Path};

use insta::assert_snapshot;

use super::{redact_folder, run_report, write_folder};

const SIMULATION: &str = "\
name: a
scenarios:
- {id: s, customer: {echo: true}, agent: {echo: true}, repeat: 5, initial_message: {sender: customer, content: Hi}}
";

fn simulate(folder: &Path, out: &str, flags: &[&str]) -> String {
    let [file, out] = ["simulate.yaml", out].map(|name| folder.join(name));
    let args = ["simulate", file.to_str().unwrap(), "--out", out.to_str().unwrap()];
    redact_folder(&run_report(&[&args[..], flags].concat()), folder)
}

#[test]
fn a_complete_run_is_not_played_again() {
    let folder = write_folder(&[("simulate.yaml", SIMULATION)]);
    let first = simulate(&folder, "out", &[]);
    let results = fs::read(folder.join("out/results.jsonl")).unwrap();
    assert_eq!(simulate(&folder, "out", &[]), first);
    assert_eq!(fs::read(folder.join("out/results.jsonl")).unwrap(), results);
}

#[test]
fn another_simulation_is_refused_unless_fresh() {
    let folder = write_folder(&[("simulate.yaml", SIMULATION)]);
    simulate(&folder, "out", &[]);
    fs::write(folder.join("simulate.yaml"), SIMULATION.replace("Hi", "Hello")).unwrap();
    assert_snapshot!(simulate(&folder, "out", &[]), @"
    -- stderr
    mynah: [folder]/out/results.jsonl belongs to another run: the simulate file or its inputs have changed; to replace it, use --fresh; to keep it, use another folder
    -- exit 1
    ");
    assert!(simulate(&folder, "out", &["--fresh"]).ends_with("-- exit 0"));
}

/// The number of conversations at the same time and the layout of the file do not change the results.
#[test]
fn a_run_goes_on_with_another_in_flight() {
    let folder = write_folder(&[("simulate.yaml", SIMULATION)]);
    let write = |text: String| fs::write(folder.join("simulate.yaml"), text).unwrap();
    let first = simulate(&folder, "one", &[]);
    write(format!("# a comment\nin_flight: 16\n{SIMULATION}"));
    assert_eq!(simulate(&folder, "one", &[]), first);
    simulate(&folder, "sixteen", &[]);
    for file in ["results.jsonl", "report.json"] {
        let [one, sixteen] = ["one", "sixteen"].map(|run| fs::read(folder.join(run).join(file)));
        assert_eq!(one.unwrap(), sixteen.unwrap(), "{file}");
    }
    write(SIMULATION.replace("content: Hi", "content: 'Hi'"));
    assert!(simulate(&folder, "one", &[]).ends_with("-- exit 1"));
}

#[test]
fn joined_shards_equal_the_whole_run() {
    let folder = write_folder(&[("simulate.yaml", SIMULATION)]);
    simulate(&folder, "whole", &[]);
    simulate(&folder, "0", &["--shard", "0/2"]);
    simulate(&folder, "1", &["--shard", "1/2"]);
    let [zero, one, out] =
        ["0", "1", "joined"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    run_report(&["simulate", "merge", &zero, &one, "--out", &out]);
    for file in ["results.jsonl", "report.json"] {
        let [whole, joined] = ["whole", "joined"].map(|run| fs::read(folder.join(run).join(file)));
        assert_eq!(whole.unwrap(), joined.unwrap(), "{file}");
    }
}

#[test]
fn wrong_usage() {
    assert_snapshot!(run_report(&["simulate"]), @"
    -- stderr
    error: the following required arguments were not provided:
      --out <FOLDER>
      <FILE>

    Usage: mynah simulate --out <FOLDER> <FILE>

    For more information, try '--help'.
    -- exit 64
    ");
    assert_snapshot!(run_report(&["simulate", "a.yaml", "--out", "b", "--shard", "2/2"]), @r#"
    -- stderr
    error: invalid value '2/2' for '--shard <NUMBER/COUNT>': invalid shard "2/2"; expected a number from 0 and the number of shards, such as 0/3

    For more information, try '--help'.
    -- exit 64
    "#);
}

#[test]
fn an_invalid_simulation_is_not_played() {
    let folder = write_folder(&[("simulate.yaml", &SIMULATION.replace("repeat: 5", "repeat: 0"))]);
    assert_snapshot!(simulate(&folder, "out", &[]), @"
    -- stderr
    mynah: the simulation is invalid:
      [folder]/simulate.yaml:3:64: 0 is out of range; use 1 to 1000000
    -- exit 1
    ");
    assert!(!folder.join("out").exists());
}
