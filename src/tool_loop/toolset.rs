//! The tools of a loop, with their settings and metrics.

use super::{
    LoopSettings, Rendering, SettingsError, ToolMetrics, ToolRegistry, limited::LimitedTool,
    registered::RegisteredTool,
};
use crate::chat::{Request, Response};

/// The tools of a loop, with their settings and metrics. Shared by all runs.
#[derive(Debug)]
pub(super) struct Toolset {
    tools: Vec<LimitedTool>,
    pub(super) settings: LoopSettings,
    pub(super) metrics: ToolMetrics,
}

impl Toolset {
    pub(super) fn new(
        registry: ToolRegistry,
        settings: LoopSettings,
    ) -> Result<Self, SettingsError> {
        settings.check()?;
        let unknown = settings.by_tool.keys().find(|name| registry.find(name).is_none());
        if let Some(name) = unknown {
            return Err(SettingsError::UnknownTool(name.clone()));
        }
        let metrics = ToolMetrics::new();
        let limited = |tool: RegisteredTool| {
            let settings = settings.for_tool(tool.name()).clone();
            LimitedTool::new(tool, settings, &metrics)
        };
        let tools = registry.into_tools().into_iter().map(limited).collect();
        Ok(Self { tools, settings, metrics })
    }

    pub(super) fn find(&self, name: &str) -> Option<&LimitedTool> {
        self.tools.iter().find(|tool| tool.name() == name)
    }

    /// Returns `true` if the same call to a tool may return a different result each time.
    pub(super) fn is_repeatable(&self, name: &str) -> bool {
        self.find(name).is_some_and(|tool| tool.settings.repeatable)
    }

    /// Reads the calls from the model's answer.
    pub(super) fn read_calls(&self, response: Response) -> Response {
        let names = self.tools.iter().map(LimitedTool::name);
        self.settings.rendering.read(response, names)
    }

    /// Adds the tools to a request. With the text rendering, removes all tools instead.
    pub(super) fn add_to(&self, request: &mut Request) {
        if let Rendering::Text(_) = self.settings.rendering {
            (request.tools, request.tool_choice) = Default::default();
            return;
        }
        for tool in self.tools.iter().map(LimitedTool::definition) {
            // Replace any tool of the same name in the request, because the arguments of calls are
            // validated against this definition.
            match request.tools.iter_mut().find(|offered| offered.name == tool.name) {
                Some(offered) => *offered = tool.clone(),
                None => request.tools.push(tool.clone()),
            }
        }
    }
}
