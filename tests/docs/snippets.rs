//! Checks the code blocks that contain no commands.

use std::fs;

use super::page::Page;
use crate::{
    interop::{child, folder},
    support::{Sidecar, mynah, scratch},
};

/// The languages of code blocks. `text` blocks are not checked.
const LANGUAGES: [&str; 10] =
    ["console", "go", "java", "javascript", "json", "python", "rust", "text", "typescript", "yaml"];

/// The examples that pages quote.
const EXAMPLES: [&str; 17] = [
    "examples/agent.rs",
    "examples/chains/python/app.py",
    "examples/openai/app.py",
    "examples/testing/go/desk_test.go",
    "examples/testing/python/durable/test_durable_agent.py",
    "examples/testing/python/tests/conftest.py",
    "examples/testing/python/tests/test_dapr_agents.py",
    "examples/testing/python/tests/test_desk.py",
    "examples/travel/go/support_test.go",
    "java/src/test/java/weather/AssistantTest.java",
    "java/src/test/java/weather/ParallelTest.java",
    "java/src/test/java/weather/WeatherTest.java",
    "js/test/examples/app.ts",
    "js/test/examples/assistant.vitest.test.ts",
    "js/test/examples/weather.jest.test.cjs",
    "js/test/examples/weather.vitest.test.ts",
    "tests/interop/go_helper/weather_test.go",
];

/// Checks all snippets of a page.
pub(super) fn check(page: &Page) {
    for language in page.text.split("```").skip(1).step_by(2).filter_map(|b| b.lines().next()) {
        let path = &page.path;
        assert!(LANGUAGES.contains(&language), "{path}: unknown language of a block: {language:?}");
    }
    page.blocks("json").into_iter().for_each(check_json);
    for language in ["go", "java", "javascript", "python", "rust", "typescript"] {
        page.blocks(language).into_iter().for_each(check_quotation);
    }
    page.blocks("yaml").into_iter().for_each(check_yaml);
}

fn check_json(block: &str) {
    let parsed = serde_json::from_str::<serde_json::Value>(block);
    assert!(parsed.is_ok(), "{parsed:?}\n{block}");
}

/// Checks that a block is quoted from an example, which has its own test.
fn check_quotation(block: &str) {
    let is_in = |path: &&str| fs::read_to_string(folder(path)).expect("an example").contains(block);
    assert!(EXAMPLES.iter().any(is_in), "in no example:\n{block}");
}

fn check_yaml(block: &str) {
    if is_for_others(block) {
        // A page starts daprd with it, or a real model belongs to it.
    } else if block.contains("kind: Component") {
        check_components(block);
    } else if block.starts_with("rules:") || block.starts_with("normalize:") {
        check_rules(block);
    } else if block.contains("runs-on:") {
        block.lines().filter_map(|line| line.trim().strip_prefix("- run: mynah ")).for_each(run);
    } else if block.contains("services:") {
        let commands = block.lines().filter_map(|line| line.trim().strip_prefix("command: "));
        commands.for_each(serve);
    } else {
        panic!(
            "a YAML block must show components, rules, a workflow or Compose services:\n{block}"
        );
    }
}

/// Returns `true` if a block is one of the components for daprd or for real models, without comments.
fn is_for_others(block: &str) -> bool {
    let folders = ["components/daprd", "components/daprd-adaptor", "examples/recording/components"];
    let folders = folders.map(folder);
    let files = folders.into_iter().flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let mut texts = files.map(|file| fs::read_to_string(file.expect("a file").path()));
    texts.any(|text| {
        let text = text.expect("a text");
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        lines.eq(block.lines())
    })
}

/// Checks that components load without errors and warnings.
fn check_components(block: &str) {
    let printed = check_file(block);
    assert!(!printed.starts_with("0 components"), "{printed}\n{block}");
}

fn check_rules(block: &str) {
    let printed = check_file(block);
    assert!(printed.contains(" 1 rules file,"), "{printed}\n{block}");
}

/// Checks a block as a file. Returns the output of `mynah check`.
fn check_file(block: &str) -> String {
    let file = scratch("docs").join("shown.yaml");
    fs::write(&file, block).expect("a file");
    let mut check = mynah();
    check.arg("check").arg(file).current_dir(folder("."));
    let printed = child::run(&mut check).expect_success(block);
    assert!(printed.ends_with(" 0 errors, 0 warnings\n"), "{printed}\n{block}");
    printed
}

/// Runs a `mynah run` from a workflow, with the command replaced by `true`.
fn run(arguments: &str) {
    let (flags, _) = arguments.split_once(" -- ").expect("a command after --");
    let mut run = mynah();
    run.args(flags.split_whitespace()).args(["--", "true"]).current_dir(folder("."));
    child::run(&mut run).expect_success(arguments);
}

/// Starts mynah as a Compose service does, with the sample components.
fn serve(command: &str) {
    let components = folder("components");
    let flags = command.replace("/components", components.to_str().expect("UTF-8"));
    Sidecar::start_with(&flags.split_whitespace().collect::<Vec<_>>());
}
