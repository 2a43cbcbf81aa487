//! The tool loop: asks a model, runs the tools that it calls, sends back the results, and repeats
//! until the model answers without calling tools.
//!
//! A [`ToolRegistry`] holds the tools: closures whose JSON Schemas are generated from their
//! argument types. A [`ToolLoop`] runs the tools within the limits of its [`LoopSettings`]. The
//! model is any [`Provider`]: `conversation.echo` in this process, or a component of a sidecar
//! (mynah or daprd) that the client of the crate `mynah` calls over gRPC.
//!
//! ```
//! use std::sync::Arc;
//!
//! use mynah_agent::tool_loop::{LoopEnd, LoopSettings, ToolLoop, ToolRegistry};
//! use mynah_echo::{Echo, EchoSettings};
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
//! let result = tool_loop.run(model, "What is the weather in Paris?").await;
//!
//! assert_eq!(result.answer(), Ok("It is sunny in Paris."));
//! assert_eq!(result.calls[0].arguments, r#"{"location":"Paris"}"#);
//! assert_eq!((result.turns, result.end), (2, LoopEnd::Answered));
//! # Ok(())
//! # }
//! ```
//!
//! # Errors
//!
//! [`ToolLoop::run`] does not return an error. A [`LoopResult`] contains the reason why the run
//! ended and everything that happened during the run, as a history that can be continued.
//! [`Run::stream`] reports the same run as a stream of events.
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
//! # use mynah_agent::tool_loop::{LoopSettings, Rendering, ToolLoop, ToolRegistry, Wording};
//! # use mynah_core::chat::{Message, Request, Role};
//! # use mynah_echo::{Echo, EchoSettings};
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
//! let result = tool_loop.run(model, request).await;
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

// Runs     run, start, turns, batch, model, budget
// Tools    toolset, registry, function, tool, output, scrub, panics
// Limits   settings, limited
// Results  record, result, metrics

mod batch;
mod budget;
mod function;
mod limited;
mod metrics;
mod model;
mod output;
mod owner;
mod panics;
mod record;
mod registry;
mod result;
mod run;
mod scrub;
mod settings;
mod start;
mod tool;
mod toolset;
pub mod transcript;
mod turns;

use std::sync::Arc;

use mynah_core::{chat::Request, provider::Provider};
pub use prometheus;
pub use schemars;
pub use tokio_util::sync::CancellationToken;

use self::toolset::Toolset;
pub use self::{
    function::ToolFunction,
    metrics::ToolMetrics,
    output::{ToolError, ToolErrorKind, ToolOutput, ToolReturn},
    owner::{OwnerMetrics, ToolMemory, ToolOwner},
    record::{CallError, CallFailure, CallOutcome, CallRecord},
    registry::{RegisteredTool, RegistryError, ToolRegistry},
    result::{LoopEnd, LoopEvent, LoopResult},
    run::{Run, RunStream},
    settings::{BreakerSettings, CacheSettings, LoopSettings, SettingsError, ToolSettings},
    tool::{CallDecision, RunTool, ToolContext, ToolFuture, UpcomingCall},
    transcript::{DuplicatePolicy, Rendering, Wording},
};
/// Runs the tools that models call. Clones share their tools.
///
/// Any number of runs can be in progress at the same time. All of them share the same caches and
/// circuit breakers.
#[derive(Debug, Clone)]
pub struct ToolLoop(Arc<Toolset>);

impl ToolLoop {
    /// Creates a loop that runs the tools in `registry`.
    ///
    /// # Errors
    ///
    /// Fails if a setting of the loop or of a tool is out of range.
    pub fn new(registry: ToolRegistry, settings: LoopSettings) -> Result<Self, SettingsError> {
        Self::with_metrics(registry, settings, ToolMetrics::new())
    }

    /// Creates a loop without tools and with the default settings.
    #[expect(clippy::expect_used, reason = "the default settings are valid")]
    pub fn without_tools() -> Self {
        Self::new(ToolRegistry::new(), LoopSettings::default()).expect("valid settings")
    }

    /// Creates a loop like [`new`](Self::new) that counts calls in `metrics`.
    pub fn with_metrics(
        registry: ToolRegistry,
        settings: LoopSettings,
        metrics: ToolMetrics,
    ) -> Result<Self, SettingsError> {
        Ok(Self(Toolset::new(registry, settings, metrics)?.into()))
    }

    /// Returns a loop with the same tools, but with caches and circuit breakers of its own.
    pub fn fresh(&self) -> Self {
        Self(self.0.fresh().into())
    }

    /// Returns the size of what the tools keep between runs, in bytes.
    pub fn state_size(&self) -> usize {
        self.0.state_size()
    }

    /// Adds the tools to the request of a caller that does not know them.
    fn offer_unknown(&self, request: &mut Request) {
        self.0.offer(request, true);
    }

    /// Returns a run of the loop, to be awaited or streamed. `request` is a [`Request`] or a prompt.
    ///
    /// The registered tools are offered in addition to those in the request. They replace any tools
    /// in the request that have the same names. If the model calls one of the other tools, the
    /// registered tools that it calls run, and the run ends with [`LoopEnd::CallerTools`]. A tool
    /// choice that demands a call applies only to the first turn. With [`Rendering::Text`], the
    /// request is sent without tools or a tool choice.
    pub fn run(&self, model: Arc<dyn Provider>, request: impl Into<Request>) -> Run {
        Run::new(self.0.clone(), model, request.into())
    }

    /// Returns the metrics of the tools.
    pub fn metrics(&self) -> &ToolMetrics {
        &self.0.metrics
    }
}
