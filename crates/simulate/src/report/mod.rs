//! The report of a run as one HTML file, which needs neither a network nor scripts.

// text           texts of numbers and times
// charts         charts in SVG
// transcript     the conversations in the report
// tables         the tables and figures

mod charts;
mod tables;
mod text;
mod transcript;

use std::{
    io::{self, Write},
    path::Path,
};

use minijinja::{AutoEscape, Environment, value::Serde};
use serde::Serialize;

use self::{
    tables::{Figure, Section, figures, sections},
    text::number,
    transcript::{Transcript, clean},
};
use crate::{
    Report,
    analysis::{FAILED_GROUP, Group, outcome_label},
    run::{Action, RunError, file_error, write_file},
};

/// Name of the file.
const PAGE: &str = "report.html";
/// Maximum number of conversations on the page.
const MAX_CONVERSATIONS: usize = 200;

#[derive(Serialize)]
struct Page<'a> {
    style: &'static str,
    run: String,
    hash: &'a str,
    figures: Vec<Figure>,
    sections: Vec<Section>,
    groups: Vec<GroupView>,
    conversations: Vec<Transcript>,
    shown: String,
    total: String,
    is_complete: bool,
}

/// A group of conversations on the page.
#[derive(Serialize)]
struct GroupView {
    name: String,
    kind: &'static str,
    /// How many conversations are on the page, and how many there are.
    shown: String,
    total: String,
}

/// Writes the report to report.html in a folder. The file needs no other file and no network.
///
/// # Errors
///
/// Fails if the results cannot be read or the file cannot be written.
pub fn write_html(folder: &Path, report: &Report) -> Result<(), RunError> {
    let path = folder.join(PAGE);
    let (groups, conversations) = choose(report)?;
    let sections = sections(report).map_err(|error| failed(&path, error))?;
    let (shown, total) = (conversations.len(), report.conversations);
    let page = Page {
        style: include_str!("page.css"),
        run: clean(&report.run),
        hash: &report.hash,
        figures: figures(report),
        sections,
        groups,
        conversations,
        shown: number(shown),
        total: number(total),
        is_complete: shown == total,
    };
    let html = render(&page).map_err(|error| failed(&path, error))?;
    write_file(&path, |target| target.write_all(html.as_bytes()))
}

fn render(page: &Page<'_>) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.render_str(include_str!("page.html"), Serde(page))
}

fn failed(path: &Path, error: impl std::error::Error + Send + Sync + 'static) -> RunError {
    file_error(Action::Write, path)(io::Error::other(error))
}

/// Chooses the conversations on the page, spread over the outcomes.
fn choose(report: &Report) -> Result<(Vec<GroupView>, Vec<Transcript>), RunError> {
    let mut groups: Vec<_> = report.index.groups.iter().collect();
    groups.sort_by_key(|(group, spans)| (kind(group), std::cmp::Reverse(spans.len())));
    let sizes: Vec<_> = groups.iter().map(|(_, spans)| spans.len()).collect();
    let mut views = Vec::new();
    let mut transcripts = Vec::new();
    for (number_of_group, ((group, spans), count)) in
        groups.iter().zip(divide(MAX_CONVERSATIONS, &sizes)).enumerate()
    {
        let name = match group {
            Group::Outcome(name) => clean(&outcome_label(Some(name))),
            Group::WithoutOutcome => outcome_label(None).into_owned(),
            Group::Failed => FAILED_GROUP.to_owned(),
        };
        let (shown, total) = (number(count), number(spans.len()));
        views.push(GroupView { name, kind: kind(group), shown, total });
        // One at a time, because conversations may be large.
        for span in spread(spans, count) {
            let read = report.index.read([span])?;
            transcripts.extend(read.iter().map(|it| Transcript::new(number_of_group, it)));
        }
    }
    Ok((views, transcripts))
}

/// Returns the kind of a group. Kinds sort as on the page.
fn kind(group: &Group) -> &'static str {
    match group {
        Group::Outcome(_) => "ended",
        Group::WithoutOutcome => "open",
        Group::Failed => "stopped",
    }
}

/// Divides `total` among groups of these sizes: small groups are complete, and the others have equal
/// parts.
fn divide(total: usize, sizes: &[usize]) -> Vec<usize> {
    let mut by_size: Vec<_> = (0..sizes.len()).collect();
    by_size.sort_by_key(|group| sizes.get(*group));
    let (mut rest, mut groups) = (total, sizes.len());
    let mut parts = vec![0; sizes.len()];
    for group in by_size {
        let size = sizes.get(group).copied().unwrap_or_default();
        // The groups that are left share what is left. The last one gets the remainder.
        let part = size.min(rest / groups);
        if let Some(slot) = parts.get_mut(group) {
            *slot = part;
        }
        rest -= part;
        groups -= 1;
    }
    parts
}

/// Chooses `count` items at equal distances.
fn spread<T: Copy>(items: &[T], count: usize) -> Vec<T> {
    (0..count).filter_map(|number| items.get(number * items.len() / count).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_groups_are_complete_and_others_share_the_rest() {
        for (total, sizes, expected) in [
            (200, vec![], vec![]),
            (200, vec![3, 0, 7], vec![3, 0, 7]),
            (200, vec![1_000, 10, 5_000], vec![95, 10, 95]),
            (10, vec![100, 100, 100], vec![3, 3, 4]),
            (2, vec![1, 1, 1], vec![0, 1, 1]),
        ] {
            assert_eq!(divide(total, &sizes), expected, "{sizes:?}");
        }
    }

    #[test]
    fn spreads_over_all_items() {
        assert_eq!(spread(&[0, 1, 2, 3, 4, 5], 3), [0, 2, 4]);
        assert_eq!(spread(&[0, 1], 2), [0, 1]);
        assert_eq!(spread(&[0, 1], 0), [0; 0]);
    }
}
