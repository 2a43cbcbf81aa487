//! Reads the results and counts.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use mynah_core::base::text::shorten;
use twox_hash::XxHash3_64;

use super::{
    counts,
    index::{Group, Index, Original, hash},
    report::{
        Failure, Failures, MessageComparison, OutcomeComparison, Report, ScenarioReport, ToolReport,
    },
    statistics::{DurationStats, MessageDistributionStats},
};
use crate::{
    Conversation, OriginalConversation, SimulatedConversation,
    run::{Action, Header, Lines, RESULTS, RunError, Span, file_error, read_header},
};

/// How many failures a report lists.
const LISTED_FAILURES: usize = 20;
/// The maximum length of a listed error, in characters.
const MAX_ERROR: usize = 500;

/// Counts what a report contains.
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
pub(super) fn gather(folder: &Path) -> Result<Report, RunError> {
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
        let report = Report {
            run: header.run,
            hash: header.hash,
            shard: header.shard,
            conversations: 0,
            completed: 0,
            failures: Failures::default(),
            end_reasons: BTreeMap::new(),
            outcome_comparison: OutcomeComparison::default(),
            message_distribution_comparison: MessageComparison::default(),
            durations: DurationStats::default(),
            tool_use: BTreeMap::new(),
            scenarios: BTreeMap::new(),
            adversarial_evaluation: None,
            index: Index::new(path),
        };
        Self {
            report,
            simulated_messages: BTreeMap::new(),
            original_messages: BTreeMap::new(),
            seconds: Vec::new(),
            seen: BTreeSet::new(),
        }
    }

    fn add(&mut self, simulated: &SimulatedConversation, span: Span) {
        let (report, result) = (&mut self.report, &simulated.result);
        report.conversations += 1;
        *report.end_reasons.entry(result.end_reason).or_default() += 1;
        count_tools(&result.conversation, &mut report.tool_use);
        let outcome = result.outcome_name();
        let messages = result.conversation.messages.len();
        let failed = result.end_reason.is_failure();
        counts::add(&mut report.scenarios, &simulated.scenario, |scenario| {
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
        let OutcomeComparison {
            original_distribution,
            original_with_predicted_outcomes,
            simulated_distribution,
        } = report.outcome_comparison;
        report.outcome_comparison = OutcomeComparison {
            original_distribution: original_distribution.finish(),
            original_with_predicted_outcomes: original_with_predicted_outcomes.finish(),
            simulated_distribution: simulated_distribution.finish(),
        };
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
        let name = counts::counted_name(tools, &call.name);
        let is_first = used.insert(name);
        counts::add(tools, name, |tool| {
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
            Some(name) => counts::add(&mut self.outcomes, name, |count| *count += 1),
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
