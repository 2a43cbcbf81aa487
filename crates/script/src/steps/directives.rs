//! Texts that are generated from the request.

use std::{borrow::Cow, collections::BTreeMap};

use mynah_core::chat::{Message, Request, Role, Tool};
use serde_json::json;

use super::step::Directive;

/// A request with precomputed lookups for a script.
pub(crate) struct RequestView<'r> {
    pub(crate) request: &'r Request,
    tools: BTreeMap<&'r str, &'r Tool>,
    system: Option<&'r Message>,
    results: &'r [Message],
}

const NO_TOOLS: &str = "No tools available";

impl<'r> RequestView<'r> {
    pub(crate) fn new(request: &'r Request) -> Self {
        let tools = request.tools.iter().rev().map(|tool| (tool.name.as_str(), tool));
        let mut messages = request.messages.iter();
        let system = messages.find(|message| matches!(message.role, Role::System));
        Self { request, tools: tools.collect(), system, results: request.tool_results() }
    }

    /// Returns `true` if the request offers a tool with this name.
    pub(crate) fn offers(&self, tool: &str) -> bool {
        self.tools.contains_key(tool)
    }

    /// Returns the text of a directive.
    pub(crate) fn text(&self, directive: &Directive) -> Cow<'r, str> {
        let tools = &self.request.tools;
        match directive {
            Directive::SystemPrompt => {
                self.system.map_or(Cow::Borrowed("No system prompt configured"), Message::text)
            }
            Directive::ToolNames | Directive::ToolDescriptions if tools.is_empty() => {
                Cow::Borrowed(NO_TOOLS)
            }
            Directive::ToolNames => tool_names(tools).into(),
            Directive::ToolDescriptions => tool_descriptions(tools).into(),
            Directive::ToolSchema(None) => Cow::Borrowed("No tool name specified"),
            Directive::ToolSchema(Some(name)) => match self.tools.get(name.as_str()) {
                Some(tool) => tool_schema(tool).into(),
                None => format!("Tool '{name}' not found").into(),
            },
            Directive::ToolResults => joined_texts(self.results).into(),
        }
    }
}

fn tool_names(tools: &[Tool]) -> String {
    tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn tool_descriptions(tools: &[Tool]) -> String {
    let line = |tool: &Tool| format!("{}: {}", tool.name, description(tool));
    tools.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn description(tool: &Tool) -> &str {
    tool.description.as_deref().unwrap_or_default()
}

/// Describes a tool in Markdown.
fn tool_schema(tool: &Tool) -> String {
    let description = match description(tool) {
        blank if blank.trim().is_empty() => "_No description provided._",
        description => description,
    };
    let parameters = tool.parameters.as_ref().map_or_else(|| json!({}), |schema| schema.read());
    let name = &tool.name;
    format!(
        "# {name}\n\n## Description\n\n{description}\n\n## Schema\n\n```json\n{parameters:#}\n```"
    )
}

fn joined_texts(messages: &[Message]) -> String {
    messages.iter().map(Message::text).collect::<Vec<_>>().join("\n")
}
