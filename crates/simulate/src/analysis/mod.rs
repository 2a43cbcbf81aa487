//! What the conversations of a run have in common, and how they differ from recorded ones.
//!
//! The results are read once, line by line. Only counts, the places of the conversations in the file,
//! and hashes of the recorded conversations are kept: up to 100 bytes for each conversation.

// outcomes      how often each outcome occurs, and counts by name
// statistics    statistics of numbers
// index         the places of the conversations in the results
// report        the report of a run, and its summary as text
// adversarial   asks a judge which conversations are real

mod adversarial;
mod index;
mod outcomes;
mod report;
mod statistics;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use mynah_core::base::text::shorten;
use twox_hash::XxHash3_64;

pub use self::{
    adversarial::AdversarialTester,
    outcomes::OutcomeDistribution,
    report::{
        AdversarialEvaluation, Failure, Failures, MessageComparison, OutcomeComparison, Report,
        ScenarioReport, ToolReport,
    },
    statistics::{DurationStats, MessageDistributionStats},
};
use self::{
    adversarial::evaluate,
    index::{Index, Original, hash},
    outcomes::{add_count, counted_name},
};
pub(crate) use self::{
    index::Group,
    outcomes::{FAILED_GROUP, outcome_label},
};
use crate::{
    Conversation, OriginalConversation, SimulatedConversation,
    run::{Action, Header, Lines, RESULTS, RunError, Span, file_error, read_header, write_file},
};

/// Name of the file with the report.
const REPORT: &str = "report.json";

/// Analyses the results in a folder and writes report.json there. With a tester, a judge also
/// compares recorded conversations with simulated ones.
///
/// # Errors
///
/// Fails if the results cannot be read or the report cannot be written.
pub async fn analyse(
    folder: &Path,
    tester: Option<&AdversarialTester>,
) -> Result<Report, RunError> {
    let mut report = gather(folder)?;
    if let Some(tester) = tester {
        report.adversarial_evaluation = Some(evaluate(&report.index, tester).await?);
    }
    write_file(&folder.join(REPORT), |target| {
        serde_json::to_writer_pretty(&mut *target, &report)?;
        std::io::Write::write_all(target, b"\n")
    })?;
    Ok(report)
}

/// How many failures a report lists.
const LISTED_FAILURES: usize = 20;
/// The maximum length of a listed error, in characters.
const MAX_ERROR: usize = 500;

/// Counts what a report contains.
#[derive(Default)]
struct Gathering {
    report: Report,
    /// How many conversations have each number of messages.
    simulated_messages: BTreeMap<usize, usize>,
    original_messages: BTreeMap<usize, usize>,
    seconds: Vec<f64>,
    /// The recorded conversations that were counted, by a hash of id and conversation.
    seen: BTreeSet<u64>,
}

/// Reads the results in a folder and counts, except for the adversarial evaluation.
fn gather(folder: &Path) -> Result<Report, RunError> {
    let path = folder.join(RESULTS);
    let mut lines = Lines::open(&path)?;
    let header = read_header(&mut lines, &path)?;
    let mut gathering = Gathering::new(header, path.clone());
    while let Some(line) = lines.next().map_err(file_error(Action::Read, &path))? {
        let conversation = line.conversation().map_err(|error| RunError::Line {
            path: path.clone(),
            line: line.number,
            problem: format!("not the result of a conversation: {error}"),
        })?;
        gathering.add(&conversation, line.span);
    }
    Ok(gathering.finish())
}

impl Gathering {
    fn new(header: Header, path: PathBuf) -> Self {
        let Header { run, hash, shard, .. } = header;
        let index = Index { path, ..Index::default() };
        let report = Report { run, hash, shard, index, ..Report::default() };
        Self { report, ..Self::default() }
    }

