//! The tool loop: ask a model, run the tools that it calls, give it the results, ask again, until
//! it answers.
//!
//! A [`ToolRegistry`] has the tools: closures with typed arguments, whose JSON Schemas come from
//! the types. A [`ToolLoop`] runs them, within limits that [`LoopSettings`] name. The model is any
//! [`Provider`]: `conversation.echo` in this process, or a component of a sidecar, mynah or daprd,
//! that a [`RemoteComponent`](crate::client::RemoteComponent) calls over gRPC.
//!
//! ```
//! use std::sync::Arc;
//!
//! use mynah::{
//!     chat::{Message, Request, Role},
//!     provider::echo::{Echo, EchoSettings},
//!     tool_loop::{CancellationToken, EndReason, LoopSettings, ToolLoop, ToolRegistry},
//! };
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Place {
//!     /// City and state, e.g. San Francisco, CA
//!     location: String,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut registry = ToolRegistry::new();
//! registry.register("get_weather", "The weather of a place", async |place: Place| {
//!     Ok(format!("It is sunny in {}.", place.location))
//! })?;
//! let tool_loop = ToolLoop::new(registry, LoopSettings::default())?;
//!
//! let model = Arc::new(Echo::new("echo", EchoSettings::default()));
//! let question = Message::new(Role::User, "What is the weather in Paris?");
//! let request = Request { messages: vec![question], ..Request::default() };
//! let result = tool_loop.run(model, request, CancellationToken::new()).await;
//!
//! assert_eq!(result.text(), "It is sunny in Paris.");
//! assert_eq!(result.calls[0].arguments, r#"{"location":"Paris"}"#);
//! assert_eq!((result.turns, result.end), (2, EndReason::Answered));
//! # Ok(())
//! # }
//! ```
//!
//! # Every run ends
//!
//! [`ToolLoop::run`] has no error: a [`LoopResult`] says how a run ended, and has all that was done
//! until then, as a history to go on with. [`ToolLoop::run_stream`] tells of the same as it happens.
//!
//! A call that gives no result does not end a run, but is told to the model: a tool that does not
//! exist, arguments that are not JSON or break the schema, an error, a panic, a timeout, a tool
//! that rests after too many failures, a call that was made already. [`CallOutcome`] has them all.
//!
//! # The same again
//!
//! With tools and a model that are deterministic the history is, too: results stand in the order
//! of the calls, whichever was first, and calls without an id of their own become
//! `tool-call-<turn>-<number>`.
//!
//! # The same call twice
//!
//! A call that equals the latest one is a duplicate: it is not run, and the model is asked for
//! another. [`Duplicates`] has two more policies, and a tool whose results change is
//! [`repeatable`](ToolSettings::repeatable). A new prompt starts afresh. A history that goes on
//! without one does not: its calls count, save those that a run ended before it made them.
//!
//! # Models that know no tools
//!
//! With [`Rendering::Text`] calls and results are lines of text. Such a model is offered no tools,
//! so that a message has to say which there are, and how a call is written:
//!
//! ```
//! # use std::sync::Arc;
//! # use mynah::{
//! #     chat::{Message, Request, Role},
//! #     provider::echo::{Echo, EchoSettings},
//! #     tool_loop::{CancellationToken, LoopSettings, Rendering, ToolLoop, ToolRegistry, Wording},
//! # };
//! # #[derive(serde::Deserialize, schemars::JsonSchema)]
//! # struct Place { location: String }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut registry = ToolRegistry::new();
//! # registry.register("get_weather", "The weather of a place", async |place: Place| {
//! #     Ok(format!("It is sunny in {}.", place.location))
//! # })?;
//! let tools = format!(
//!     "You have these tools: {}\n\
//!      To call one, write a line like this, and wait for the response:\n\
//!      AI ACTION (Turn 1): Executing Get Weather with parameters: location: Oslo",
//!     registry.definitions(),
//! );
//! let rendering = Rendering::Text(Wording::default());
//! let settings = LoopSettings { rendering, ..LoopSettings::default() };
//! let tool_loop = ToolLoop::new(registry, settings)?;
//!
//! // Echo says what it is told: the call, then its result.
//! let model = Arc::new(Echo::new("echo", EchoSettings::default()));
//! let question = "AI ACTION (Turn 1): Executing Get Weather with parameters: location: Paris";
//! let messages = vec![Message::new(Role::System, tools), Message::new(Role::User, question)];
//! let request = Request { messages, ..Request::default() };
//! let result = tool_loop.run(model, request, CancellationToken::new()).await;
//!
//! assert_eq!(result.calls[0].result, "It is sunny in Paris.");
//! assert_eq!(
//!     result.text(),
//!     "TOOL RESPONSE (Turn 1): SUCCESS: Get Weather completed successfully. \
//!      The requested operation has been finished as requested.\n\n\"It is sunny in Paris.\"",
//! );
//! # Ok(())
//! # }
//! ```
//!
//! All limits hold as for other models. [`transcript`] says what text cannot carry.
//!
//! # Where things are
//!
//! ```text
//! registry    the tools, by name         tool, registered: what a tool is
//! run         one run, turn by turn      batch      the calls of a turn, side by side
//! limited     a tool with its limits     breaker, cache, arguments, output
//! settings    all limits                 budget, stall, stop: what ends a run
//! model       who answers and listens    ids        what tells calls apart
//! result      what comes out             metrics    what is counted
//! transcript  such a conversation as messages, native or as text, and which calls are duplicates
//! ```

mod arguments;
mod batch;
mod breaker;
mod budget;
mod cache;
mod error;
mod ids;
mod limited;
mod metrics;
mod model;
mod output;
mod registered;
mod registry;
mod result;
mod run;
mod settings;
mod stall;
mod stop;
mod tool;
pub mod transcript;

use std::sync::Arc;

use futures_util::{
    StreamExt, future,
    stream::{self, BoxStream},
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
pub use tokio_util::sync::CancellationToken;

pub use self::{
    error::{CallError, Why},
    metrics::ToolMetrics,
    registry::{RegistryError, ToolRegistry},
    result::{CallOutcome, CallRecord, EndReason, LoopEvent, LoopResult},
    settings::{BreakerSettings, CacheSettings, LoopSettings, SettingsError, ToolSettings},
    tool::{RunTool, ToolError},
    transcript::{Duplicates, Rendering, Wording},
};
use self::{limited::LimitedTool, model::Model, run::Run, stop::Stop};
use crate::{
    chat::{Request, Response},
    provider::Provider,
};

/// Events that may wait for whoever listens; then the loop waits.
const EVENTS: usize = 16;

/// Runs tools for models. Any number of runs may go on at once; they share caches and breakers.
#[derive(Debug)]
pub struct ToolLoop {
    tools: Vec<LimitedTool>,
    settings: LoopSettings,
    metrics: ToolMetrics,
}

impl ToolLoop {
    /// A loop that runs these tools. Settings that cannot be are refused.
    pub fn new(registry: ToolRegistry, settings: LoopSettings) -> Result<Self, SettingsError> {
        settings.check()?;
        let unknown = settings.by_tool.keys().find(|name| registry.find(name).is_none());
        if let Some(name) = unknown {
            return Err(SettingsError::UnknownTool(name.clone()));
        }
        let metrics = ToolMetrics::new();
        let limited = |tool: registered::Registered| {
            let settings = settings.of(tool.name()).clone();
            LimitedTool::new(tool, settings, &metrics)
        };
        let tools = registry.into_tools().into_iter().map(limited).collect();
        Ok(Self { tools, settings, metrics })
    }

    /// Runs the loop to its end. The tools are offered beside those of the request, and in the place
    /// of any that has the same name; a tool choice that demands a call holds for the first turn. In
    /// text there are neither.
    ///
    /// Cancelling stops the model and the tools at once, and so does dropping the future.
    pub async fn run(
        &self,
        provider: Arc<dyn Provider>,
        request: Request,
        cancel: CancellationToken,
    ) -> LoopResult {
        let model = Model { provider, listener: None };
        let stop = Stop::new(cancel, self.settings.wall_clock);
        Run::new(self, model, request, stop).finish().await
    }

    /// The same, told as it happens: what the model says, tools that start and finish, and at last
    /// the result. Dropping the stream stops all of it.
    pub fn run_stream(
        self: Arc<Self>,
        provider: Arc<dyn Provider>,
        request: Request,
        cancel: CancellationToken,
    ) -> BoxStream<'static, LoopEvent> {
        let (listener, events) = mpsc::channel(EVENTS);
        let work = async move {
            let model = Model { provider, listener: Some(listener.clone()) };
            let stop = Stop::new(cancel, self.settings.wall_clock);
            let result = Run::new(&self, model, request, stop).finish().await;
            let _ = listener.send(LoopEvent::Ended(result)).await;
        };
        // It has no items: it is there to be polled.
        let work = stream::once(work).filter_map(|()| future::ready(None));
        stream::select(ReceiverStream::new(events), work).boxed()
    }

    /// What is counted of the tools.
    pub fn metrics(&self) -> &ToolMetrics {
        &self.metrics
    }

    fn find(&self, name: &str) -> Option<&LimitedTool> {
        self.tools.iter().find(|tool| tool.name() == name)
    }

    /// Whether a call of that tool may have another result each time.
    fn is_repeatable(&self, name: &str) -> bool {
        self.find(name).is_some_and(|tool| tool.settings.repeatable)
    }

    /// The model's answer, with the calls that are in it.
    fn read(&self, response: Response) -> Response {
        let names = self.tools.iter().map(LimitedTool::name);
        self.settings.rendering.read(response, names)
    }

    /// Puts the tools on offer; a model that knows none is offered none.
    fn offer(&self, request: &mut Request) {
        if let Rendering::Text(_) = self.settings.rendering {
            (request.tools, request.tool_choice) = Default::default();
            return;
        }
        for tool in self.tools.iter().map(LimitedTool::definition) {
            // Arguments are checked against the tool's own definition.
            match request.tools.iter_mut().find(|offered| offered.name == tool.name) {
                Some(offered) => *offered = tool.clone(),
                None => request.tools.push(tool.clone()),
            }
        }
    }
}
