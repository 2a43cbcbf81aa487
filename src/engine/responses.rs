//! The responses of OpenAI's API that later requests may continue. They are limited in number and in
//! bytes: the oldest are dropped first.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::wire::openai::KeptResponse;

/// Maximum number of responses.
const MAX_RESPONSES: usize = 1_000;
/// Maximum size of all responses in bytes.
const MAX_BYTES: usize = 32 << 20;

/// The kept responses of all sessions.
#[derive(Debug, Default)]
pub(crate) struct Responses(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// Oldest first.
    entries: VecDeque<Entry>,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    session: String,
    response: Arc<KeptResponse>,
}

impl Responses {
    /// Adds a response, in place of the one with the same id.
    pub(crate) fn add(&self, session: &str, response: KeptResponse) {
        let mut kept = self.lock();
        kept.retain(|entry| !entry.is(session, &response.id));
        let entry = Entry { session: session.to_owned(), response: response.into() };
        kept.bytes += entry.size();
        kept.entries.push_back(entry);
        kept.shrink();
    }

    /// Returns the response with an id.
    pub(crate) fn get(&self, session: &str, id: &str) -> Option<Arc<KeptResponse>> {
        let kept = self.lock();
        let entry = kept.entries.iter().find(|entry| entry.is(session, id));
        entry.map(|entry| entry.response.clone())
    }

    /// Returns the JSON of an item of a response.
    pub(crate) fn item(&self, session: &str, id: &str) -> Option<String> {
        self.get(session, &KeptResponse::id_of_item(id)?)?.item(id)
    }

    /// Removes a response. Returns `true` if there was one with the id.
    pub(crate) fn remove(&self, session: &str, id: &str) -> bool {
        self.lock().retain(|entry| !entry.is(session, id)) > 0
    }

    /// Removes the responses of a session, or of all sessions.
    pub(crate) fn reset(&self, session: Option<&str>) {
        self.lock().retain(|entry| session.is_some_and(|session| entry.session != session));
    }

    /// Ignores poisoning, because a panic cannot leave the responses in an invalid state.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Removes all other entries. Returns their number.
    fn retain(&mut self, keeps: impl Fn(&Entry) -> bool) -> usize {
        let before = self.entries.len();
        self.entries.retain(keeps);
        self.bytes = self.entries.iter().map(Entry::size).sum();
        before - self.entries.len()
    }

    fn shrink(&mut self) {
        while self.entries.len() > MAX_RESPONSES || self.bytes > MAX_BYTES {
            let Some(oldest) = self.entries.pop_front() else { return };
            self.bytes -= oldest.size();
        }
    }
}

impl Entry {
    fn is(&self, session: &str, id: &str) -> bool {
        self.session == session && self.response.id == id
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.session.len() + self.response.size()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn response(id: usize, bytes: usize) -> KeptResponse {
        let (id, items) = (id.to_string(), "x".repeat(bytes));
        KeptResponse { id, items, output: BTreeMap::new(), body: String::new() }
    }

    #[test]
    fn the_oldest_responses_are_dropped() {
        let responses = Responses::default();
        (0..=MAX_RESPONSES).for_each(|id| responses.add("s", response(id, 1)));
        assert_eq!(responses.get("s", "0"), None);
        assert!(responses.get("s", "1").is_some());
        responses.add("s", response(0, MAX_BYTES / 2));
        responses.add("s", response(1, MAX_BYTES / 2));
        assert_eq!((responses.get("s", "0"), responses.get("s", "999")), (None, None));
        assert!(responses.get("s", "1").is_some());
        responses.add("s", response(2, MAX_BYTES));
        assert_eq!(responses.lock().entries.len(), 0);
        assert_eq!(responses.lock().bytes, 0);
    }

    #[test]
    fn sessions_have_their_own_responses() {
        let responses = Responses::default();
        ["a", "b"].iter().for_each(|session| responses.add(session, response(1, 1)));
        responses.reset(Some("a"));
        assert_eq!(responses.get("a", "1"), None);
        assert!(responses.remove("b", "1") && !responses.remove("b", "1"));
        responses.add("b", response(1, 1));
        responses.reset(None);
        assert_eq!(responses.get("b", "1"), None);
    }
}
