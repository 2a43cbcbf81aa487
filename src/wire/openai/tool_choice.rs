//! Decodes `tool_choice`, which may also narrow the offered tools.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::invalid;
use crate::{
    chat::{Tool, ToolChoice},
    wire::error::Error,
};

/// The forms of a choice that are objects.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Object {
    Function { function: Named },
    AllowedTools { allowed_tools: Allowed },
}

#[derive(Debug, Deserialize)]
struct Allowed {
    mode: Mode,
    tools: Vec<AllowedTool>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Auto,
    Required,
}

#[derive(Debug, Deserialize)]
struct AllowedTool {
    function: Named,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

/// Decodes the choice for a component that owns the tools `own`. Removes the tools of the request that
/// it does not allow.
pub(super) fn decode(
    choice: Option<Value>,
    tools: &mut Vec<Tool>,
    own: &BTreeSet<String>,
) -> Result<ToolChoice, Error> {
    match choice {
        None | Some(Value::Null) => Ok(ToolChoice::Auto),
        Some(Value::String(choice)) => text(choice, tools, own),
        Some(choice) => {
            let decoded = Object::deserialize(choice).map_err(|error| invalid(PARAM, error))?;
            object(decoded, tools, own)
        }
    }
}

const PARAM: &str = "tool_choice";

/// Decodes a choice that is a text. daprd sends the names of tools like this, and sends any text if
/// there are no tools.
fn text(choice: String, tools: &[Tool], own: &BTreeSet<String>) -> Result<ToolChoice, Error> {
    match choice.as_str() {
        "none" => Ok(ToolChoice::None),
        "" | "auto" => Ok(ToolChoice::Auto),
        _ if tools.is_empty() && own.is_empty() => Ok(ToolChoice::Auto),
        "required" => Ok(ToolChoice::Required),
        _ => named(choice, tools, own),
    }
}

fn named(name: String, tools: &[Tool], own: &BTreeSet<String>) -> Result<ToolChoice, Error> {
    if own.contains(&name) || tools.iter().any(|tool| tool.name == name) {
        return Ok(ToolChoice::Tool(name));
    }
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let names = names.join(", ");
    Err(invalid(PARAM, format!("{name:?} is not a tool of the request; it offers: {names}")))
}

fn object(
    choice: Object,
    tools: &mut Vec<Tool>,
    own: &BTreeSet<String>,
) -> Result<ToolChoice, Error> {
    match choice {
        Object::Function { function } => named(function.name, tools, own),
        Object::AllowedTools { allowed_tools: Allowed { mode, tools: allowed } } => {
            let mut names = Vec::new();
            for tool in allowed {
                named(tool.function.name.clone(), tools, own)?;
                names.push(tool.function.name);
            }
            names.sort();
            tools.retain(|tool| names.binary_search(&tool.name).is_ok());
            Ok(match mode {
                Mode::Required if !names.is_empty() => ToolChoice::Required,
                Mode::Auto | Mode::Required => ToolChoice::Auto,
            })
        }
    }
}
