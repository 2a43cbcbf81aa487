//! Decodes `tool_choice`, which may also narrow the offered tools.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::invalid;
use crate::{
    chat::{Request, Tool, ToolChoice},
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

/// Decodes the choice for a component that owns the tools `own`. Withholds the tools of the request
/// that it does not allow. The caller cannot withhold the component's own tools.
pub(super) fn decode(
    choice: Option<Value>,
    request: &mut Request,
    own: &BTreeSet<String>,
) -> Result<(), Error> {
    let offered = Offered { tools: &request.tools, own };
    request.tool_choice = match choice {
        None | Some(Value::Null) => ToolChoice::Auto,
        Some(Value::String(choice)) => offered.text(choice)?,
        Some(choice) => match Object::deserialize(choice).map_err(|it| invalid(PARAM, it))? {
            Object::Function { function } => offered.named(function.name)?,
            Object::AllowedTools { allowed_tools } => {
                let (choice, names) = offered.allowed(allowed_tools)?;
                withhold_others(request, &names);
                choice
            }
        },
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

    /// Returns the choice and the names of the allowed tools.
    fn allowed(&self, allowed: Allowed) -> Result<(ToolChoice, BTreeSet<String>), Error> {
        let names: BTreeSet<_> = allowed.tools.into_iter().map(|tool| tool.function.name).collect();
        names.iter().try_for_each(|name| self.check(name))?;
        Ok(match allowed.mode {
            Mode::Required if !names.is_empty() => (ToolChoice::Required, names),
            Mode::Auto | Mode::Required => (ToolChoice::Auto, names),
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
