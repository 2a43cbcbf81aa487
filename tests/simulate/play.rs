//! Plays simulations with the program.

use std::{fs, path::Path};

use serde_json::Value;

use super::files::folder_with;
use crate::support::{
    mynah,
    process::{Output, Process},
};

/// Plays `simulate.yaml` in a folder, which is also the working directory, into the folder `out`.
pub(super) fn play_in(folder: &Path, flags: &[&str]) -> Output {
    let mut command = mynah();
    command.current_dir(folder).args(["simulate", "simulate.yaml", "--out", "out"]).args(flags);
    Process::start(&mut command).wait()
}

/// Plays `simulate.yaml` in a folder with these environment variables.
pub(super) fn play_with_environment(folder: &Path, variables: &[(&str, &str)]) -> Output {
    let mut command = mynah();
    command.current_dir(folder).args(["simulate", "simulate.yaml", "--out", "out"]);
    Process::start(command.envs(variables.iter().copied())).wait()
}

/// Returns the results of a run, without the header.
pub(crate) fn results(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("out/results.jsonl")).unwrap();
    text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Plays a simulation, with other files. Returns its results.
pub(super) fn play(simulation: &str, files: &[(&str, &str)]) -> Vec<Value> {
    let folder = folder_with(&[&[("simulate.yaml", simulation)], files].concat());
    let output = play_in(&folder, &[]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    results(&folder)
}

/// Returns the messages of a result as lines, followed by the end reason and the error.
pub(crate) fn lines(result: &Value) -> String {
    let mut lines = Vec::new();
    for message in result["conversation"]["messages"].as_array().unwrap() {
        let [sender, content] = ["sender", "content"].map(|key| message[key].as_str().unwrap());
        let calls = message["tool_calls"].as_array().map_or_else(String::new, |calls| {
            calls.iter().map(|call| format!(" {call}")).collect()
        });
        lines.push(format!("{sender}: {content}{calls}"));
    }
    let outcome = &result["conversation"]["outcome"]["name"];
    let outcome = outcome.as_str().map_or_else(String::new, |name| format!(" ({name})"));
    let error = result["error"].as_str().map_or_else(String::new, |error| format!(": {error}"));
    lines.push(format!("-- {}{outcome}{error}", result["end_reason"].as_str().unwrap()));
    lines.join("\n")
}

/// Plays one conversation in which the customer says three things to an agent with these keys.
pub(super) fn play_agent(agent: &str, keys: &str, files: &[(&str, &str)]) -> String {
    lines(&play(&with_agent(agent, keys), files)[0])
}

/// A simulation in which the customer says three things to an agent with these keys.
pub(super) fn with_agent(agent: &str, keys: &str) -> String {
    format!(
        "name: a\n{keys}\nparticipants:\n\
         - {{name: c, role: customer, script: [{{text: one}}, {{text: two}}, {{text: three}}]}}\n\
         - {{name: a, role: agent, {agent}}}\n\
         scenarios:\n\
         - {{id: s, customer: c, agent: a, initial_message: {{sender: customer, content: one}}}}\n"
    )
}
