//! The participants in a file.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    http::HttpSource,
    model::{ModelRef, SidecarSource},
    short::Short,
    value::Count,
};
use crate::{
    simulate::ParticipantRole,
    tools::{Argv, Retries, Time},
};

/// A participant that scenarios name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "Fields")]
#[schemars(with = "Fields", extend("required" = ["name", "role"]))]
pub(in crate::simulate) struct ParticipantSource {
    pub(in crate::simulate) name: String,
    pub(in crate::simulate) role: ParticipantRole,
    pub(in crate::simulate) definition: Definition,
}

/// A participant of one scenario.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "Fields")]
#[schemars(
    with = "Fields",
    extend("not" = { "anyOf": [{ "required": ["name"] }, { "required": ["role"] }] })
)]
pub(in crate::simulate) struct InlineParticipant(pub(in crate::simulate) Definition);

/// What a participant says.
#[derive(Debug)]
pub(in crate::simulate) struct Definition {
    pub(in crate::simulate) kind: Kind,
    pub(in crate::simulate) typing: Option<TypingSource>,
}

/// Where the messages of a participant come from.
#[derive(Debug)]
pub(in crate::simulate) enum Kind {
    /// One step for each turn.
    Script(Vec<Step>),
    /// The latest message.
    Echo,
    Model(Box<ModelSource>),
    Http(Box<HttpSource>, u32),
    Command(Argv),
    /// The messages of a recorded conversation.
    Replay,
}

/// A model that plays a participant.
#[derive(Debug)]
pub(in crate::simulate) struct ModelSource {
    pub(in crate::simulate) model: ModelRef,
    pub(in crate::simulate) persona: Option<String>,
    pub(in crate::simulate) system: Option<String>,
    pub(in crate::simulate) instructions: Option<String>,
    pub(in crate::simulate) tools: Option<PathBuf>,
    pub(in crate::simulate) examples: Option<ExamplesSource>,
    pub(in crate::simulate) retries: u32,
}

/// The keys of a participant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    rename = "Participant",
    extend("oneOf" = [
        { "required": ["script"] },
        { "required": ["echo"] },
        { "required": ["component"] },
        { "required": ["sidecar"] },
        { "required": ["http"] },
        { "required": ["command"] },
        { "required": ["replay"] },
    ])
)]
struct Fields {
    /// Name, for scenarios.
    name: Option<String>,
    /// Role.
    role: Option<ParticipantRole>,
    /// What the participant says, one step for each turn. After the last step, it passes. If the
    /// initial message has the same sender, it is the first step.
    script: Option<Vec<Step>>,
    /// Repeats the latest message. The value is true.
    echo: Option<Only>,
    /// Name of a component that plays the participant.
    component: Option<String>,
    /// A component of a Dapr sidecar that plays the participant.
    sidecar: Option<SidecarSource>,
    /// An agent that answers HTTP requests.
    http: Option<HttpSource>,
    /// A program that reads one line of JSON for each turn from standard input, and writes one line of
    /// JSON to standard output. Each conversation has its own process.
    command: Option<Argv>,
    /// Says what the recorded participant said. The value is true.
    replay: Option<Only>,
    /// Who the participant is, for a model.
    persona: Option<String>,
    /// Instructions for a model, as a system message.
    system: Option<String>,
    /// Instructions for a model, as the first user message. An instruction chain goes here.
    instructions: Option<String>,
    /// A file with tools that a model may call, relative to this file.
    tools: Option<PathBuf>,
    /// Recorded conversations that a model gets as examples.
    examples: Option<ExamplesSource>,
    /// Number of retries after a failure of a component, a sidecar or an HTTP request. Default: 0.
    retries: Option<Retries>,
    /// How long the participant takes to write. Default: no time.
    typing: Option<TypingSource>,
}

/// A value that is true.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "bool")]
#[schemars(with = "bool", extend("const" = true))]
struct Only;

impl TryFrom<bool> for Only {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, &'static str> {
        if value { Ok(Self) } else { Err("the only value is true; remove the key instead") }
    }
}

