//! The scenarios in a file.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{model::JudgeSource, short::Short, value::Count};
use crate::{Intent, ParticipantRole, kinds::InlineParticipant, recorded::RecordingFormat};

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
