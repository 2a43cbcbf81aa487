//! The call for which a tool runs.

use std::{any::type_name, fmt, sync::Arc};

use http::Extensions;
use mynah_core::base::memory::Reservation;
use tokio_util::sync::CancellationToken;

use super::ToolError;

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
