//! The figures and tables of the report, with their charts.

use std::collections::{BTreeMap, BTreeSet};

use mynah_core::base::text::shorten;
use plotters::style::RGBColor;
use serde::Serialize;

use super::{
    charts::{ChartError, FAILED, PREDICTED, RECORDED, Row, SIMULATED, Series, bars, columns},
    text::{duration, number, percentage},
    transcript::{clean, end_reason},
};
use crate::{AdversarialEvaluation, OutcomeDistribution, Report, analysis::outcome_label};

/// Maximum number of rows of a chart, and of a table.
const CHART_ROWS: usize = 12;
const TABLE_ROWS: usize = 50;
/// Maximum length of a label in a chart, in characters.
const LABEL: usize = 34;

/// A figure at the top of the report.
#[derive(Serialize)]
pub(super) struct Figure {
    label: &'static str,
    value: String,
    note: String,
    is_bad: bool,
}

/// A section with a chart and a table.
#[derive(Default, Serialize)]
pub(super) struct Section {
    title: &'static str,
    /// What the chart shows, for screen readers.
    description: &'static str,
    chart: Option<String>,
    /// The colors in the chart, if there are several.
    legend: Vec<(&'static str, &'static str)>,
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    /// The number of rows that are only in report.json.
    omitted: usize,
    is_wide: bool,
    /// Whether all cells are texts.
    is_words: bool,
}

impl Section {
    fn new(title: &'static str, head: &[&'static str], mut rows: Vec<Vec<String>>) -> Self {
        let omitted = rows.len().saturating_sub(TABLE_ROWS);
        rows.truncate(TABLE_ROWS);
        Self { title, head: head.to_vec(), rows, omitted, ..Self::default() }
    }

    fn with_chart(self, description: &'static str, chart: String) -> Self {
        Self { description, chart: (!chart.is_empty()).then_some(chart), ..self }
    }
}

/// Returns the figures at the top.
pub(super) fn figures(report: &Report) -> Vec<Figure> {
    let simulated = &report.outcome_comparison.simulated_distribution;
    let with_outcome = 100.0 - simulated.percentage_without_outcome;
    let stats = &report.message_distribution_comparison.simulated_stats;
    let calls: usize = report.tool_use.values().map(|tool| tool.calls).sum();
    let failed = report.failures.total;
    let figure = |label, value, note: String| Figure { label, value, note, is_bad: false };
    let shard = report.shard.map_or_else(String::new, |shard| format!("shard {shard}"));
    let outcome = if simulated.total_conversations > 0 { with_outcome } else { 0.0 };
    let range = format!("{} to {}", stats.min_messages, stats.max_messages);
    let mean = format!("{:.1}", stats.mean_messages);
    let longest = format!("up to {}", duration(report.durations.max_seconds));
    let tools = format!("of {} tools", report.tool_use.len());
    vec![
        figure("Conversations", number(report.conversations), shard),
        Figure { is_bad: failed > 0, ..figure("Failed", number(failed), share(failed, report)) },
        figure(
            "With an outcome",
            percentage(outcome),
            format!("of {} completed", number(simulated.total_conversations)),
        ),
        figure("Messages, mean", mean, range),
        figure("Duration, mean", duration(report.durations.mean_seconds), longest),
        figure("Tool calls", number(calls), tools),
    ]
}

fn share(count: usize, report: &Report) -> String {
    percentage(count as f64 * 100.0 / report.conversations.max(1) as f64)
}

/// Returns the sections of the report.
pub(super) fn sections(report: &Report) -> Result<Vec<Section>, ChartError> {
    let all = [
        Some(outcomes(report)?),
        Some(lengths(report)?),
        Some(end_reasons(report)?),
        (!report.tool_use.is_empty()).then(|| tools(report)).transpose()?,
        Some(durations(report)),
        report.adversarial_evaluation.as_ref().map(adversarial),
        Some(scenarios(report)),
        (report.failures.total > 0).then(|| failures(report)),
    ];
    Ok(all.into_iter().flatten().collect())
}

/// Returns `true` if the conversations were made from recorded ones.
fn is_recorded(report: &Report) -> bool {
    report.outcome_comparison.original_distribution.total_conversations > 0
}

