//! Tests of the answers of sidecars that are kept.

use std::fs;

use super::{
    files::folder_with,
    models::SCRIPTED,
    play::{lines, play_in, results, with_agent},
};
use crate::support::{Sidecar, process::run};

/// Returns the number of calls that a sidecar got.
fn calls(sidecar: &Sidecar) -> usize {
    let endpoint = format!("http://{}/mynah/v1", sidecar.http);
    run(&["journal", "--endpoint", &endpoint]).stdout.lines().count()
}

#[test]
fn answers_of_sidecars_can_be_kept() {
    let sidecar = Sidecar::start();
    let address = sidecar.grpc;
    let agent = format!("sidecar: {{address: '{address}', component: echo}}");
    let keys = format!(
        "clock: virtual\ncache: answers\noutcomes: [{{name: one, description: It is one}}]\n\
         detectors: [{{judge: {{sidecar: {{address: '{address}'}}, instructions: one}}}}]"
    );
    let simulation =
        with_agent(&agent, &keys).replace("initial_message", "repeat: 8, initial_message");
    let folder = folder_with(&[("simulate.yaml", &simulation)]);
    assert_eq!(play_in(&folder, &[]).code, Some(0));
    let first = fs::read(folder.join("out/results.jsonl")).unwrap();
    let asked = calls(&sidecar);
    // The agent answers once. The judge, which repeats the question, fails.
    assert_eq!(asked, 2);
    let answers: Vec<_> = fs::read_dir(folder.join("answers")).unwrap().flatten().collect();
    assert_eq!(answers.len(), asked);
    assert_eq!(play_in(&folder, &["--fresh"]).code, Some(0));
    assert_eq!(fs::read(folder.join("out/results.jsonl")).unwrap(), first);
    assert_eq!(calls(&sidecar), asked);
    // Damaged answers are asked for again.
    fs::write(answers[0].path(), "{\"content\": ").unwrap();
    let output = play_in(&folder, &["--fresh"]);
    assert!(output.stderr.contains("not an answer"), "{}", output.stderr);
    assert_eq!(calls(&sidecar), asked + 1);
    let text = fs::read_to_string(answers[0].path()).unwrap();
    assert!(text.contains("finish_reason"), "{text}");
    // Whether answers are kept does not make another run.
    fs::write(folder.join("simulate.yaml"), simulation.replace("cache: answers\n", "")).unwrap();
    assert_eq!(play_in(&folder, &[]).code, Some(0));
}

/// The sentence for the end of a chain is never said, and a kept answer is no exception.
#[test]
fn a_kept_answer_may_end_a_chain() {
    let sidecar = Sidecar::with_components(SCRIPTED);
    let chain = r#"<|instruction_start|>{"messages": [{"text": "first"}]}<|instruction_end|>"#;
    let agent = format!(
        "sidecar: {{address: '{}', component: scripted}}, instructions: '{chain}'",
        sidecar.grpc
    );
    let folder = folder_with(&[("simulate.yaml", &with_agent(&agent, "cache: answers"))]);
    for flags in [&[][..], &["--fresh"]] {
        assert_eq!(play_in(&folder, flags).code, Some(0));
        assert_eq!(
            lines(&results(&folder)[0]),
            "customer: one\nagent: first\ncustomer: two\ncustomer: three\n-- both_passed"
        );
    }
}
