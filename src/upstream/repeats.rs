//! Exchanges that are recorded already.

use std::{
    collections::BTreeMap,
    hash::{Hash, Hasher},
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use twox_hash::XxHash3_64;

use crate::{
    chat::{MissingPart, Request, Response, ToolCall},
    provider::ProviderError,
};

/// Maximum number of requests whose answers are known. Others are always added.
const MAX_REQUESTS: usize = 10_000;

/// The exchanges that the recording has already, so that another one like them is only counted.
#[derive(Debug, Default)]
pub(super) struct Repeats(Mutex<BTreeMap<u64, Known>>);

/// What is known of a request in a session.
#[derive(Debug, Default)]
struct Known {
    /// The hash of the last answer.
    answer: Option<u64>,
    /// Whether this answer is recorded, so that it changes nothing if it is given again.
    is_recorded: bool,
    /// How often it has been given again, apart from what was added.
    repeats: usize,
    /// Number of exchanges that are not added yet, and how many of them precede the last answer.
    waiting: usize,
    preceding: usize,
}

/// The hashes of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint {
    /// Of the session and the request.
    pub(super) request: u64,
    /// Of what a recording compares of an answer.
    pub(super) answer: u64,
}

impl Fingerprint {
    pub(super) fn new(
        component: &str,
        session: &str,
        request: &Request,
        end: Result<&Response, &ProviderError>,
        is_streamed: bool,
    ) -> Self {
        let Request { messages, tools, tool_choice, single_tool_call, .. } = request;
        let Request { response_format, temperature, max_tokens, parameters, .. } = request;
        let limits = (temperature.map(f64::to_bits), max_tokens);
        let offered = (tools, tool_choice, single_tool_call, response_format);
        let answer = match end {
            Ok(response) => hash(&(said(response), is_streamed)),
            Err(error) => hash(&(error.kind.as_str(), &error.message)),
        };
        let request = hash(&(component, session, messages, offered, limits, parameters));
        Self { request, answer }
    }
}

/// Returns the parts of a response that a recording compares.
fn said<'r>(response: &'r Response) -> impl Hash + 'r {
    let calls = |calls: &'r [ToolCall]| -> Vec<_> {
        calls.iter().map(|call| (&call.name, &call.arguments)).collect()
    };
    let others = response.others.iter().map(|it| (&it.content, calls(&it.tool_calls)));
    let missing = response.missing.map(MissingPart::as_str);
    (&response.content, calls(&response.tool_calls), others.collect::<Vec<_>>(), missing)
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = XxHash3_64::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Repeats {
    /// Counts an exchange. If it must be added, returns how often the previous one was given again.
    pub(super) fn count(&self, exchange: Fingerprint) -> Option<usize> {
        let mut all = self.lock();
        if all.len() >= MAX_REQUESTS && !all.contains_key(&exchange.request) {
            return Some(0);
        }
        let known = all.entry(exchange.request).or_default();
        if known.answer != Some(exchange.answer) {
            known.answer = Some(exchange.answer);
            known.is_recorded = false;
            known.preceding = known.waiting;
        }
        if known.is_recorded {
            known.repeats += 1;
            return None;
        }
        known.waiting += 1;
        Some(mem::take(&mut known.repeats))
    }

    /// Notes that an exchange has been added. `is_recorded` says that the same one changes nothing.
    pub(super) fn added(&self, exchange: Fingerprint, is_recorded: bool) {
        if let Some(known) = self.lock().get_mut(&exchange.request) {
            known.waiting = known.waiting.saturating_sub(1);
            let is_last = known.preceding == 0 && known.answer == Some(exchange.answer);
            known.is_recorded = is_recorded && is_last;
            known.preceding = known.preceding.saturating_sub(1);
        }
    }

    /// Forgets the answer to a request. Returns how often it was repeated.
    pub(super) fn forget(&self, request: u64) -> usize {
        let mut all = self.lock();
        let known = all.get_mut(&request);
        known.map_or(0, |known| {
            known.is_recorded = false;
            mem::take(&mut known.repeats)
        })
    }

    /// Forgets all answers, so that the same exchanges are added again.
    pub(super) fn forget_all(&self) {
        self.lock().values_mut().for_each(|known| known.is_recorded = false);
    }

    /// Ignores poisoning, because a panic cannot leave the value in an invalid state.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_is_known() {
        let repeats = Repeats::default();
        let [one, other] = [1, 2].map(|answer| Fingerprint { request: 0, answer });
        assert_eq!([repeats.count(one), repeats.count(one)], [Some(0), Some(0)]);
        repeats.added(one, true);
        assert_eq!([repeats.count(one), repeats.count(one)], [None, None]);
        assert_eq!(repeats.count(other), Some(2));
        // The second one is added.
        repeats.added(one, true);
        assert_eq!(repeats.count(other), Some(0));
        repeats.added(other, true);
        assert_eq!(repeats.count(other), None);
        assert_eq!(repeats.forget(0), 1);
        assert_eq!(repeats.count(other), Some(0));
    }

    #[test]
    fn answers_in_turn_are_never_known() {
        let repeats = Repeats::default();
        let [one, other] = [1, 2].map(|answer| Fingerprint { request: 0, answer });
        for answer in [one, other, one] {
            assert_eq!(repeats.count(answer), Some(0));
        }
        for answer in [one, other] {
            repeats.added(answer, true);
            assert_eq!(repeats.count(one), Some(0));
        }
        repeats.added(one, true);
        assert_eq!(repeats.count(one), None);
    }

    #[test]
    fn knows_what_differs() {
        let of = |session: &str, prompt: &str, text: &str| {
            let response = Response { content: text.to_owned(), ..Response::default() };
            Fingerprint::new("gpt", session, &Request::from(prompt), Ok(&response), false)
        };
        let base = of("s", "a", "b");
        assert_eq!(of("s", "a", "b"), base);
        assert_ne!(of("t", "a", "b").request, base.request);
        assert_ne!(of("s", "b", "b").request, base.request);
        assert_ne!(of("s", "a", "c").answer, base.answer);
    }
}
