//! Formats results as Markdown.

use std::fmt::{self, Display};

use crate::{
    figures::{Figures, Ratio},
    targets::Target,
};

/// A Markdown table.
#[derive(Debug)]
pub(crate) struct Table {
    text: String,
}

impl Table {
    pub(crate) fn new(columns: &[&str]) -> Self {
        let rule = vec!["---"; columns.len()].join("|");
        Self { text: format!("| {} |\n|{rule}|\n", columns.join(" | ")) }
    }

    /// Adds a row and prints it to stderr to show progress.
    pub(crate) fn row(&mut self, cells: &[impl Display]) {
        let cells: Vec<_> = cells.iter().map(ToString::to_string).collect();
        let row = format!("| {} |", cells.join(" | "));
        eprintln!("  {row}");
        self.text += &row;
        self.text.push('\n');
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Formats the figures for one server as table cells.
pub(crate) fn figures(figures: Figures) -> [String; 6] {
    let Figures { rate, p50, p99, cpu, faults, switches } = figures;
    let [p50, p99] = [p50, p99].map(|latency| format!("{latency:.0}"));
    let [faults, switches] = [faults, switches].map(|count| format!("{count:.2}"));
    [thousands(rate), p50, p99, format!("{cpu:.1}"), faults, switches]
}

/// Formats a figure in thousands with three significant digits.
pub(crate) fn thousands(figure: f64) -> String {
    let thousands = figure / 1e3;
    match thousands {
        ..10.0 => format!("{thousands:.2}k"),
        10.0..100.0 => format!("{thousands:.1}k"),
        _ => format!("{thousands:.0}k"),
    }
}

/// Formats a ratio with its interval.
pub(crate) fn ratio(Ratio { median, low, high }: Ratio) -> String {
    format!("{median:.2} ({low:.2} to {high:.2})")
}

/// Describes the target and whether the figure meets it. On a noisy machine, the figure is not
/// judged.
pub(crate) fn verdict(figure: f64, target: Target, is_quiet: bool) -> String {
    let (word, bound) = match target {
        Target::AtMost(bound) => ("at most", bound),
        Target::AtLeast(bound) => ("at least", bound),
    };
    let verdict = match (is_quiet, target.is_met(figure)) {
        (false, _) => "not judged",
        (true, true) => "ok",
        (true, false) => "missed",
    };
    format!("{word} {}: {verdict}", bound_text(bound))
}

fn bound_text(bound: f64) -> String {
    format!("{bound:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
}
