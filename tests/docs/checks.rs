//! Checks the documentation as a whole: pages, links, flags and differences from daprd.

use std::{collections::BTreeSet, fs, path::Path};

use super::{PAGES, page::Page};
use crate::{
    interop::{child, folder},
    parity::differences,
    support::mynah,
};

/// Files that link to pages but have no test of their own.
const OTHER_FILES: [&str; 14] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "bench/README.md",
    "docs/SUMMARY.md",
    "examples/chains/README.md",
    "examples/go/README.md",
    "examples/python/README.md",
    "examples/recording/README.md",
    "examples/testing/go/README.md",
    "examples/testing/python/README.md",
    "examples/travel/README.md",
    "python/README.md",
];

/// Flags of other programs that the pages mention.
const FOREIGN_FLAGS: [&str; 5] =
    ["--", "--global", "--mynah-record", "--mynah-replay", "--save-dev"];

#[test]
fn readme_has_at_most_250_lines() {
    let lines = Page::read("README.md").text.lines().count();
    assert!(lines <= 250, "README.md has {lines} lines");
}

#[test]
fn every_page_has_a_test_and_is_in_the_summary() {
    let summary: BTreeSet<_> = Page::read("docs/SUMMARY.md").links().into_iter().collect();
    let files = fs::read_dir(folder("docs")).expect("a folder");
    let names = files.map(|file| file.expect("a file").file_name().into_string().expect("UTF-8"));
    for name in names.filter(|name| name != "SUMMARY.md" && name != "images") {
        assert!(PAGES.contains(&&*format!("docs/{name}")), "docs/{name} has no test");
        assert!(summary.contains(&name), "docs/{name} is not in docs/SUMMARY.md");
    }
}

#[test]
fn links_and_anchors_resolve() {
    for page in PAGES.iter().chain(&OTHER_FILES).map(|path| Page::read(path)) {
        for link in page.links().iter().filter(|link| !link.contains("://")) {
            check_link(&page, link);
        }
    }
}

fn check_link(page: &Page, link: &str) {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let base = Path::new(&page.path).parent().expect("a folder");
    let target = if path.is_empty() { page.path.clone() } else { join(base, path) };
    let place = format!("{}: link to {link}", page.path);
    assert!(folder(&target).exists(), "{place}: no such file");
    // The book contains only the files in this folder.
    let leaves_book = page.path.starts_with("docs/") && !target.starts_with("docs/");
    assert!(!leaves_book, "{place}: not a page of the book");
    let has_anchor = anchor.is_empty() || Page::read(&target).anchors().iter().any(|a| a == anchor);
    assert!(has_anchor, "{place}: no such heading");
}

fn join(base: &Path, path: &str) -> String {
    let mut parts: Vec<_> = base.iter().map(|part| part.to_str().expect("UTF-8")).collect();
    for part in path.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[test]
fn every_flag_is_documented() {
    let page = Page::read("docs/command-line.md");
    let missing: Vec<_> =
        flags().into_iter().filter(|flag| !page.text.contains(&format!("`{flag}`"))).collect();
    assert!(missing.is_empty(), "{} does not document {missing:?}", page.path);
}

#[test]
fn every_documented_flag_exists() {
    let flags = flags();
    for page in PAGES.iter().map(|path| Page::read(path)) {
        let prose = page.prose();
        let spans = prose.split('`').skip(1).step_by(2);
        let words = spans.filter(|span| !span.starts_with("cargo")).flat_map(str::split_whitespace);
        for word in words.filter(|word| word.starts_with("--")) {
            let flag = word.split('=').next().unwrap_or(word);
            let exists = flags.contains(flag) || FOREIGN_FLAGS.contains(&flag);
            assert!(exists, "{}: mynah has no flag {flag}", page.path);
        }
    }
}

/// Returns the flags that the help of any command lists.
fn flags() -> BTreeSet<String> {
    let help = |command: Option<&str>| {
        child::run(mynah().args(command).arg("--help")).expect_success("--help")
    };
    let general = help(None);
    let (_, commands) = general.split_once("\nCommands:\n").expect("a list of commands");
    let (commands, _) = commands.split_once("\n\n").expect("an end of the list");
    let commands = commands.lines().filter_map(|line| line.split_whitespace().next());
    let helps: String = commands.filter(|n| *n != "help").map(|name| help(Some(name))).collect();
    let all = general.clone() + &helps;
    let words = all.split(|c: char| c.is_whitespace() || matches!(c, '[' | ',' | '\''));
    let flags = words.filter(|word| word.starts_with("--") && word.len() > 2);
    flags.map(str::to_owned).chain(["--components-path".to_owned()]).collect()
}

#[test]
fn every_difference_from_daprd_is_documented() {
    let page = Page::read("docs/compatibility.md");
    let missing: Vec<_> = differences::reasons().filter(|why| !page.text.contains(why)).collect();
    assert!(missing.is_empty(), "{} does not list {missing:?}", page.path);
}

#[test]
fn the_recording_on_the_page_is_that_of_the_example() {
    let page = Page::read("docs/record.md").text;
    let example = Page::read("examples/recording/recordings/model.yaml").text;
    let mut blocks = page.split("```yaml\n").filter_map(|it| it.split("```").next());
    let recording = blocks.find(|it| it.starts_with("rules:\n- name: ")).expect("a recording");
    assert!(example.contains(recording), "not in the example:\n{recording}");
}
