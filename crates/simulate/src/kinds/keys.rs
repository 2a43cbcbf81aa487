//! The keys of a participant.

use std::path::PathBuf;

use mynah_agent::tools::{Argv, Retries, Time};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    PlannedParticipant,
    command::command,
    echo::echo,
    http::{HttpSource, http},
    model::{ExamplesKeys, ModelKeys},
    replay::replay,
    script::{Step, script},
};
use crate::{
    ParticipantRole,
    file::{ModelRef, SidecarSource},
    plan::Checker,
};

/// A participant that scenarios name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "Fields")]
#[schemars(with = "Fields", extend("required" = ["name", "role"]))]
pub(crate) struct ParticipantKeys {
    pub(crate) name: String,
    pub(crate) role: ParticipantRole,
    pub(crate) definition: Definition,
}

/// A participant of one scenario.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "Fields")]
#[schemars(
    with = "Fields",
    extend("not" = { "anyOf": [{ "required": ["name"] }, { "required": ["role"] }] })
)]
pub(crate) struct InlineParticipant(pub(crate) Definition);

/// What a participant says.
#[derive(Debug)]
pub(crate) struct Definition {
    kind: Kind,
    typing: Option<TypingSource>,
}

/// The keys of a participant of one kind.
#[derive(Debug)]
enum Kind {
    Script(Vec<Step>),
    Echo,
    Model(ModelKeys),
    /// An agent, and the number of times that a failed request is repeated.
    Http(HttpSource, u32),
    Command(Argv),
    Replay,
}

impl Definition {
    /// Checks the participant, which is at a path in the file.
    pub(crate) fn check(self, path: &str, checker: &mut Checker<'_>) -> Option<PlannedParticipant> {
        let typing = self.typing.map(|typing| typing.per_character.0);
        let planned = match self.kind {
            Kind::Script(steps) => script(steps),
            Kind::Echo => echo(),
            Kind::Model(keys) => keys.check(path, checker)?,
            Kind::Http(source, retries) => http(source, retries, path, checker)?,
            Kind::Command(argv) => command(argv),
            Kind::Replay => replay(),
        };
        Some(PlannedParticipant { typing, ..planned })
    }
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
    examples: Option<ExamplesKeys>,
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

/// How long a participant takes to write a message.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TypingSource {
    /// Time for each character.
    per_character: Time,
}

impl TryFrom<Fields> for ParticipantKeys {
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
    let of_models = [
        ("persona", persona.is_some()),
        ("system", system.is_some()),
        ("instructions", instructions.is_some()),
        ("tools", tools.is_some()),
        ("examples", examples.is_some()),
        ("retries", retries.is_some() && http.is_none()),
    ];
    let retries = retries.map_or(0, |retries| retries.0);
    let models = [component.map(ModelRef::Component), sidecar.map(ModelRef::Sidecar)];
    let mut models = models.into_iter().flatten();
    let others = [
        script.map(Kind::Script),
        echo.map(|Only| Kind::Echo),
        http.map(|source| Kind::Http(source, retries)),
        command.map(Kind::Command),
        replay.map(|Only| Kind::Replay),
    ];
    let mut others = others.into_iter().flatten();
    match (models.next(), models.next(), others.next(), others.next()) {
        (Some(model), None, None, None) => {
            let keys = ModelKeys { model, persona, system, instructions, tools, examples, retries };
            Ok(Kind::Model(keys))
        }
        (None, None, Some(kind), None) => match of_models.into_iter().find(|(_, is_set)| *is_set) {
            Some(("retries", _)) => Err("retries needs a component, a sidecar or http".to_owned()),
            Some((key, _)) => Err(format!("{key} needs a component or a sidecar")),
            None => Ok(kind),
        },
        _ => Err(format!("needs exactly one of {KINDS}")),
    }
}
