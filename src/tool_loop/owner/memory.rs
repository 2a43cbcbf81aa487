//! Remembers the calls that callers have not seen, until they send the results of their own.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use prometheus::IntCounter;

use crate::chat::{Message, Role, ToolCall};

/// Maximum size of all remembered messages in bytes.
const MAX_BYTES: usize = 16 << 20;

/// The calls of a component's tools that its callers have not seen, by the ids of the calls that they
/// got instead. The oldest are dropped first.
#[derive(Debug)]
pub(crate) struct ToolMemory {
    max_requests: usize,
    requests: Mutex<Requests>,
    /// Counts the requests that were dropped.
    dropped: IntCounter,
}

#[derive(Debug, Default)]
struct Requests {
    by_id: BTreeMap<String, Arc<Remembered>>,
    /// The requests, oldest first.
    order: VecDeque<Arc<Remembered>>,
    bytes: usize,
}

/// What the caller of one request has not seen.
#[derive(Debug)]
struct Remembered {
    ids: Vec<String>,
    messages: Vec<Message>,
    bytes: usize,
}

impl ToolMemory {
    /// Creates a memory for this number of requests.
    pub(crate) fn new(max_requests: usize, dropped: IntCounter) -> Self {
        Self { max_requests, requests: Mutex::default(), dropped }
    }

    /// Remembers the `turns` of a request whose caller gets these calls.
    pub(super) fn remember(&self, calls: &[ToolCall], turns: Vec<Message>) {
        let ids: Vec<_> = calls.iter().filter_map(|call| call.id.clone()).collect();
        if ids.is_empty() {
            return;
        }
        let messages = without_seen(turns, &ids);
        let bytes = messages.iter().map(Message::size).sum::<usize>()
            + ids.iter().map(String::len).sum::<usize>();
        let request = Arc::new(Remembered { ids, messages, bytes });
        self.with_requests(|requests| {
            requests.add(request);
            while requests.order.len() > self.max_requests || requests.bytes > MAX_BYTES {
                requests.drop_oldest();
                self.dropped.inc();
            }
        });
    }

    /// Puts the messages back that the caller has not seen, each before the calls that it has seen.
    /// Returns the ranges of these messages.
    pub(super) fn restore(&self, messages: &mut Vec<Message>) -> Vec<Range<usize>> {
        if !messages.iter().any(|message| !message.tool_calls().is_empty()) {
            return Vec::new();
        }
        let (mut restored, mut unseen, mut unknown) = (Vec::new(), Vec::new(), None);
        for message in std::mem::take(messages) {
            let calls = message.tool_calls();
            if !calls.is_empty() {
                match self.find(calls) {
                    Some(earlier) if earlier.messages.is_empty() => {}
                    Some(earlier) => {
                        let start = restored.len();
                        restored.extend_from_slice(&earlier.messages);
                        unseen.push(start..restored.len());
                    }
                    None => unknown = calls[0].id.clone().or(unknown),
                }
            }
            restored.push(message);
        }
        if let Some(id) = unknown {
            tracing::warn!(
                id,
                "the history has calls of which nothing is remembered; it is used as it came"
            );
        }
        *messages = restored;
        unseen
    }

    fn find(&self, calls: &[ToolCall]) -> Option<Arc<Remembered>> {
        let mut ids = calls.iter().filter_map(|call| call.id.as_deref());
        self.with_requests(|requests| ids.find_map(|id| requests.by_id.get(id).cloned()))
    }

    fn with_requests<T>(&self, access: impl FnOnce(&mut Requests) -> T) -> T {
        access(&mut self.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Requests {
    fn add(&mut self, request: Arc<Remembered>) {
        self.bytes += request.bytes;
        for id in &request.ids {
            self.by_id.insert(id.clone(), request.clone());
        }
        self.order.push_back(request);
    }

    fn drop_oldest(&mut self) {
        let Some(oldest) = self.order.pop_front() else { return };
        self.bytes -= oldest.bytes;
        for id in &oldest.ids {
            // A newer request may have the same id.
            if self.by_id.get(id).is_some_and(|request| Arc::ptr_eq(request, &oldest)) {
                self.by_id.remove(id);
            }
        }
    }
}

/// Removes what the caller has seen: the texts, and the calls with these ids.
fn without_seen(turns: Vec<Message>, ids: &[String]) -> Vec<Message> {
    let is_seen = |call: &ToolCall| call.id.as_ref().is_some_and(|id| ids.contains(id));
    let unseen = |mut message: Message| {
        if let Role::Assistant { tool_calls } = &mut message.role {
            tool_calls.retain(|call| !is_seen(call));
            message.parts.clear();
            return Some(message).filter(|message| !message.tool_calls().is_empty());
        }
        Some(message)
    };
    turns.into_iter().filter_map(unseen).collect()
}
