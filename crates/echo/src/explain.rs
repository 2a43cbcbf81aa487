//! Explains which tools a reply calls, with which arguments, and why.

use std::sync::Arc;

use mynah_core::{
    base::work::{Stopped, Work},
    chat::{Request, Tool},
    provider::Cancellation,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

pub use super::arguments::Origin;
use super::{
    Echo,
    arguments::Trace,
    effort::{Effort, FullEffort},
    settings::Mode,
    tool_calls::{SelectedCall, Selection, tool_calls},
    uncalled::{self, said_words},
};

/// The memory of an explanation for each byte of its JSON.
const SIZE_PER_BYTE: usize = 4;

/// Why echo calls tools.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct ToolsExplanation {
    /// The offered tools, in the order of the request.
    pub tools: Vec<ExplainedTool>,
}

/// Why a tool is called or not.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExplainedTool {
    /// The name of the tool.
    pub tool: String,
    /// The calls of the tool.
    pub calls: Vec<ExplainedToolCall>,
    /// Why the tool is not called, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Why a tool is called with certain arguments.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExplainedToolCall {
    /// The rule by which words mention the tool: `name`, `phrase`, `topic`, `keyword`, `verb`, `part` or
    /// `values`. It is
    /// `tool_choice` if no words do.
    pub rule: String,
    /// The words that mention the tool.
    pub words: Vec<String>,
    /// The arguments of the call.
    pub arguments: Vec<ExplainedArgument>,
    /// The optional arguments that the call does not have.
    pub left_out: Vec<String>,
}

/// Where an argument comes from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExplainedArgument {
    /// The name of the argument, such as `city`, or `address.city` in an object.
    pub name: String,
    /// The value.
    pub value: Value,
    /// Where the value comes from.
    #[serde(flatten)]
    pub origin: Origin,
}

impl Echo {
    /// Explains which tools a request calls. Returns `None` in the mode `daprd`, which calls every tool.
    ///
    /// # Errors
    ///
    /// Fails if the work is stopped, or if there is no memory for the explanation.
    pub fn explain(
        &self,
        request: &Request,
        work: &Work,
    ) -> Result<Option<ToolsExplanation>, Stopped> {
        if self.settings.mode == Mode::Daprd {
            return Ok(None);
        }
        let full = Arc::new(FullEffort::new(Cancellation::default(), work.reservation()));
        let tools = self.explain_tools(request, &Effort::Full(full.clone()), work);
        let tools = tools.map_err(|stopped| full.exhausted().map_or(stopped, Stopped::Memory))?;
        let size = serde_json::to_vec(&tools).map_or(0, |json| json.len());
        work.keep(SIZE_PER_BYTE * size)?;
        Ok(Some(ToolsExplanation { tools }))
    }

    fn explain_tools(
        &self,
        request: &Request,
        effort: &Effort,
        work: &Work,
    ) -> Result<Vec<ExplainedTool>, Stopped> {
        let mut calls = match request.tool_results() {
            [] => tool_calls(&self.settings, request, None, effort, true)?,
            _ => Vec::new(),
        };
        if request.single_tool_call {
            calls.truncate(1);
        }
        let explained = |tool: &Tool| ExplainedTool {
            tool: tool.name.clone(),
            calls: Vec::new(),
            reason: None,
        };
        let mut tools: Vec<_> = request.tools.iter().map(explained).collect();
        for call in calls {
            tools[call.selection.tool].calls.push(ExplainedToolCall::new(request, call));
        }
        let is_called: Vec<_> = tools.iter().map(|tool| !tool.calls.is_empty()).collect();
        for (tool, reason) in uncalled::reasons(request, &is_called, effort, work)? {
            tools[tool].reason = Some(reason);
        }
        Ok(tools)
    }
}

impl ExplainedToolCall {
    fn new(request: &Request, call: SelectedCall) -> Self {
        let SelectedCall { selection: Selection { tool, mention }, arguments } = call;
        let name = &request.tools[tool].name;
        let words = mention.as_ref().map(|it| said_words(name, it));
        let mut call = Self {
            rule: mention.map_or("tool_choice", |mention| mention.rule).to_owned(),
            words: words.unwrap_or_default(),
            arguments: Vec::new(),
            left_out: Vec::new(),
        };
        // The generator has written it.
        if let Ok(Value::Object(object)) = serde_json::from_str(&arguments.json) {
            call.add(object, &mut Vec::new(), &arguments.trace);
        }
        call
    }

    /// Adds the members of an object at a path, with those of the objects inside it.
    fn add(&mut self, object: Map<String, Value>, path: &mut Vec<String>, trace: &Trace) {
        for (name, value) in object {
            path.push(name);
            match value {
                Value::Object(object) if !object.is_empty() => self.add(object, path, trace),
                value => {
                    let (name, origin) = (path.join("."), trace.origin(path));
                    self.arguments.push(ExplainedArgument { name, value, origin });
                }
            }
            path.pop();
        }
        for name in trace.left_out(path) {
            path.push(name.clone());
            self.left_out.push(path.join("."));
            path.pop();
        }
    }
}