/// Recorded conversations as examples.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::simulate) struct ExamplesSource {
    /// The file, .json or .csv, relative to this file.
    pub(in crate::simulate) from: PathBuf,
    /// Number of conversations. Those whose words are nearest to the intents are taken. Default: 3.
    pub(in crate::simulate) number: Option<Count<1, 100>>,
}

/// How long a participant takes to write a message.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::simulate) struct TypingSource {
    /// Time for each character.
    pub(in crate::simulate) per_character: Time,
}

/// A step of a script: `pass`, or a message.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "Short<Said>")]
#[schemars(with = "StepSchema")]
pub(in crate::simulate) enum Step {
    Pass,
    Say(Said),
}

#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the format only")]
enum StepSchema {
    /// Says nothing.
    Pass(PassWord),
    Say(Said),
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the format only")]
enum PassWord {
    Pass,
}

/// A message of a script.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::simulate) struct Said {
    /// The text.
    pub(in crate::simulate) text: String,
    /// How long the participant waits before it writes. Default: no time.
    pub(in crate::simulate) delay: Option<Time>,
}

impl TryFrom<Short<Said>> for Step {
    type Error = String;

    fn try_from(step: Short<Said>) -> Result<Self, String> {
        match step {
            Short::Text(text) if text == "pass" => Ok(Self::Pass),
            Short::Text(text) => Err(format!(
                "{text:?} is not a step; use pass, or a message such as {{text: Hello}}"
            )),
            Short::Full(said) => Ok(Self::Say(said)),
        }
    }
}

impl TryFrom<Fields> for ParticipantSource {
    type Error = String;

    fn try_from(mut fields: Fields) -> Result<Self, String> {
        let name = fields.name.take().ok_or("a participant needs a name")?;
        let within = |error: String| format!("the participant {name:?}: {error}");
        let role = fields.role.take().ok_or("needs a role, customer or agent".to_owned());
        let (role, definition) =
            role.and_then(|role| Ok((role, fields.try_into()?))).map_err(within)?;
        Ok(Self { name, role, definition })
    }
}

impl TryFrom<Fields> for InlineParticipant {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        if fields.name.is_some() || fields.role.is_some() {
            return Err("a participant in a scenario must not have name and role".to_owned());
        }
        fields.try_into().map(Self)
    }
}

impl TryFrom<Fields> for Definition {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        let typing = fields.typing;
        Ok(Self { kind: kind(fields)?, typing })
    }
}

const KINDS: &str = "script, echo, component, sidecar, http, command and replay";

fn kind(fields: Fields) -> Result<Kind, String> {
    let Fields { script, echo, component, sidecar, http, command, replay, .. } = fields;
    let Fields { persona, system, instructions, tools, examples, retries, .. } = fields;
    let model = component.map(ModelRef::Component);
    let kinds = [
        script.map(Kind::Script),
        echo.map(|Only| Kind::Echo),
        http.map(|http| Kind::Http(Box::new(http), retries.map_or(0, |retries| retries.0))),
        command.map(Kind::Command),
        replay.map(|Only| Kind::Replay),
    ];
    let mut kinds = kinds.into_iter().flatten();
    let model = match (model, sidecar.map(ModelRef::Sidecar), kinds.next(), kinds.next()) {
        (Some(model), None, None, None) | (None, Some(model), None, None) => model,
        (None, None, Some(kind), None) => {
            let is_http = matches!(kind, Kind::Http(..));
            let texts = [("persona", persona), ("system", system), ("instructions", instructions)];
            let texts = texts.iter().map(|(key, text)| (*key, text.is_some()));
            let others = [
                ("tools", tools.is_some()),
                ("examples", examples.is_some()),
                ("retries", retries.is_some() && !is_http),
            ];
            return match texts.chain(others).find(|(_, is_set)| *is_set) {
                Some(("retries", _)) => {
                    Err("retries needs a component, a sidecar or http".to_owned())
                }
                Some((key, _)) => Err(format!("{key} needs a component or a sidecar")),
                None => Ok(kind),
            };
        }
        _ => return Err(format!("needs exactly one of {KINDS}")),
    };
    let retries = retries.map_or(0, |retries| retries.0);
    let source = ModelSource { model, persona, system, instructions, tools, examples, retries };
    Ok(Kind::Model(Box::new(source)))
}
