//! The keys of a file. The doc comments are also the descriptions in its JSON Schema.

use std::path::PathBuf;

use mynah_agent::tools::Time;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Deserialize;
use serde_json::Value;

use super::{
    detector::DetectorSource,
    model::JudgeSource,
    scenario::ScenarioSource,
    value::{Count, StartTime},
};
use crate::{Clock, Detection, Outcome, Pattern, kinds::ParticipantKeys};

/// Simulated conversations between customers and agents.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Simulation")]
pub(crate) struct SimulateFile {
    /// Location of this schema, for editors.
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    /// Name of the simulation, for the report.
    pub(crate) name: String,
    /// Component YAML files or folders, relative to this file. They define the components that this
    /// file names. Default: a built-in component echo.
    #[serde(default)]
    pub(crate) resources: Vec<PathBuf>,
    /// Folder in which the answers of sidecars are kept, relative to this file. The same request
    /// then gets the same answer, also in later runs. Default: answers are not kept.
    pub(crate) cache: Option<PathBuf>,
    /// Number of conversations that are played at the same time. Default: 10.
    pub(crate) in_flight: Option<Count<1, 1000>>,
    /// Maximum number of messages in a conversation, including the initial message. Default: 100.
    pub(crate) max_messages: Option<Count<0, 10_000>>,
    /// Maximum number of messages after the message with which the outcome was reached. Default: 5.
    pub(crate) max_messages_after_outcome: Option<Count<0, 10_000>>,
    /// Maximum real time for a message of a participant outside of this process. Default: 30s.
    pub(crate) message_timeout: Option<Time>,
    /// When detectors run: after each message, or once at the end. Default: each.
    #[serde(default)]
    pub(crate) detect: Detect,
    /// What times and durations follow. Default: the real clock in conversations with a participant
    /// or a model outside of this process, otherwise virtual time.
    pub(crate) clock: Option<Clock>,
    /// The virtual time at which conversations start. Default: 2000-01-01T00:00:00Z.
    pub(crate) base_timestamp: Option<StartTime>,
    /// The outcomes that conversations can have.
    #[serde(default)]
    pub(crate) outcomes: Vec<Outcome>,
    /// The participants that scenarios name.
    #[serde(default)]
    pub(crate) participants: Vec<ParticipantKeys>,
    /// What detects outcomes. The first detector that finds one decides.
    #[serde(default)]
    pub(crate) detectors: Vec<DetectorSource>,
    /// What else ends conversations.
    #[serde(default)]
    pub(crate) end_on: EndOnSource,
    /// The scenarios.
    #[schemars(length(min = 1))]
    pub(crate) scenarios: Vec<ScenarioSource>,
    /// Whether a model can tell simulated conversations from recorded ones, for the report. Needs
    /// at least three recorded conversations.
    pub(crate) adversarial: Option<JudgeSource>,
}

/// When detectors run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Detect {
    /// After each message.
    #[default]
    Each,
    /// Once, at the end of the conversation.
    End,
}

impl From<Detect> for Detection {
    fn from(detect: Detect) -> Self {
        match detect {
            Detect::Each => Self::Each,
            Detect::End => Self::End,
        }
    }
}

/// What ends conversations, in addition to passes, outcomes and the maximum number of messages.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndOnSource {
    /// Maximum time between two messages.
    pub(crate) timeout: Option<Time>,
    /// Regular expressions. A message that one of them matches is the last one.
    #[serde(default)]
    pub(crate) patterns: Vec<Pattern>,
    /// A model that judges whether the conversation is complete.
    pub(crate) judge: Option<JudgeSource>,
    /// A model that judges whether the customer has reached the goal.
    pub(crate) goal: Option<JudgeSource>,
}

/// Returns the JSON Schema of the file format.
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    generator.into_root_schema_for::<SimulateFile>().to_value()
}
