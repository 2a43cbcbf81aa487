//! The settings of a runner.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{EndJudge, Pattern};

/// The settings of a [`Runner`](super::Runner): limits, detection and time.
///
/// ```
/// use mynah_simulate::RunnerSettings;
/// let settings = RunnerSettings { max_messages: 50, ..RunnerSettings::default() };
/// # assert_eq!(settings.max_messages_after_outcome, 5);
/// ```
#[derive(Debug, Clone)]
pub struct RunnerSettings {
    /// Maximum number of messages, including the initial message, which is always sent. Default:
    /// 100.
    pub max_messages: usize,
    /// Maximum number of messages after the one with which an outcome was detected. If 0, the
    /// outcome ends the conversation. Default: 5.
    pub max_messages_after_outcome: usize,
    /// When the detector runs. Default: after each message.
    pub detection: Detection,
    /// What times and durations follow. Default: the real clock if a participant, a detector, a judge
    /// or the intent extractor is external, otherwise virtual time.
    pub clock: Option<Clock>,
    /// The virtual time of the initial message. Default: 2000-01-01T00:00:00Z.
    pub base_timestamp: BaseTimestamp,
    /// Maximum duration of a turn of an external participant, in real time. Default: 30 s.
    pub message_timeout: Duration,
    /// What else ends the conversation. Default: nothing.
    pub end_on: EndConditions,
}

/// When the outcome detector runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Detect", description = "When detectors run.")]
pub enum Detection {
    /// After each message except the initial one, until there is an outcome.
    #[default]
    #[schemars(description = "After each message.")]
    Each,
    /// Once, on the final conversation.
    #[schemars(description = "Once, at the end of the conversation.")]
    End,
}

/// What the times and durations of a conversation follow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// The delays of the participants, so that two runs have the same timestamps.
    #[default]
    Virtual,
    /// The real clock. Delays are waited for.
    Real,
}

impl Clock {
    pub(crate) fn is_virtual(&self) -> bool {
        *self == Self::Virtual
    }
}

/// The virtual time of the initial message. The real clock ignores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseTimestamp {
    /// This time.
    At(Timestamp),
    /// The time at which the run starts. The timestamps differ from run to run.
    Now,
}

/// What ends a conversation, in addition to passes, limits and outcomes. The initial message is not
/// checked.
#[derive(Clone, Default)]
pub struct EndConditions {
    /// No message is sent for longer than this. In virtual time, a participant needs longer to write a
    /// message. The message is not sent.
    pub timeout: Option<Duration>,
    /// A message matches one of these patterns.
    pub patterns: Vec<Pattern>,
    /// The conversation is complete.
    pub judge: Option<Arc<dyn EndJudge>>,
    /// The customer has reached the goal.
    pub goal: Option<Arc<dyn EndJudge>>,
}

impl Default for RunnerSettings {
    fn default() -> Self {
        Self {
            max_messages: 100,
            max_messages_after_outcome: 5,
            detection: Detection::default(),
            clock: None,
            base_timestamp: BaseTimestamp::default(),
            message_timeout: Duration::from_secs(30),
            end_on: EndConditions::default(),
        }
    }
}

/// 2000-01-01T00:00:00Z.
impl Default for BaseTimestamp {
    fn default() -> Self {
        Self::At(Timestamp::constant(946_684_800, 0))
    }
}

impl std::fmt::Debug for EndConditions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { timeout, patterns, judge, goal } = self;
        f.debug_struct("EndConditions")
            .field("timeout", timeout)
            .field("patterns", patterns)
            .field("judge", &judge.is_some())
            .field("goal", &goal.is_some())
            .finish()
    }
}
