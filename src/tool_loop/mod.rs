//! The tool loop: asks a model, runs the tools that it calls, sends back the results, and repeats
//! until the model answers without calling tools.
//!
//! A [`ToolRegistry`] holds the tools: closures whose JSON Schemas are generated from their
//! argument types. A [`ToolLoop`] runs the tools within the limits of its [`LoopSettings`]. The
//! model is any [`Provider`]: `conversation.echo` in this process, or a component of a sidecar
//! (mynah or daprd) that a [`RemoteComponent`](crate::client::RemoteComponent) calls over gRPC.
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
//! # Errors
//!
//! [`ToolLoop::run`] does not return an error. A [`LoopResult`] contains the reason why the run
//! ended and everything that happened during the run, as a history that can be continued.
//! [`ToolLoop::run_stream`] reports the same run as a stream of events.
//!
//! Every run ends: the turns, the time of a run and the time of a turn of the model are limited.
//!
//! A failed call does not end the run. The model receives the error instead of a result. Failures
//! include unknown tools, invalid arguments, errors and panics in tools, timeouts, open circuit
//! breakers and duplicate calls. [`CallOutcome`] lists all cases.
//!
//! # Determinism
//!
//! If the tools and the model are deterministic, so is the history. Results are in the order of the
//! calls, regardless of which call finished first. A call without an id gets the id
//! `tool-call-<turn>-<number>`.
//!
//! # Duplicate calls
//!
//! By default, a call that is the same as the previous call is a duplicate. It does not run, and
//! the model is asked to try something else. [`DuplicatePolicy`] has other policies, and tools
//! whose results change can be marked [`repeatable`](ToolSettings::repeatable).
//!
//! A call that did not run because the run ended first or because the circuit was open does not
//! count. A call that was interrupted because the run ended counts, because it may have taken
//! effect.
//!
//! Only calls since the latest user prompt are compared. If a history continues without a new
//! prompt, its calls still count.
//!
//! # Models without tool support
//!
//! With [`Rendering::Text`], calls and results are lines of text. The request offers no tools, so a
//! message must describe the tools and the format of a call:
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
//! // The prompt here is written as a call. Echo repeats it, and then repeats the result of the call.
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
//! The same limits apply as for other models. [`transcript`] describes what text cannot represent.

// run            a single run of the loop, turn by turn
//   batch        runs the calls of a turn concurrently
//   model        asks the model and emits events
//   budget       limits the number of calls
//   stall        detects a model that makes no progress
//   stop         cancels the run and limits its duration
//   ids          assigns unique call ids
// toolset        the tools of a loop
//   registry     tools by name
//   tool         the trait for tools
//   registered   a tool with its definition
//   limited      a tool with its limits
//     breaker    the circuit breaker
//     cache      the result cache
//   arguments    parses the arguments of a call
//   output       the output of a tool
//   metrics      Prometheus metrics
// settings       the settings of a loop and its tools
// result         results and events
// error          the errors of tool calls
// transcript     writes and reads histories, detects duplicates

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
mod toolset;
pub mod transcript;

use std::sync::Arc;

use futures_util::{
    StreamExt, future,
    stream::{self, BoxStream},
};
use tokio::sync::mpsc;
pub use tokio_util::sync::CancellationToken;

pub use self::{
    error::{CallError, CallFailure},
    metrics::ToolMetrics,
    registry::{RegistryError, ToolRegistry},
    result::{CallOutcome, CallRecord, EndReason, LoopEvent, LoopResult},
    settings::{BreakerSettings, CacheSettings, LoopSettings, SettingsError, ToolSettings},
    tool::{RunTool, ToolError},
    transcript::{DuplicatePolicy, Rendering, Wording},
};
use self::{model::Model, run::Run, stop::StopSignal, toolset::Toolset};
use crate::{chat::Request, provider::Provider};

/// Maximum number of queued events for a listener. When the queue is full, the loop waits.
const EVENT_QUEUE_CAPACITY: usize = 16;

/// Runs the tools that models call.
///
/// Any number of runs can be in progress at the same time. All of them share the same caches and
/// circuit breakers.
#[derive(Debug)]
pub struct ToolLoop(Toolset);

impl ToolLoop {
    /// Creates a loop that runs the tools in `registry`.
    ///
    /// # Errors
    ///
    /// Fails if a setting is out of range, or if `settings` names a tool that is not registered.
    pub fn new(registry: ToolRegistry, settings: LoopSettings) -> Result<Self, SettingsError> {
        Ok(Self(Toolset::new(registry, settings)?))
    }

    /// Runs the loop until it ends.
    ///
    /// The registered tools are offered in addition to those in the request. They replace any tools
    /// in the request that have the same names. If the model calls one of the other tools, the
    /// registered tools that it calls run, and the run ends with [`EndReason::CallerTools`]. A tool choice that demands a call applies only to
    /// the first turn. With [`Rendering::Text`], the request is sent without tools or a tool
    /// choice.
    ///
    /// Cancelling `cancel` or dropping the future stops the model and the tools immediately.
    pub async fn run(
        &self,
        provider: Arc<dyn Provider>,
        request: Request,
        cancel: CancellationToken,
    ) -> LoopResult {
        self.run_model(Model { provider, listener: None }, request, cancel).await
    }

    /// Runs the loop like [`run`](Self::run) and streams its events: text from the model, the start
    /// and finish of each tool call, and finally the result.
    ///
    /// Dropping the stream stops the model and the tools immediately.
    pub fn run_stream(
        self: Arc<Self>,
        provider: Arc<dyn Provider>,
        request: Request,
        cancel: CancellationToken,
    ) -> BoxStream<'static, LoopEvent> {
        let (listener, mut events) = mpsc::channel(EVENT_QUEUE_CAPACITY);
        let work = async move {
            let model = Model { provider, listener: Some(listener.clone()) };
            let result = self.run_model(model, request, cancel).await;
            let _ = listener.send(LoopEvent::Ended(result)).await;
        };
        // An empty stream, merged in below so that polling the events also drives the run.
        let work = stream::once(work).filter_map(|()| future::ready(None));
        let events = stream::poll_fn(move |context| events.poll_recv(context));
        stream::select(events, work).boxed()
    }

    async fn run_model(
        &self,
        model: Model,
        request: Request,
        cancel: CancellationToken,
    ) -> LoopResult {
        let stop = StopSignal::new(cancel, self.0.settings.wall_clock);
        Run::new(&self.0, model, request, stop).run_to_end().await
    }

    /// Returns the metrics of the tools.
    pub fn metrics(&self) -> &ToolMetrics {
        &self.0.metrics
    }
}