const LEGEND: [(&str, &str); 3] = [
    ("simulated", "Simulated"),
    ("recorded", "Recorded"),
    ("predicted", "Recorded, outcome detected"),
];

fn outcomes(report: &Report) -> Result<Section, ChartError> {
    let comparison = &report.outcome_comparison;
    let columns: [(&OutcomeDistribution, RGBColor); 3] = [
        (&comparison.simulated_distribution, SIMULATED),
        (&comparison.original_distribution, RECORDED),
        (&comparison.original_with_predicted_outcomes, PREDICTED),
    ];
    let shown = if is_recorded(report) { &columns[..] } else { &columns[..1] };
    let names: BTreeSet<_> = shown.iter().flat_map(|(it, _)| it.outcome_counts.keys()).collect();
    let mut names: Vec<_> = names.into_iter().map(|name| Some(name.as_str())).collect();
    names.sort_by_key(|name| std::cmp::Reverse(comparison.simulated_distribution.share(*name).0));
    if shown.iter().any(|(it, _)| it.conversations_without_outcome > 0) {
        names.push(None);
    }
    let label = |name: Option<&str>| clean(&outcome_label(name));
    let bar_row = |name: &Option<&str>| Row {
        label: shorten(&label(*name), LABEL).into_owned(),
        value: percentage(comparison.simulated_distribution.share(*name).1),
        bars: shown.iter().map(|(it, color)| (it.share(*name).1 / 100.0, *color)).collect(),
    };
    let chart = bars(&names.iter().take(CHART_ROWS).map(bar_row).collect::<Vec<_>>())?;
    let table_row = |name: &Option<&str>| {
        let cell = |(it, _): &(&OutcomeDistribution, RGBColor)| {
            let (count, percent) = it.share(*name);
            format!("{} ({})", number(count), percentage(percent))
        };
        [label(*name)].into_iter().chain(shown.iter().map(cell)).collect()
    };
    let head = ["Outcome", "Simulated", "Recorded", "Detected"];
    let section =
        Section::new("Outcomes", &head[..=shown.len()], names.iter().map(table_row).collect());
    let legend = if shown.len() > 1 { LEGEND.to_vec() } else { Vec::new() };
    let section = section.with_chart("The percentage of conversations with each outcome", chart);
    Ok(Section { legend, ..section })
}

fn lengths(report: &Report) -> Result<Section, ChartError> {
    let stats = &report.message_distribution_comparison;
    let both = [(&stats.simulated_stats, SIMULATED), (&stats.original_stats, RECORDED)];
    let shown = if is_recorded(report) { &both[..] } else { &both[..1] };
    let series = shown
        .iter()
        .map(|(stats, color)| Series { counts: &stats.message_count_distribution, color: *color });
    let chart = columns(&series.collect::<Vec<_>>(), "messages")?;
    let row = |label: &str, value: &dyn Fn(&crate::MessageDistributionStats) -> String| {
        let values = shown.iter().map(|(stats, _)| value(stats));
        [label.to_owned()].into_iter().chain(values).collect()
    };
    let rows = vec![
        row("Shortest", &|stats| stats.min_messages.to_string()),
        row("Median", &|stats| stats.median_messages.to_string()),
        row("Mean", &|stats| format!("{:.1}", stats.mean_messages)),
        row("Most frequent", &|stats| stats.mode_messages.to_string()),
        row("Longest", &|stats| stats.max_messages.to_string()),
        row("Standard deviation", &|stats| format!("{:.1}", stats.std_dev_messages)),
    ];
    let head = ["Messages", "Simulated", "Recorded"];
    let section = Section::new("Lengths", &head[..=shown.len()], rows);
    let legend = if shown.len() > 1 { LEGEND[..2].to_vec() } else { Vec::new() };
    let section =
        section.with_chart("The percentage of conversations with each number of messages", chart);
    Ok(Section { legend, ..section })
}

