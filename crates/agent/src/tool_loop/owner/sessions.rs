//! What a component keeps of each session.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mynah_core::{
    chat::Request,
    provider::sessions::{SessionLimits, SessionValue, Sessions},
};

use super::ToolMemory;
use crate::tool_loop::ToolLoop;

/// Maximum size of what a component keeps of all sessions in bytes.
const MAX_BYTES: usize = 64 << 20;

/// The tools of a component in one session: with their caches and circuit breakers, and with the calls
/// that callers have not seen.
#[derive(Debug)]
pub(super) struct SessionTools {
    pub(super) tools: ToolLoop,
    pub(super) memory: ToolMemory,
}

/// The tools of a component by session.
#[derive(Debug)]
pub(super) struct ToolSessions {
    /// What a new session starts with.
    new: SessionTools,
    sessions: Mutex<Sessions<Arc<SessionTools>>>,
}

/// The tools of a session while a call uses them. When dropped, measures them again.
#[derive(Debug)]
pub(super) struct ToolsInUse {
    of: Arc<ToolSessions>,
    session: Box<str>,
    pub(super) tools: Arc<SessionTools>,
}

impl ToolSessions {
    pub(super) fn new(tools: ToolLoop, memory: ToolMemory) -> Self {
        let sessions = Sessions::new(SessionLimits::with_size(MAX_BYTES)).into();
        Self { new: SessionTools { tools, memory }, sessions }
    }

    /// Returns the tools of a session for a call.
    pub(super) fn enter(self: &Arc<Self>, session: &str) -> ToolsInUse {
        let create = || Arc::new(self.new.fresh());
        let (tools, dropped) = self.lock().access(session, create, |tools| tools.clone());
        count_as_dropped(&dropped);
        ToolsInUse { of: self.clone(), session: session.into(), tools }
    }

    /// Adds the tools to the request of a caller that does not know them.
    pub(super) fn offer(&self, request: &mut Request) {
        self.new.tools.offer_unknown(request);
    }

    /// Drops what is kept of a session, or of all sessions.
    pub(super) fn reset(&self, session: Option<&str>) {
        self.lock().reset(session);
    }

    /// Ignores poisoning, because a panic cannot leave the sessions in an invalid state.
    fn lock(&self) -> MutexGuard<'_, Sessions<Arc<SessionTools>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionTools {
    /// Returns the same tools, as a new session has them.
    fn fresh(&self) -> Self {
        Self { tools: self.tools.fresh(), memory: self.memory.fresh() }
    }
}

impl SessionValue for SessionTools {
    fn size(&self) -> usize {
        self.tools.state_size() + self.memory.bytes()
    }
}

impl Drop for ToolsInUse {
    fn drop(&mut self) {
        let dropped = self.of.lock().measure(&self.session);
        count_as_dropped(&dropped);
    }
}

fn count_as_dropped(sessions: &[Arc<SessionTools>]) {
    sessions.iter().for_each(|session| session.memory.count_as_dropped());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool_loop::OwnerMetrics;
    use mynah_core::chat::{Message, ToolCall};

    #[test]
    fn the_size_of_all_sessions_is_limited() {
        let dropped = OwnerMetrics::new().unwrap().dropped("echo");
        let memory = ToolMemory::new(1, dropped.clone());
        let sessions = Arc::new(ToolSessions::new(ToolLoop::without_tools(), memory));
        let (id, [name, arguments]) = (Some("id".to_owned()), Default::default());
        let call = ToolCall { id, name, arguments };
        let result = Message::tool("other", "f", "x".repeat(MAX_BYTES / 5));
        for session in ["a", "b", "c", "d", "a", "e"] {
            let session = sessions.enter(session);
            let calls = std::slice::from_ref(&call);
            session.tools.memory.remember([].iter(), calls, vec![result.clone()]);
        }
        let bytes = ["a", "b", "c", "d", "e"].map(|session| {
            sessions.lock().get(session).map_or(0, |session| session.memory.bytes() / result.size())
        });
        assert_eq!((bytes, dropped.get()), ([1, 0, 1, 1, 1], 2));
    }
}
