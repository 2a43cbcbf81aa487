//! Reads the request that starts a run.

use std::{collections::BTreeSet, sync::Arc};

use mynah_core::{
    base::blocking::{LARGE, Panicked, run_blocking_if},
    chat::{Message, Request, Role, ToolCall},
};

use super::{
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

/// The call ids in a conversation, and the number of turns so far.
#[derive(Debug)]
pub(super) struct CallIds {
    taken: BTreeSet<String>,
    turns: usize,
}

impl CallIds {
    /// Collects the ids in a history.
    fn in_history(history: &[Message]) -> Self {
        let calls = history.iter().flat_map(Message::tool_calls);
        let is_turn = |message: &&Message| matches!(message.role, Role::Assistant { .. });
        Self {
            taken: calls.filter_map(|call| call.id.clone()).collect(),
            turns: history.iter().filter(is_turn).count(),
        }
    }

    /// Starts the next turn. Assigns an id to each call whose id is missing, empty or already
    /// taken.
    pub(super) fn assign(&mut self, calls: &mut [ToolCall]) {
        self.turns += 1;
        for (call, number) in calls.iter_mut().zip(1..) {
            let own = call.id.take().filter(|id| !id.is_empty() && !self.taken.contains(id));
            let id = own.unwrap_or_else(|| self.unused_id(number));
            self.taken.insert(id.clone());
            call.id = Some(id);
        }
    }

    /// Returns `tool-call-<turn>-<number>`. If this id is taken, uses the next number that is free.
    fn unused_id(&self, number: usize) -> String {
        let mut ids = (number..).map(|number| format!("tool-call-{}-{number}", self.turns));
        ids.find(|id| !self.taken.contains(id)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: Option<&str>) -> ToolCall {
        ToolCall { id: id.map(Into::into), name: "f".into(), arguments: "{}".into() }
    }

    fn assigned(history: &[Message], ids: &[Option<&str>]) -> Vec<String> {
        let mut calls: Vec<_> = ids.iter().copied().map(call).collect();
        CallIds::in_history(history).assign(&mut calls);
        calls.into_iter().filter_map(|call| call.id).collect()
    }

    #[test]
    fn replaces_missing_empty_and_repeated_ids() {
        let ids = [Some("a"), Some(""), None, Some("a"), Some("b")];
        let expected = ["a", "tool-call-1-2", "tool-call-1-3", "tool-call-1-4", "b"];
        assert_eq!(assigned(&[], &ids), expected);
    }

    #[test]
    fn avoids_ids_in_the_history() {
        let earlier = ["0", "tool-call-2-1"].map(|id| call(Some(id)));
        let role = Role::Assistant { tool_calls: earlier.into() };
        let history = [Message::new(Role::User, "hi"), Message::new(role, "")];
        assert_eq!(assigned(&history, &[Some("0"), None]), ["tool-call-2-2", "tool-call-2-3"]);
    }
}
