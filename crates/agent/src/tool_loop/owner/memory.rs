//! Remembers the calls that callers have not seen, until they send the results of their own.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use mynah_core::{
    chat::{Message, Role, ToolCall},
    provider::HistoryHash,
};
use prometheus::IntCounter;

/// Maximum size of all remembered messages in bytes.
const MAX_BYTES: usize = 16 << 20;

/// The calls of a component's tools that its callers have not seen, by the ids of the calls that they
/// got instead. The oldest are dropped first.
#[derive(Debug)]
pub struct ToolMemory {
    max_requests: usize,
    requests: Mutex<Requests>,
    /// Counts the requests that were dropped.
    dropped: IntCounter,
}

#[derive(Debug, Default)]
struct Requests {
    /// The requests whose answers had a call with this id, oldest first.
    by_id: BTreeMap<String, Vec<Arc<Remembered>>>,
    /// The requests, oldest first.
    order: VecDeque<Arc<Remembered>>,
    bytes: usize,
}

/// What the caller of one request has not seen.
#[derive(Debug)]
struct Remembered {
    /// Identifies the messages that the caller sent.
    history: u64,
    ids: Vec<String>,
    messages: Vec<Message>,
    bytes: usize,
}

/// What a caller has not seen of its history: the messages to put back, each with the index of the
/// message before which they belong.
pub(super) struct UnseenTurns(Vec<(usize, Arc<Remembered>)>);

impl ToolMemory {
    /// Creates a memory for this number of requests.
    pub fn new(max_requests: usize, dropped: IntCounter) -> Self {
        Self { max_requests, requests: Mutex::default(), dropped }
    }

    /// Returns an empty memory for as many requests.
    pub(super) fn fresh(&self) -> Self {
        Self::new(self.max_requests, self.dropped.clone())
    }

    /// Returns the size of all remembered messages in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.with_requests(|requests| requests.bytes)
    }

    /// Counts all requests as dropped.
    pub(super) fn count_as_dropped(&self) {
        self.dropped.inc_by(self.with_requests(|requests| requests.order.len() as u64));
    }

    /// Remembers the `turns` of a request whose caller sent `history` and gets these calls.
    pub(super) fn remember<'a>(
        &self,
        history: impl Iterator<Item = &'a Message>,
        calls: &[ToolCall],
        turns: Vec<Message>,
    ) {
        let ids: Vec<_> = calls.iter().filter_map(|call| call.id.clone()).collect();
        if ids.is_empty() {
            return;
        }
        let messages = without_seen(turns, &ids);
        let bytes = messages.iter().map(Message::size).sum::<usize>()
            + ids.iter().map(String::len).sum::<usize>();
        let mut hash = HistoryHash::default();
        history.for_each(|message| hash.add(message));
        let request = Remembered { history: hash.value(), ids, messages, bytes };
        self.with_requests(|requests| {
            let dropped = requests.add(request.into(), self.max_requests);
            self.dropped.inc_by(dropped);
        });
    }

    /// Finds what the caller has not seen of these messages. What belongs to one request is found only
    /// once.
    pub(super) fn unseen(&self, messages: &[Message]) -> UnseenTurns {
        let (mut unseen, mut found, mut unknown) = (Vec::new(), BTreeSet::new(), None);
        let mut asked = BTreeSet::new();
        let mut prefixes = Prefixes { messages, hash: HistoryHash::default(), len: 0 };
        for (index, message) in messages.iter().enumerate() {
            let calls = message.tool_calls();
            // Looks each id up only once.
            if !calls.iter().any(|call| asked.insert(call.id.as_deref())) {
                continue;
            }
            match self.find(calls, || prefixes.hash(index)) {
                Some(request) => {
                    if found.insert(Arc::as_ptr(&request)) && !request.messages.is_empty() {
                        unseen.push((index, request));
                    }
                }
                None => unknown = calls[0].id.clone().or(unknown),
            }
        }
        if let Some(id) = unknown {
            tracing::warn!(
                id,
                "the history has calls of which nothing is remembered; it is used as it came"
            );
        }
        UnseenTurns(unseen)
    }

    fn find(
        &self,
        calls: &[ToolCall],
        mut history: impl FnMut() -> u64,
    ) -> Option<Arc<Remembered>> {
        let mut ids = calls.iter().filter_map(|call| call.id.as_deref());
        self.with_requests(|requests| ids.find_map(|id| requests.find(id, &mut history)))
    }

    fn with_requests<T>(&self, access: impl FnOnce(&mut Requests) -> T) -> T {
        access(&mut self.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Requests {
    /// Adds a request, and returns how many were dropped for it.
    fn add(&mut self, request: Arc<Remembered>, max_requests: usize) -> u64 {
        if request.bytes > MAX_BYTES {
            return 1;
        }
        self.bytes += request.bytes;
        for id in &request.ids {
            self.by_id.entry(id.clone()).or_default().push(request.clone());
        }
        self.order.push_back(request);
        let mut dropped = 0;
        while self.order.len() > max_requests || self.bytes > MAX_BYTES {
            self.drop_oldest();
            dropped += 1;
        }
        dropped
    }

    /// Returns the latest request that returned a call with this id after this history. If the client
    /// has changed the history since, returns the latest one with this id.
    fn find(&self, id: &str, history: impl FnOnce() -> u64) -> Option<Arc<Remembered>> {
        let requests = self.by_id.get(id)?;
        let [.., _, latest] = requests.as_slice() else { return requests.first().cloned() };
        let history = history();
        let same = requests.iter().rfind(|request| request.history == history);
        Some(same.unwrap_or(latest).clone())
    }

    fn drop_oldest(&mut self) {
        let Some(oldest) = self.order.pop_front() else { return };
        self.bytes -= oldest.bytes;
        for id in &oldest.ids {
            if let Some(requests) = self.by_id.get_mut(id) {
                requests.retain(|request| !Arc::ptr_eq(request, &oldest));
                if requests.is_empty() {
                    self.by_id.remove(id);
                }
            }
        }
    }
}

/// The hashes of the beginnings of a history, which are computed in ascending order.
struct Prefixes<'a> {
    messages: &'a [Message],
    hash: HistoryHash,
    len: usize,
}

impl Prefixes<'_> {
    /// Returns the hash of the first messages.
    fn hash(&mut self, len: usize) -> u64 {
        self.messages[self.len..len].iter().for_each(|message| self.hash.add(message));
        self.len = len;
        self.hash.value()
    }
}

impl UnseenTurns {
    /// Returns the size of the messages in bytes.
    pub(super) fn size(&self) -> usize {
        self.0.iter().map(|(_, request)| request.bytes).sum()
    }

    /// Puts the messages back into the history, each changed by `change`. Returns their ranges.
    pub(super) fn put_back(
        self,
        messages: &mut Vec<Message>,
        change: impl Fn(Message) -> Message,
    ) -> Vec<Range<usize>> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let (mut all, mut ranges) = (Vec::new(), Vec::new());
        let mut unseen = self.0.into_iter().peekable();
        for (index, message) in std::mem::take(messages).into_iter().enumerate() {
            if let Some((_, request)) = unseen.next_if(|(before, _)| *before == index) {
                let start = all.len();
                all.extend(request.messages.iter().cloned().map(&change));
                ranges.push(start..all.len());
            }
            all.push(message);
        }
        *messages = all;
        ranges
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
