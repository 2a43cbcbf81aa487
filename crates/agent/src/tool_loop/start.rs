//! Reads the request that starts a run.

use std::sync::Arc;

use mynah_core::{
    base::blocking::{LARGE, Panicked, run_blocking_if},
    chat::{Message, Request, ToolCall},
};

use super::{
    ids::CallIds,
    toolset::{CallerTools, Toolset},
    transcript::{DuplicateDetector, since_prompt},
};

/// The request that starts a run, and what the run needs to know of it.
#[derive(Debug)]
pub(super) struct RunStart {
    /// The request, which also offers the tools of the loop. Shared with the model only while the
    /// model answers, so the history is never copied.
    pub(super) request: Arc<Request>,
    pub(super) caller_tools: CallerTools,
    pub(super) ids: CallIds,
    pub(super) duplicates: DuplicateDetector,
}

impl RunStart {
    /// Reads a request, on a blocking thread if it is large. `is_unaware` says whether the caller does
    /// not know the tools of the loop.
    pub(super) async fn read(
        mut request: Request,
        tools: &Arc<Toolset>,
        is_unaware: bool,
    ) -> Result<Self, Panicked> {
        let (is_large, tools) = (is_large(&request), tools.clone());
        let read = move || {
            let caller_tools = tools.offer(&mut request, is_unaware);
            // A new prompt may ask for the same calls again, so calls before the latest prompt do
            // not count.
            let recent = since_prompt(&request.messages);
            let policy = tools.settings.duplicates;
            Self {
                ids: CallIds::in_history(&request.messages),
                duplicates: DuplicateDetector::with_reader(policy, recent, &tools.reader),
                caller_tools,
                request: Arc::new(request),
            }
        };
        run_blocking_if(is_large, read).await
    }
}

/// Returns `true` if reading a request may take a millisecond.
pub(super) fn is_large(request: &Request) -> bool {
    is_long(&request.messages) || request.size() > LARGE
}

/// Returns `true` if reading a history may take a millisecond.
pub(super) fn is_long(history: &[Message]) -> bool {
    /// What a message without text and calls takes, compared with a byte of text.
    const MESSAGE: usize = 8;
    let calls = |message: &Message| message.tool_calls().iter().map(ToolCall::size).sum::<usize>();
    let size = |message: &Message| MESSAGE + message.text_len() + calls(message);
    history.iter().map(size).sum::<usize>() > LARGE
}
