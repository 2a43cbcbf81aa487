//! The trait for tools, the call for which a tool runs, and hooks that decide about calls before they run.

use std::{any::type_name, fmt, future::Future, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture};
use http::Extensions;
use mynah_core::base::memory::Reservation;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{ToolError, ToolOutput, panics::catch_panic};

/// A tool that receives its arguments as JSON. To use a function or closure as a tool, call
/// [`ToolRegistry::register`](super::ToolRegistry::register) or
/// [`ToolRegistry::register_with_schema`](super::ToolRegistry::register_with_schema) instead.
///
/// The returned future runs in the task of the loop, concurrently with other tools. Move blocking
/// work to `tokio::task::spawn_blocking`, as registered functions that are not async do. Dropping the
/// future cancels the call.
///
/// ```
/// use futures_util::FutureExt;
/// use mynah_agent::tool_loop::{RunTool, ToolContext, ToolError, ToolFuture, ToolRegistry};
/// use mynah_core::chat::Tool;
/// use serde_json::{Value, json};
///
/// struct Length;
///
/// impl RunTool for Length {
///     fn run(&self, arguments: Value, _: ToolContext) -> ToolFuture<'_> {
///         async move {
///             let text = arguments["text"].as_str().ok_or_else(|| ToolError::refused("no text"))?;
///             Ok(json!(text.chars().count()).into())
///         }
///         .boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let definition = Tool { name: "length".into(), description: None, parameters: None };
/// let mut registry = ToolRegistry::new();
/// registry.add(definition, Length)?;
/// assert_eq!(registry.run("length", r#"{"text": "mynah"}"#).await?, "5");
/// # Ok(())
/// # }
/// ```
pub trait RunTool: Send + Sync {
    /// Runs the tool once. `arguments` is a JSON object that is valid against the tool's schema.
    fn run(&self, arguments: Value, context: ToolContext) -> ToolFuture<'_>;
}

/// The future of a [`RunTool`]. To create one, box an async block.
pub type ToolFuture<'t> = BoxFuture<'t, Result<ToolOutput, ToolError>>;

impl<R: RunTool + ?Sized> RunTool for Arc<R> {
    fn run(&self, arguments: Value, context: ToolContext) -> ToolFuture<'_> {
        (**self).run(arguments, context)
    }
}

/// The call for which a tool runs, and the values that the caller of the run supplies.
///
/// ```
/// # use std::sync::Arc;
/// # use mynah_agent::tool_loop::{LoopSettings, ToolContext, ToolLoop, ToolRegistry};
/// # use mynah_echo::{Echo, EchoSettings};
/// # #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # struct Nothing {}
/// #[derive(Clone)]
/// struct User(String);
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = ToolRegistry::new();
/// registry.register("get_name", "My name", async |_: Nothing, context: ToolContext| {
///     Ok(context.extension::<User>()?.0.clone())
/// })?;
/// let tool_loop = ToolLoop::new(registry, LoopSettings::default())?;
/// let model = Arc::new(Echo::new("echo", EchoSettings::default()));
/// let run = tool_loop.run(model, "What is my name?").extension(User("Ann".to_owned()));
/// assert_eq!(run.await.answer(), Ok("Ann"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ToolContext {
    /// Id of the call, unique in the conversation. All attempts of a call have the same id.
    pub call_id: String,
    /// Turn of the run, starting at 1.
    pub turn: u32,
    /// Cancelled if the attempt is abandoned, because it timed out or the run ended. The future of
    /// the tool is dropped then. Also pass the token to tasks and threads that must stop.
    pub cancel: CancellationToken,
    extensions: Arc<Extensions>,
    /// The memory for what the tool reads, and then for its result.
    memory: Arc<Reservation>,
}

impl ToolContext {
    /// Returns the value of this type that [`Run::extension`](super::Run::extension) added.
    ///
    /// # Errors
    ///
    /// Fails if there is no value of this type.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Result<&T, ToolError> {
        let missing = || ToolError::failed(format_args!("the run has no {}", type_name::<T>()));
        self.extensions.get().ok_or_else(missing)
    }

    /// Adds a value, which replaces any other value of this type. Useful to test a tool.
    #[must_use]
    pub fn with_extension<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        Arc::make_mut(&mut self.extensions).insert(value);
        self
    }

    /// Returns the memory of the call. A tool must reserve what it reads before it keeps it.
    pub fn memory(&self) -> &Arc<Reservation> {
        &self.memory
    }

    /// Returns the context of a call in the same turn, with a token and memory of its own.
    pub(super) fn for_call(&self, call_id: String, memory: Reservation) -> Self {
        Self { call_id, memory: memory.into(), ..self.for_attempt() }
    }

    /// Returns the context of another attempt of the call, with a token of its own.
    pub(super) fn for_attempt(&self) -> Self {
        Self {
            call_id: self.call_id.clone(),
            turn: self.turn,
            // Cloning a token locks a mutex.
            cancel: CancellationToken::new(),
            extensions: self.extensions.clone(),
            memory: self.memory.clone(),
        }
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut context = f.debug_struct("ToolContext");
        context.field("call_id", &self.call_id).field("turn", &self.turn).finish_non_exhaustive()
    }
}

/// A call that is about to run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct UpcomingCall {
    /// Name of the tool.
    pub name: String,
    /// Arguments of the call, which are valid against the tool's schema.
    pub arguments: Value,
    /// The context that the tool receives.
    pub context: ToolContext,
}

/// The decision of a hook about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallDecision {
    /// Run the call, unless a later hook decides otherwise.
    Run,
    /// Do not run the call. The model receives this text as the tool's error.
    Refuse(String),
    /// Do not run the call. The model receives this result.
    Replace(ToolOutput),
}

type Hook = dyn Fn(UpcomingCall) -> BoxFuture<'static, CallDecision> + Send + Sync;

/// Hooks, in the order in which they are asked.
#[derive(Clone, Default)]
pub(super) struct Hooks(Vec<Arc<Hook>>);

impl Hooks {
    pub(super) fn push<W>(&mut self, hook: impl Fn(UpcomingCall) -> W + Send + Sync + 'static)
    where
        W: Future<Output = CallDecision> + Send + 'static,
    {
        self.0.push(Arc::new(move |call| hook(call).boxed()));
    }

    /// Asks the hooks one after another, until one decides that the call does not run. A hook that
    /// panics refuses the call.
    pub(super) async fn decide(&self, call: impl Fn() -> UpcomingCall) -> CallDecision {
        for hook in &self.0 {
            match catch_panic(async { hook(call()).await }).await {
                Ok(CallDecision::Run) => {}
                Ok(decision) => return decision,
                Err(panic) => return CallDecision::Refuse(format!("a hook panicked: {panic}")),
            }
        }
        CallDecision::Run
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} hooks", self.0.len())
    }
}
