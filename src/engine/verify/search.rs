//! Searches the calls that match.

use std::sync::Arc;

use super::report::{MAX_LISTED, NearMiss, NearRule, UnmatchedCall, Verified};
use crate::{
    base::{
        text::shorten,
        work::{Stopped, Work},
    },
    chat::Request,
    engine::{
        Component, Components,
        decoded::decoded,
        explain::{scrub_inputs, show_to_rules},
        journal::{Entry, READING},
        redactor::Redactor,
    },
    provider::scripted::rules::{
        Expectation,
        matching::{CallOrigin, MatchedCall, Mismatch},
    },
};

/// The number of calls that are shown as nearly matching.
const NEAREST: usize = 3;
/// The number of the latest calls that are searched for them.
const MAX_COMPARED: usize = 1_000;
/// Maximum number of characters of a user message in a report.
const MAX_TEXT: usize = 200;
/// Maximum number of characters of an error.
const MAX_ERROR: usize = 1_000;

/// Searches the calls of a journal.
pub(super) struct Search<'s> {
    pub(super) entries: &'s [Arc<Entry>],
    pub(super) redactor: &'s Redactor,
    pub(super) components: &'s Components,
    /// Whether conditions see inputs with personal data scrubbed.
    pub(super) scrubbed: bool,
    pub(super) work: &'s Work,
}

impl Search<'_> {
    /// Counts for each expectation the calls that match. `results` has one result for each of them.
    pub(super) fn count(
        &self,
        expectations: &[Expectation],
        results: &mut [Verified],
    ) -> Result<(), Stopped> {
        if expectations.is_empty() {
            return Ok(());
        }
        for entry in self.entries {
            self.with_call(entry, |call| {
                for (expectation, result) in expectations.iter().zip(&mut *results) {
                    if expectation.r#match.check(call, self.work)? {
                        result.count(entry.number);
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Returns the latest calls of which the fewest conditions do not hold.
    pub(super) fn nearest(&self, expectation: &Expectation) -> Result<Vec<NearMiss>, Stopped> {
        let r#match = &expectation.r#match;
        let mut misses = Vec::new();
        for entry in self.entries.iter().rev().take(MAX_COMPARED) {
            let failed = self.with_call(entry, |call| {
                r#match.spend_all(call, self.work)?;
                Ok(r#match.count_mismatches(call))
            })?;
            misses.extend(failed.filter(|failed| *failed > 0).map(|failed| (failed, entry)));
        }
        misses.sort_by_key(|(failed, _)| *failed);
        misses.truncate(NEAREST);
        let misses = misses.into_iter().map(|(_, entry)| self.describe(expectation, entry));
        misses.filter_map(Result::transpose).collect()
    }

    /// Describes the conditions that do not hold for a call.
    fn describe(
        &self,
        expectation: &Expectation,
        entry: &Arc<Entry>,
    ) -> Result<Option<NearMiss>, Stopped> {
        self.with_call(entry, |call| {
            expectation.r#match.spend_all(call, self.work)?;
            let mut mismatches = expectation.r#match.mismatches(call);
            mismatches.truncate(MAX_LISTED);
            self.work.keep(2 * mismatches.iter().map(Mismatch::size).sum::<usize>())?;
            Ok(NearMiss { number: entry.number, mismatches })
        })
    }

    /// Describes a call that neither a rule nor a chain has answered, if wanted with the nearest rule.
    pub(super) fn unmatched_call(
        &self,
        entry: &Entry,
        with_rule: bool,
    ) -> Result<UnmatchedCall, Stopped> {
        let component = self.components.find(&entry.component).ok().filter(|_| with_rule);
        let seen = self.with_request(entry, |mut request, origin| {
            let text = request.last_user().map(|it| shorten(&it.text(), MAX_TEXT).into_owned());
            // No rule answers a request that the component refuses.
            let component = component.filter(|it| it.check(&request).is_ok());
            let nearest =
                component.map(|it| self.nearest_rule(&it, entry.session(), &mut request, origin));
            Ok((text, nearest.transpose()?.flatten()))
        })?;
        let (text, nearest) = seen.unwrap_or_default();
        let error = entry.error().map(|error| self.redactor.redacted(&error.message));
        let error = error.map(|error| shorten(&error, MAX_ERROR).into_owned());
        Ok(UnmatchedCall { number: entry.number, text, error, nearest })
    }

    /// Describes a call whose request is not recorded.
    pub(super) fn unrecorded_call(&self, entry: &Entry) -> Result<String, Stopped> {
        let Entry { number, component, .. } = entry;
        let error = entry.error().map_or("", |error| &error.message);
        self.work.spend(READING.saturating_mul(error.len()))?;
        let prefix = format!("failed conversing with component {component}: ");
        let error = self.redactor.redacted(error.strip_prefix(&prefix).unwrap_or(error));
        let text = format!("call {number} of {component}: {}", shorten(&error, MAX_ERROR));
        self.work.keep(text.len())?;
        Ok(text)
    }

    /// Returns the rule that was nearest to a request to a component in a session.
    fn nearest_rule(
        &self,
        component: &Component,
        session: &str,
        request: &mut Request,
        origin: CallOrigin<'_>,
    ) -> Result<Option<NearRule>, Stopped> {
        let rules = component.rules.of_call(session);
        show_to_rules(component, request, self.work)?;
        let nearest = rules.nearest_rule(&MatchedCall::with_origin(request, origin), self.work)?;
        Ok(nearest.map(|(rule, mismatches)| NearRule::new(&rule, mismatches)))
    }

    /// Looks at a call as the client sent it, or as the model saw it. Returns `None` if its request was
    /// invalid.
    fn with_call<T>(
        &self,
        entry: &Entry,
        look: impl FnOnce(&MatchedCall<'_>) -> Result<T, Stopped>,
    ) -> Result<Option<T>, Stopped> {
        self.with_request(entry, |mut request, origin| {
            if self.scrubbed
                && let Ok(component) = self.components.find(&entry.component)
            {
                scrub_inputs(&component, &mut request, self.work)?;
            }
            look(&MatchedCall::with_origin(&request, origin))
        })
    }

    /// Looks at the request of a call as the client sent it. Returns `None` if it was invalid.
    fn with_request<T>(
        &self,
        entry: &Entry,
        look: impl FnOnce(Request, CallOrigin<'_>) -> Result<T, Stopped>,
    ) -> Result<Option<T>, Stopped> {
        self.work.spend(READING.saturating_mul(entry.size()))?;
        let component = self.components.find(&entry.component).ok();
        let Some(request) = decoded(entry, self.components, self.redactor) else { return Ok(None) };
        let session = self.redactor.redacted(entry.session());
        let origin = CallOrigin {
            component: &entry.component,
            model: component.as_ref().and_then(|component| component.model.as_deref()),
            session: &session,
            alpha1: entry.request.as_ref().is_some_and(|sent| sent.api.is_alpha1()),
            redactor: self.redactor,
        };
        look(request, origin).map(Some)
    }
}