fn end_reasons(report: &Report) -> Result<Section, ChartError> {
    let mut reasons: Vec<_> = report.end_reasons.iter().map(|(it, count)| (*it, *count)).collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let bar_row = |(reason, count): &(crate::EndReason, usize)| Row {
        label: end_reason(*reason),
        value: share(*count, report),
        bars: vec![(
            *count as f64 / report.conversations.max(1) as f64,
            if reason.is_failure() { FAILED } else { SIMULATED },
        )],
    };
    let chart = bars(&reasons.iter().map(bar_row).collect::<Vec<_>>())?;
    let rows = reasons
        .iter()
        .map(|(reason, count)| vec![end_reason(*reason), number(*count), share(*count, report)]);
    let head = ["End reason", "Conversations", "Share"];
    Ok(Section::new("End reasons", &head, rows.collect())
        .with_chart("The percentage of conversations that ended for each reason", chart))
}

fn tools(report: &Report) -> Result<Section, ChartError> {
    let mut tools: Vec<_> = report.tool_use.iter().collect();
    tools.sort_by_key(|(_, tool)| std::cmp::Reverse(tool.calls));
    let most = tools.first().map_or(1, |(_, tool)| tool.calls).max(1) as f64;
    let chart_rows = tools.iter().take(CHART_ROWS).map(|(name, tool)| Row {
        label: shorten(&clean(name), LABEL).into_owned(),
        value: number(tool.calls),
        bars: vec![(tool.calls as f64 / most, SIMULATED)],
    });
    let chart = bars(&chart_rows.collect::<Vec<_>>())?;
    let rows = tools.iter().map(|(name, tool)| {
        let conversations = number(tool.conversations);
        vec![clean(name), number(tool.calls), conversations, share(tool.conversations, report)]
    });
    let head = ["Tool", "Calls", "Conversations", "Share"];
    Ok(Section::new("Tool use", &head, rows.collect())
        .with_chart("The number of calls of each tool", chart))
}

fn durations(report: &Report) -> Section {
    let it = &report.durations;
    let rows = [
        ("Shortest", it.min_seconds),
        ("Median", it.median_seconds),
        ("Mean", it.mean_seconds),
        ("Longest", it.max_seconds),
        ("Standard deviation", it.std_dev_seconds),
        ("Sum", it.total_seconds),
    ];
    let rows = rows.map(|(label, seconds)| vec![label.to_owned(), duration(seconds)]);
    Section::new("Durations", &["Virtual time", ""], rows.to_vec())
}

fn adversarial(evaluation: &AdversarialEvaluation) -> Section {
    let row = |label: &str, value: String| vec![label.to_owned(), value];
    let rows = match evaluation {
        AdversarialEvaluation::Skipped { skipped } => vec![row("Skipped", clean(skipped))],
        AdversarialEvaluation::Evaluated {
            total_pairs_evaluated,
            correct_identifications,
            accuracy,
            invalid_answers,
        } => vec![
            row("Pairs", number(*total_pairs_evaluated)),
            row("Identified correctly", number(*correct_identifications)),
            row("Accuracy", percentage(accuracy * 100.0)),
            row("Invalid answers", number(*invalid_answers)),
        ],
    };
    Section::new("Real or simulated?", &["Judge", ""], rows)
}

fn scenarios(report: &Report) -> Section {
    let outcomes = |outcomes: &BTreeMap<String, usize>, without: usize| {
        let named = outcomes.iter().map(|(name, count)| (Some(name.as_str()), *count));
        let all = named.chain([(None, without)]);
        let texts = all.filter(|(_, count)| *count > 0).take(CHART_ROWS);
        let texts =
            texts.map(|(name, count)| format!("{} {}", clean(&outcome_label(name)), number(count)));
        texts.collect::<Vec<_>>().join(", ")
    };
    let rows = report.scenarios.iter().map(|(id, scenario)| {
        vec![
            clean(id),
            number(scenario.conversations),
            number(scenario.failed),
            format!("{:.1}", scenario.mean_messages),
            outcomes(&scenario.outcomes, scenario.without_outcome),
        ]
    });
    let head = ["Scenario", "Conversations", "Failed", "Messages, mean", "Outcomes"];
    Section { is_wide: true, ..Section::new("Scenarios", &head, rows.collect()) }
}

fn failures(report: &Report) -> Section {
    let rows = report.failures.examples.iter().map(|failure| {
        vec![clean(&failure.id), end_reason(failure.end_reason), clean(&failure.error)]
    });
    let section = Section::new("Failures", &["Conversation", "Reason", "Error"], rows.collect());
    let omitted = report.failures.total - report.failures.examples.len();
    Section { omitted, is_words: true, is_wide: true, ..section }
}
