//! A participant that follows a script.

use std::{sync::Arc, time::Duration};

use mynah_agent::tools::Time;
use schemars::JsonSchema;
use serde::Deserialize;

use super::PlannedParticipant;
use crate::{
    file::Short,
    participants::{Script, ScriptStep},
};

/// Plans a participant that follows a script.
pub(super) fn script(steps: Vec<Step>) -> PlannedParticipant {
    let steps: Arc<[ScriptStep]> = steps.into_iter().map(|step| step.0).collect();
    PlannedParticipant::new(move |role, _| Ok(Box::new(Script::new(role, steps.clone()))))
}

/// A step of a script: `pass`, or a message.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "Short<Said>")]
#[schemars(with = "StepSchema")]
pub(super) struct Step(ScriptStep);

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
struct Said {
    /// The text.
    text: String,
    /// How long the participant waits before it writes. Default: no time.
    delay: Option<Time>,
}

impl TryFrom<Short<Said>> for Step {
    type Error = String;

    fn try_from(step: Short<Said>) -> Result<Self, String> {
        match step {
            Short::Text(text) if text == "pass" => Ok(Self(ScriptStep::Pass)),
            Short::Text(text) => Err(format!(
                "{text:?} is not a step; use pass, or a message such as {{text: Hello}}"
            )),
            Short::Full(Said { text, delay }) => {
                let delay = delay.map_or(Duration::ZERO, |delay| delay.0);
                Ok(Self(ScriptStep::Say { text, delay }))
            }
        }
    }
}
