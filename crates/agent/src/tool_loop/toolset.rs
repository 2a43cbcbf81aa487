//! The tools of a loop, with their settings and metrics.

use std::{collections::BTreeSet, sync::Arc};

use mynah_core::chat::{Request, Tool};

use super::{
    CallFailure, CallRecord, LoopSettings, Rendering, SettingsError, ToolMetrics, ToolRegistry,
    limited::LimitedTool,
    tool::Hooks,
    transcript::{self, CallReader},
};

/// The tools of a loop, with their settings and metrics. Shared by all runs.
#[derive(Debug, Clone)]
pub(super) struct Toolset {
    tools: Vec<Arc<LimitedTool>>,
    /// The names of the tools.
    names: Arc<BTreeSet<String>>,
    pub(super) hooks: Hooks,
    /// Reads calls that are written as text. Knows no tools if calls are native.
    pub(super) reader: CallReader,
    pub(super) settings: LoopSettings,
    pub(super) metrics: ToolMetrics,
}

/// The tools of a request, which the caller of the run runs.
#[derive(Debug)]
pub(super) struct CallerTools {
    names: BTreeSet<String>,
    /// Whether the caller does not know the tools of the loop, because a component owns them. Then,
    /// its own tools take precedence, and it gets all calls to unknown tools.
    is_unaware: bool,
}

impl Toolset {
    pub(super) fn new(
        registry: ToolRegistry,
        settings: LoopSettings,
        metrics: ToolMetrics,
    ) -> Result<Self, SettingsError> {
        settings.check()?;
        let ToolRegistry { tools, hooks } = registry;
        let limited = |tool| LimitedTool::new(tool, &settings.tools, &metrics).map(Arc::new);
        let tools: Vec<_> = tools.into_iter().map(limited).collect::<Result<_, _>>()?;
        let reader = match settings.rendering {
            Rendering::Text(_) => CallReader::new(tools.iter().map(|tool| tool.tool.definition())),
            Rendering::Native => CallReader::default(),
        };
        let names = names_of(&tools);
        Ok(Self { tools, names, hooks, reader, settings, metrics })
    }

    /// Returns the same tools with circuit breakers and caches of their own.
    pub(super) fn fresh(&self) -> Self {
        let fresh = |tool: &Arc<LimitedTool>| tool.fresh(&self.metrics).into();
        Self { tools: self.tools.iter().map(fresh).collect(), ..self.clone() }
    }

    /// Returns the size of what the tools keep between runs, in bytes.
    pub(super) fn state_size(&self) -> usize {
        self.tools.iter().map(|tool| tool.state_size()).sum()
    }

    /// Removes the tools for which `keep` returns `false`.
    pub(super) fn retain(&mut self, keep: impl Fn(&Tool) -> bool) {
        self.tools.retain(|tool| keep(tool.tool.definition()));
        self.names = names_of(&self.tools);
    }

    pub(super) fn find(&self, name: &str) -> Option<&LimitedTool> {
        self.tools.iter().find(|tool| tool.tool.name() == name).map(Arc::as_ref)
    }

    /// Returns the names of the tools that are offered in addition to those of the caller.
    pub(super) fn names_beside(&self, callers: &CallerTools) -> Arc<BTreeSet<String>> {
        if self.names.iter().any(|name| callers.replace(name)) {
            let others = self.names.iter().filter(|name| !callers.replace(name));
            return Arc::new(others.cloned().collect());
        }
        self.names.clone()
    }

    /// Returns `true` if the same call to a tool may return a different result each time.
    pub(super) fn is_repeatable(&self, name: &str) -> bool {
        self.find(name).is_some_and(|tool| tool.settings.repeatable)
    }

    /// Counts a call in the metrics.
    pub(super) fn count(&self, call: &CallRecord) {
        self.metrics.count(self.find(&call.name).map(|tool| tool.tool.name()), call);
    }

    /// Fails if an argument was truncated in the history that the model copied it from. Only text
    /// truncates arguments.
    pub(super) fn check_truncation(&self, arguments: &str) -> Result<(), CallFailure> {
        let Rendering::Text(_) = self.settings.rendering else { return Ok(()) };
        let arguments = arguments.parse().unwrap_or_default();
        match transcript::truncated_argument(&arguments) {
            None => Ok(()),
            Some(name) => Err(CallFailure::InvalidArguments(format!(
                "the value of {name} is cut off after 50 characters; write the whole value, as in \
                 with parameters: {{\"{name}\": \"…\"}}"
            ))),
        }
    }

    /// Adds the tools to a request, and returns those that its caller runs. With the text rendering,
    /// removes all tools from the request instead. `is_unaware` says whether the caller does not know the
    /// tools of the loop.
    pub(super) fn offer(&self, request: &mut Request, is_unaware: bool) -> CallerTools {
        let callers = CallerTools::new(request, is_unaware);
        if let Rendering::Text(_) = self.settings.rendering {
            (request.tools, request.tool_choice) = Default::default();
            return callers;
        }
        let own = self.tools.iter().map(|tool| tool.tool.definition());
        for tool in own.filter(|tool| !callers.replace(&tool.name)) {
            // Replace any tool of the same name in the request, because the arguments of calls are
            // validated against this definition.
            match request.tools.iter_mut().find(|offered| offered.name == tool.name) {
                Some(offered) => *offered = tool.clone(),
                None => request.tools.push(tool.clone()),
            }
        }
        callers
    }
}

impl CallerTools {
    fn new(request: &Request, is_unaware: bool) -> Self {
        let withheld = request.withheld_tools.iter().filter(|_| is_unaware);
        let names = request.tools.iter().map(|tool| &tool.name).chain(withheld).cloned();
        Self { names: names.collect(), is_unaware }
    }

    /// Returns `true` if the caller has a tool with this name that takes precedence.
    pub(super) fn replace(&self, name: &str) -> bool {
        self.is_unaware && self.names.contains(name)
    }

    /// Returns `true` if the caller runs calls to this tool.
    pub(super) fn run(&self, name: &str, is_registered: bool) -> bool {
        if is_registered {
            self.replace(name)
        } else {
            self.is_unaware || self.names.contains(name)
        }
    }
}

fn names_of(tools: &[Arc<LimitedTool>]) -> Arc<BTreeSet<String>> {
    Arc::new(tools.iter().map(|tool| tool.tool.name().to_owned()).collect())
}