    fn add(&mut self, simulated: &SimulatedConversation, span: Span) {
        let (report, result) = (&mut self.report, &simulated.result);
        report.conversations += 1;
        *report.end_reasons.entry(result.end_reason).or_default() += 1;
        count_tools(&result.conversation, &mut report.tool_use);
        let outcome = result.outcome_name();
        let messages = result.conversation.messages.len();
        let failed = result.end_reason.is_failure();
        add_count(&mut report.scenarios, &simulated.scenario, |scenario| {
            scenario.add(outcome, messages, failed);
        });
        let group = match outcome {
            _ if failed => Group::Failed,
            Some(name) => Group::Outcome(name.to_owned()),
            None => Group::WithoutOutcome,
        };
        report.index.groups.entry(group).or_default().push(span);
        if failed {
            report.failures.add(simulated);
        } else {
            report.completed += 1;
            report.outcome_comparison.simulated_distribution.add(outcome);
            *self.simulated_messages.entry(messages).or_default() += 1;
            self.seconds.push(result.duration.as_secs_f64());
            if messages > 0 {
                report.index.simulated.push(span);
            }
        }
        if let Some(original) = &simulated.original {
            self.add_original(original, span);
        }
    }

    /// Counts a recorded conversation, unless it was counted with an earlier conversation.
    fn add_original(&mut self, original: &OriginalConversation, span: Span) {
        let hash = hash(&original.conversation);
        if !self.seen.insert(XxHash3_64::oneshot_with_seed(hash, original.id.as_bytes())) {
            return;
        }
        let comparison = &mut self.report.outcome_comparison;
        let outcome = original.conversation.outcome.as_ref();
        let outcome = outcome.map(|outcome| outcome.name.as_str());
        comparison.original_distribution.add(outcome);
        // The recorded outcome never stands in for one that was not detected: detectors that find
        // nothing would look perfect.
        if original.prediction_error.is_none() {
            let predicted = original.predicted_outcome.as_deref();
            comparison.original_with_predicted_outcomes.add(predicted);
        }
        let messages = original.conversation.messages.len();
        *self.original_messages.entry(messages).or_default() += 1;
        if messages > 0 {
            self.report.index.originals.push(Original { span, hash });
        }
    }

    fn finish(self) -> Report {
        let mut report = self.report;
        let outcomes = &mut report.outcome_comparison;
        outcomes.original_distribution.finish();
        outcomes.original_with_predicted_outcomes.finish();
        outcomes.simulated_distribution.finish();
        report.message_distribution_comparison = MessageComparison {
            original_stats: MessageDistributionStats::of(self.original_messages),
            simulated_stats: MessageDistributionStats::of(self.simulated_messages),
        };
        report.durations = DurationStats::new(self.seconds);
        report.scenarios.values_mut().for_each(ScenarioReport::finish);
        report
    }
}

fn count_tools(conversation: &Conversation, tools: &mut BTreeMap<String, ToolReport>) {
    let calls = conversation.messages.iter().flat_map(|message| &message.tool_calls);
    let calls = calls.chain(conversation.unsent_calls.iter().map(|unsent| &unsent.call));
    let mut used = BTreeSet::new();
    for call in calls {
        let name = counted_name(tools, &call.name);
        let is_first = used.insert(name);
        add_count(tools, name, |tool| {
            tool.calls += 1;
            tool.conversations += usize::from(is_first);
        });
    }
}

impl ScenarioReport {
    fn add(&mut self, outcome: Option<&str>, messages: usize, failed: bool) {
        self.conversations += 1;
        match outcome {
            _ if failed => self.failed += 1,
            Some(name) => add_count(&mut self.outcomes, name, |count| *count += 1),
            None => self.without_outcome += 1,
        }
        if !failed {
            self.messages += messages;
        }
    }

    fn finish(&mut self) {
        let completed = (self.conversations - self.failed).max(1);
        self.mean_messages = self.messages as f64 / completed as f64;
    }
}

impl Failures {
    fn add(&mut self, SimulatedConversation { id, result, .. }: &SimulatedConversation) {
        self.total += 1;
        if self.examples.len() < LISTED_FAILURES {
            self.examples.push(Failure {
                id: id.clone(),
                end_reason: result.end_reason,
                error: shorten(result.error.as_deref().unwrap_or_default(), MAX_ERROR).into_owned(),
            });
        }
    }
}
