//! Reads `tool_choice`, whose objects have another form than in chat completions.

use serde::Deserialize;
use serde_json::Value;

use crate::wire::{
    error::Error,
    openai::{
        invalid,
        tool_choice::{Choice, Mode, PARAM},
    },
};

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Object {
    Function { name: String },
    AllowedTools { mode: Mode, tools: Vec<Named> },
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

/// Reads a choice. Returns `None` if the request has none.
pub(super) fn read(choice: Option<Value>) -> Result<Option<Choice>, Error> {
    Ok(match choice {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(Choice::Text(text)),
        Some(object) => {
            Some(match Object::deserialize(object).map_err(|it| invalid(PARAM, it))? {
                Object::Function { name } => Choice::Function(name),
                Object::AllowedTools { mode, tools } => {
                    Choice::Allowed(mode, tools.into_iter().map(|tool| tool.name).collect())
                }
            })
        }
    })
}
