//! Decodes `tool_choice`, which may also narrow the offered tools.

use std::collections::BTreeSet;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::invalid;
use crate::{
    chat::{Request, Tool, ToolChoice},
    wire::error::Error,
};

/// The forms of a choice of a chat completion that are objects.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ChoiceObject {
    Function { function: Named },
    AllowedTools { allowed_tools: Allowed },
}

#[derive(Debug, Deserialize)]
pub(super) struct Allowed {
    mode: Mode,
    tools: Vec<AllowedTool>,
}

/// Whether one of the allowed tools must be called.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mode {
    Auto,
    Required,
}

#[derive(Debug, Deserialize)]
struct AllowedTool {
    function: Named,
}

#[derive(Debug, Deserialize)]
pub(super) struct Named {
    name: String,
}

/// A choice in any form.
#[derive(Debug)]
pub(super) enum Choice {
    Text(String),
    /// The tool with this name.
    Function(String),
    /// Only the tools with these names.
    Allowed(Mode, BTreeSet<String>),
}

impl From<ChoiceObject> for Choice {
    fn from(object: ChoiceObject) -> Self {
        match object {
            ChoiceObject::Function { function } => Self::Function(function.name),
            ChoiceObject::AllowedTools { allowed_tools: Allowed { mode, tools } } => {
                Self::Allowed(mode, tools.into_iter().map(|tool| tool.function.name).collect())
            }
        }
    }
}

/// Reads a choice, of which `O` has the forms that are objects. Returns `None` if the request has none.
pub(super) fn read<O>(choice: Option<Value>) -> Result<Option<Choice>, Error>
where
    O: DeserializeOwned + Into<Choice>,
{
    Ok(match choice {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(Choice::Text(text)),
        Some(object) => Some(O::deserialize(object).map_err(|it| invalid(PARAM, it))?.into()),
    })
}

/// Applies a choice to a request to a component that owns the tools `own`. Withholds the tools of the
/// request that it does not allow. The caller cannot withhold the component's own tools.
pub(super) fn apply(
    choice: Option<Choice>,
    request: &mut Request,
    own: &BTreeSet<String>,
) -> Result<(), Error> {
    let offered = Offered { tools: &request.tools, own };
    request.tool_choice = match choice {
        None => ToolChoice::Auto,
        Some(Choice::Text(choice)) => offered.text(choice)?,
        Some(Choice::Function(name)) => offered.named(name)?,
        Some(Choice::Allowed(mode, names)) => {
            let choice = offered.allowed(mode, &names)?;
            withhold_others(request, &names);
            choice
        }
    };
    Ok(())
}

const PARAM: &str = "tool_choice";

/// The tools that a choice can name: those of the request and those of the component.
struct Offered<'r> {
    tools: &'r [Tool],
    own: &'r BTreeSet<String>,
}

impl Offered<'_> {
    fn names(&self) -> impl Iterator<Item = &str> {
        let tools = self.tools.iter().map(|tool| tool.name.as_str());
        tools.chain(self.own.iter().map(String::as_str))
    }

    /// Decodes a choice that is a text. daprd sends the names of tools like this, and sends any text
    /// if there are no tools.
    fn text(&self, choice: String) -> Result<ToolChoice, Error> {
        match choice.as_str() {
            "none" => Ok(ToolChoice::None),
            "" | "auto" => Ok(ToolChoice::Auto),
            _ if self.names().next().is_none() => Ok(ToolChoice::Auto),
            "required" => Ok(ToolChoice::Required),
            _ => self.named(choice),
        }
    }

    fn named(&self, name: String) -> Result<ToolChoice, Error> {
        self.check(&name)?;
        Ok(ToolChoice::Tool(name))
    }

    /// Returns the choice among the allowed tools.
    fn allowed(&self, mode: Mode, names: &BTreeSet<String>) -> Result<ToolChoice, Error> {
        names.iter().try_for_each(|name| self.check(name))?;
        Ok(match mode {
            Mode::Required if !names.is_empty() => ToolChoice::Required,
            Mode::Auto | Mode::Required => ToolChoice::Auto,
        })
    }

    fn check(&self, name: &str) -> Result<(), Error> {
        if self.own.contains(name) || self.tools.iter().any(|tool| tool.name == name) {
            return Ok(());
        }
        let names = self.names().collect::<Vec<_>>().join(", ");
        Err(invalid(PARAM, format!("{name:?} is not a tool of the request; it offers: {names}")))
    }
}

/// Removes the tools of a request that are not `allowed`, but keeps their names.
fn withhold_others(request: &mut Request, allowed: &BTreeSet<String>) {
    let withheld = request.tools.extract_if(.., |tool| !allowed.contains(&tool.name));
    request.withheld_tools = withheld.map(|tool| tool.name).collect();
}
