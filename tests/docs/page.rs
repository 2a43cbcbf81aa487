//! Parses a page of the documentation: code blocks, commands, headings and links.

use std::fs;

use crate::interop::folder;

/// A Markdown file in the repository.
pub(super) struct Page {
    /// The path from the root of the repository.
    pub(super) path: String,
    pub(super) text: String,
}

/// A command and its expected output.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) command: String,
    pub(super) output: String,
}

impl Page {
    pub(super) fn read(path: &str) -> Self {
        let text = fs::read_to_string(folder(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        Self { path: path.to_owned(), text }
    }

    /// Returns the code blocks in one language.
    pub(super) fn blocks(&self, language: &str) -> Vec<&str> {
        let opening = format!("```{language}\n");
        let after = self.text.split(&opening).skip(1);
        after.filter_map(|rest| rest.split("\n```").next()).collect()
    }

    /// Returns the commands on the page, in order.
    pub(super) fn steps(&self) -> Vec<Step> {
        self.blocks("console").into_iter().flat_map(steps).collect()
    }

    /// Returns the text outside of code blocks.
    pub(super) fn prose(&self) -> String {
        let parts = self.text.split("```").step_by(2);
        parts.collect()
    }

    /// Returns the anchors of the headings, as GitHub and mdBook derive them.
    pub(super) fn anchors(&self) -> Vec<String> {
        let prose = self.prose();
        prose.lines().filter(|line| line.starts_with('#')).map(anchor).collect()
    }

    /// Returns the targets of the links.
    pub(super) fn links(&self) -> Vec<String> {
        let prose = self.prose();
        let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        targets.map(str::to_owned).collect()
    }
}

fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}

/// Splits a `console` block into commands with their output.
fn steps(block: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => {
                steps.push(Step { command: command.to_owned(), output: String::new() });
            }
            (None, Some(step)) if step.continues() => step.command += &format!("\n{line}"),
            (None, Some(step)) => step.output += &format!("{line}\n"),
            (None, None) => panic!("a console block must begin with a command, not with {line:?}"),
        }
    }
    steps
}

impl Step {
    /// Returns `true` if the next line belongs to the command.
    fn continues(&self) -> bool {
        let is_open = |quote| self.command.matches(quote).count() % 2 == 1;
        self.output.is_empty() && (is_open('\'') || self.command.ends_with('\\'))
    }

    /// Returns `true` if the command runs this program.
    pub(super) fn runs(&self, program: &str) -> bool {
        let words: Vec<_> = self.command.split(|c: char| c.is_whitespace() || c == '\'').collect();
        format!(" {} ", words.join(" ")).contains(&format!(" {program} "))
    }
}

#[test]
fn splits_a_block_into_steps() {
    let block = "$ one 'a\nb' \\\n  c\nout\n\nmore\n$ two\n$ three\nend";
    let expected = [("one 'a\nb' \\\n  c", "out\n\nmore\n"), ("two", ""), ("three", "end\n")];
    let step = |(command, output): (&str, &str)| Step {
        command: command.to_owned(),
        output: output.to_owned(),
    };
    assert_eq!(steps(block), expected.map(step));
}
