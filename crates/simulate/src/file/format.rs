//! The keys of a file. The doc comments are also the descriptions in its JSON Schema.

use std::path::PathBuf;

use mynah_agent::tools::Time;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Deserialize;
use serde_json::Value;

use super::value::{Count, JudgeSource, Short, StartTime};
use crate::{
    Clock, Detection, Intent, Outcome, ParticipantRole, Pattern,
    detectors::Condition,
    kinds::{InlineParticipant, ParticipantKeys},
    recorded::RecordingFormat,
};

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
    pub(crate) detect: Detection,
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

/// What detects outcomes: an outcome with the messages that have it, or a model.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "DetectorFields")]
#[schemars(with = "DetectorFields")]
pub(crate) enum DetectorSource {
    Match { outcome: String, condition: Box<Condition> },
    Judge(JudgeSource),
}

/// What detects outcomes: `outcome` and `match`, or `judge`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = [{ "required": ["outcome", "match"] }, { "required": ["judge"] }],
    "dependentSchemas" = { "judge": { "properties": { "outcome": false, "match": false } } },
))]
struct DetectorFields {
    /// Name of the outcome.
    outcome: Option<String>,
    /// A condition on the conversation. If it holds, the outcome is reached.
    r#match: Option<Condition>,
    /// A model that decides which outcome a conversation has reached, if any.
    judge: Option<JudgeSource>,
}

impl TryFrom<DetectorFields> for DetectorSource {
    type Error = &'static str;

    fn try_from(fields: DetectorFields) -> Result<Self, &'static str> {
        match (fields.outcome, fields.r#match, fields.judge) {
            (Some(outcome), Some(condition), None) => {
                Ok(Self::Match { outcome, condition: Box::new(condition) })
            }
            (None, None, Some(judge)) => Ok(Self::Judge(judge)),
            _ => Err("a detector needs either outcome and match, or judge"),
        }
    }
}

/// A scenario: who talks with whom, and how the conversation starts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "ScenarioFields")]
#[schemars(with = "ScenarioFields")]
pub(crate) struct ScenarioSource {
    pub(crate) id: String,
    pub(crate) customer: ParticipantRef,
    pub(crate) agent: ParticipantRef,
    pub(crate) intents: Vec<Intent>,
    pub(crate) infer_intent: Option<JudgeSource>,
    pub(crate) start: Start,
    pub(crate) repeat: u32,
}

/// How the conversations of a scenario start.
#[derive(Debug)]
pub(crate) enum Start {
    Message(DraftSource),
    Recorded(FromSource),
}

/// The name of a participant, or a participant of this scenario only.
pub(crate) type ParticipantRef = Short<InlineParticipant>;

/// A scenario: who talks with whom, and how the conversation starts, with either `initial_message` or
/// `from`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["initial_message"] }, { "required": ["from"] }]))]
struct ScenarioFields {
    /// Id, the beginning of the ids of its conversations: ASCII letters, digits, _, - and dots.
    #[schemars(regex(pattern = "^[A-Za-z0-9._-]{1,100}$"))]
    id: String,
    /// The customer: the name of a participant, or a participant without name and role.
    customer: ParticipantRef,
    /// The agent: the name of a participant, or a participant without name and role.
    agent: ParticipantRef,
    /// What the participants want. Default: what `infer_intent` or `from` find.
    #[serde(default)]
    intents: Vec<Intent>,
    /// The model, such as the name of a component, that finds the intent if there is none, from the conversation at its end.
    infer_intent: Option<Short<JudgeSource>>,
    /// The first message.
    initial_message: Option<DraftSource>,
    /// Number of conversations, or number for each recorded conversation. Default: 1.
    repeat: Option<Count<1, 1_000_000>>,
    /// Recorded conversations. Each starts with the first message of the recorded one.
    from: Option<FromSource>,
}

/// A message.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DraftSource {
    /// Who sends the message.
    pub(crate) sender: ParticipantRole,
    /// The text.
    pub(crate) content: String,
}

/// Recorded conversations.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FromSource {
    /// The file, relative to this file.
    pub(crate) file: PathBuf,
    /// The format of the file. Default: by its extension, .json or .csv.
    pub(crate) format: Option<RecordingFormat>,
    /// A model that finds the intent of each recorded conversation, if the scenario has none. The
    /// participants are told the intent.
    pub(crate) intents: Option<JudgeSource>,
}

impl TryFrom<ScenarioFields> for ScenarioSource {
    type Error = String;

    fn try_from(fields: ScenarioFields) -> Result<Self, String> {
        let ScenarioFields { id, customer, agent, intents, infer_intent, .. } = fields;
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if !(1..=100).contains(&id.len()) || !id.bytes().all(is_allowed) {
            let expected = "expected 1 to 100 ASCII letters, digits, dots, _ and -";
            return Err(format!("invalid id {id:?} of a scenario; {expected}"));
        }
        let start = match (fields.initial_message, fields.from) {
            (Some(message), None) if message.content.trim().is_empty() => {
                return Err(format!("the initial_message of the scenario {id:?} has no text"));
            }
            (Some(message), None) => Start::Message(message),
            (None, Some(from)) => Start::Recorded(from),
            _ => {
                let keys = "exactly one of initial_message and from";
                return Err(format!("the scenario {id:?} needs {keys}"));
            }
        };
        let infer_intent = infer_intent.map(|model| match model {
            Short::Text(component) => component.into(),
            Short::Full(model) => model,
        });
        let repeat = fields.repeat.map_or(1, |repeat| repeat.0);
        Ok(Self { id, customer, agent, intents, infer_intent, start, repeat })
    }
}
