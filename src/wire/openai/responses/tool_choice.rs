//! The forms of `tool_choice` that are objects, which differ from those of chat completions.

use serde::Deserialize;

use crate::wire::openai::tool_choice::{Choice, Mode};

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ChoiceObject {
    Function { name: String },
    AllowedTools { mode: Mode, tools: Vec<Named> },
}

#[derive(Debug, Deserialize)]
pub(super) struct Named {
    name: String,
}

impl From<ChoiceObject> for Choice {
    fn from(object: ChoiceObject) -> Self {
        match object {
            ChoiceObject::Function { name } => Self::Function(name),
            ChoiceObject::AllowedTools { mode, tools } => {
                Self::Allowed(mode, tools.into_iter().map(|tool| tool.name).collect())
            }
        }
    }
}
