//! A run of the loop, as its caller sees it.

use std::{
    fmt,
    future::{self, Future, IntoFuture},
    ops::Range,
    panic,
    sync::Arc,
    time::Duration,
};

use futures_util::{
    FutureExt, StreamExt,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use mynah_core::{
    chat::{Request, Tool},
    provider::{CallContext, Provider, Unseen},
};
use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinError,
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use tracing::Instrument;

use super::{
    CallDecision, LoopEnd, LoopEvent, LoopResult, ToolContext, UpcomingCall,
    batch::Scope,
    budget::{CallBudget, StallDetector, StopSignal},
    model::{Listener, Model},
    start::RunStart,
    toolset::Toolset,
    turns::Turns,
};

/// Maximum number of pieces of answers that wait for the reader of a stream.
const PIECE_QUEUE_CAPACITY: usize = 16;

/// A run that has not started. Await it to get its result, or call [`stream`](Self::stream) to get
/// its events.
///
/// A run is a Tokio task of its own: its tools and timeouts go on if the caller does not poll.
/// Dropping the future or the stream aborts the run and its tools.
///
/// ```
/// # use std::{sync::Arc, time::Duration};
/// # use mynah_agent::tool_loop::{CancellationToken, LoopEnd, LoopSettings, ToolLoop, ToolRegistry};
/// # use mynah_echo::{Echo, EchoSettings};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tool_loop = ToolLoop::new(ToolRegistry::new(), LoopSettings::default())?;
/// let model = Arc::new(Echo::new("echo", EchoSettings::default()));
/// let token = CancellationToken::new();
/// token.cancel();
/// let run = tool_loop.run(model, "Hello!").time_limit(Duration::from_secs(5));
/// assert_eq!(run.cancel_with(token).await.end, LoopEnd::Cancelled);
/// # Ok(())
/// # }
/// ```
#[must_use = "a run starts when it is awaited or streamed"]
pub struct Run {
    tools: Arc<Toolset>,
    provider: Arc<dyn Provider>,
    request: Request,
    cancel: CancellationToken,
    time_limit: Duration,
    context: ToolContext,
    session: Option<Arc<str>>,
    call: Option<ComponentCall>,
}

/// A call to a component that owns the tools of the loop.
struct ComponentCall {
    context: CallContext,
    /// The messages of the request that the caller did not send.
    unseen: Vec<Range<usize>>,
}

impl Run {
    pub(super) fn new(tools: Arc<Toolset>, provider: Arc<dyn Provider>, request: Request) -> Self {
        let time_limit = tools.settings.wall_clock;
        let (cancel, context) = (CancellationToken::new(), ToolContext::default());
        Self { tools, provider, request, cancel, time_limit, context, session: None, call: None }
    }

    /// Makes this the run of a call to a component that owns the tools. `unseen` are the messages of
    /// the request that the caller did not send.
    pub(super) fn in_call(self, context: CallContext, unseen: Vec<Range<usize>>) -> Self {
        Self { call: Some(ComponentCall { context, unseen }), ..self }
    }

    /// Ends the run with [`LoopEnd::Cancelled`](super::LoopEnd::Cancelled) when the token is
    /// cancelled.
    pub fn cancel_with(self, token: CancellationToken) -> Self {
        Self { cancel: token, ..self }
    }

    /// Sets the maximum duration of this run, instead of
    /// [`LoopSettings::wall_clock`](super::LoopSettings::wall_clock).
    pub fn time_limit(self, limit: Duration) -> Self {
        Self { time_limit: limit, ..self }
    }

    /// Sets the maximum duration of this run and of each turn of the model in it.
    pub fn total_limit(mut self, limit: Duration) -> Self {
        Arc::make_mut(&mut self.tools).settings.model_timeout = limit;
        self.time_limit(limit)
    }

    /// Sets the session to which the calls of the model belong, like [`CallContext::session`].
    pub fn session(self, session: impl Into<Arc<str>>) -> Self {
        Self { session: Some(session.into()), ..self }
    }

    /// Adds a value that tools get by its type from [`ToolContext::extension`], such as the user for
    /// whom they run. It replaces any other value of this type.
    ///
    /// Do not cache the results of tools that depend on extensions. Calls with different extensions
    /// share their cached results.
    pub fn extension<T: Clone + Send + Sync + 'static>(self, value: T) -> Self {
        Self { context: self.context.with_extension(value), ..self }
    }

    /// Offers only the tools for which `offer` returns `true`. The others do not exist in this run.
    pub fn filter_tools(mut self, offer: impl Fn(&Tool) -> bool) -> Self {
        Arc::make_mut(&mut self.tools).retain(offer);
        self
    }

    /// Adds a hook for this run, which is asked after those of
    /// [`ToolRegistry::before_call`](super::ToolRegistry::before_call).
    pub fn before_call<W>(
        mut self,
        hook: impl Fn(UpcomingCall) -> W + Send + Sync + 'static,
    ) -> Self
    where
        W: Future<Output = CallDecision> + Send + 'static,
    {
        Arc::make_mut(&mut self.tools).hooks.push(hook);
        self
    }

    /// Starts the run and streams its events: reasoning and text from the model, the start and finish of each tool
    /// call, and finally the result.
    ///
    /// If the stream is not read, the model waits, and its turn ends at the time limit. Tools do not
    /// wait.
    ///
    /// # Panics
    ///
    /// Panics outside of a Tokio runtime.
    pub fn stream(self) -> RunStream {
        let (sender, mut events) = mpsc::unbounded_channel();
        let room = Arc::new(Semaphore::new(PIECE_QUEUE_CAPACITY));
        // The caller of a component sees only the answer.
        let hears_calls = self.call.is_none();
        let listener = Listener { events: sender, hears_calls, room: room.clone() };
        let run = async move {
            let events = listener.events.clone();
            let result = self.run_to_end(Some(listener)).await;
            // Ignore send errors: if the stream is gone, this task is about to be aborted.
            let _ = events.send(LoopEvent::Ended(result));
        };
        let task = spawn(run).into_stream().filter_map(|()| future::ready(None));
        let events = stream::poll_fn(move |context| events.poll_recv(context));
        let events = events.inspect(move |event| {
            if let LoopEvent::Reasoning(_) | LoopEvent::Text(_) = event {
                room.add_permits(1);
            }
        });
        events.chain(task).boxed()
    }

    /// Runs without a task of its own. Tools and timeouts make no progress while the caller does not
    /// poll.
    pub(super) async fn run_to_end(self, listener: Option<Listener>) -> LoopResult {
        let Self { tools, provider, request, cancel, time_limit, context, session, call } = self;
        let stop = StopSignal::new(cancel, time_limit);
        // The end of a call to a component cancels its context.
        let is_standalone = call.is_none();
        let messages = request.messages.len();
        let start = match RunStart::read(request, &tools, !is_standalone).await {
            Ok(start) => start,
            Err(panicked) => return LoopResult::new(LoopEnd::ModelError(panicked.into())),
        };
        let (turn, charged) = match call {
            None => {
                let context = CallContext::new(session, None);
                (context.clone(), context)
            }
            Some(ComponentCall { context, unseen: earlier }) => {
                let tools = tools.names_beside(&start.caller_tools);
                (context.turn(Unseen { tools, earlier, start: messages }), context)
            }
        };
        let _cancel = is_standalone.then(|| turn.cancel_on_drop());
        let model = Model { provider, context: turn, listener };
        let budget = CallBudget::new(tools.settings.max_calls);
        let turns = Turns {
            scope: Scope { tools: &tools, model, stop, context, budget },
            answer: charged.reservation(),
            charged,
            start,
            stall: StallDetector::default(),
            bytes: 0,
            result: LoopResult::new(LoopEnd::Answered),
        };
        turns.run_to_end().await
    }
}

impl IntoFuture for Run {
    type Output = LoopResult;
    type IntoFuture = BoxFuture<'static, LoopResult>;

    fn into_future(self) -> Self::IntoFuture {
        async move { spawn(self.run_to_end(None)).await }.boxed()
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("time_limit", &self.time_limit).finish_non_exhaustive()
    }
}

/// The events of a run. The last event is [`LoopEvent::Ended`]. Dropping the stream aborts the run.
pub type RunStream = BoxStream<'static, LoopEvent>;

/// Starts a task, which is aborted when the future is dropped. The future propagates its panics.
fn spawn<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> impl Future<Output = T> + Send {
    let task = AbortOnDropHandle::new(tokio::spawn(work.in_current_span()));
    task.then(async |result| match result.map_err(JoinError::try_into_panic) {
        Ok(output) => output,
        Err(Ok(panic)) => panic::resume_unwind(panic),
        // The runtime shuts down, and polls nothing any more.
        Err(Err(_)) => future::pending().await,
    })
}
