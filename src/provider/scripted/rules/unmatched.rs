//! The fallback that reports which rule was nearest.

use std::{cmp::Reverse, sync::Arc};

use futures_util::{
    FutureExt, StreamExt,
    future::BoxFuture,
    stream::{self, BoxStream},
};

use super::{
    Rules, matched_call,
    matching::{MatchedCall, Mismatch},
    rule::Rule,
};
use crate::{
    base::text::shorten,
    chat::{Delta, ErrorKind, Request, Response},
    provider::{CallContext, Provider, ProviderError, scripted::ScriptedSettings},
};

/// Number of rules that are compared with a call that no rule matches, in addition to those that the
/// index finds.
const MAX_COMPARED: usize = 100;
/// Maximum number of conditions in a message.
const MAX_CONDITIONS: usize = 3;
/// Maximum length of a condition in a message, in characters. gRPC sends errors in headers.
const MAX_CONDITION: usize = 300;

/// A provider for the requests that match no rule: fails with [`ErrorKind::NotFound`].
pub struct Unmatched {
    component: String,
    settings: ScriptedSettings,
    rules: Arc<Rules>,
}

impl Unmatched {
    /// Creates the provider for a component.
    pub fn new(
        component: impl Into<String>,
        settings: ScriptedSettings,
        rules: Arc<Rules>,
    ) -> Self {
        Self { component: component.into(), settings, rules }
    }

    fn error(&self, request: &Request, context: &CallContext) -> ProviderError {
        let call = matched_call(request, context, &self.component, &self.settings);
        let mut message = self.rules.explain_nearest(&call);
        if self.settings.chains {
            message += "; and no user message contains an instruction chain";
        }
        ProviderError::new(ErrorKind::NotFound, message)
    }
}

impl Provider for Unmatched {
    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        let response = self.converse(request, context);
        let deltas = response.map(|response| response.map(|it| Delta::Complete(Box::new(it))));
        stream::once(deltas).boxed()
    }

    /// Works on a blocking thread, because all rules are compared.
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        let of_call = context.clone();
        let work =
            async move { context.run_blocking(move || Err(self.error(&request, &of_call))).await };
        work.boxed()
    }
}

impl Rules {
    /// Says which rule a call matches most closely, and which of its conditions do not hold.
    fn explain_nearest(&self, call: &MatchedCall<'_>) -> String {
        let Some((rule, failed)) = self.nearest(call) else {
            return "there are no rules".to_owned();
        };
        let label = &rule.label;
        match failed.as_slice() {
            [] => format!("no rule matches; {label} has answered as often as its times allows"),
            failed => format!("no rule matches; the nearest is {label}: {}", listed(failed)),
        }
    }
}

impl Rules {
    /// Returns the rule that a call without an answer matches most closely, with the conditions that do
    /// not hold. Of many rules, only the likely ones are compared.
    pub(super) fn nearest(&self, call: &MatchedCall<'_>) -> Option<(&Rule, Vec<Mismatch>)> {
        let likely = self.index.candidates(call).take(MAX_COMPARED);
        let compared = likely.chain(0..self.rules.len().min(MAX_COMPARED));
        let compared = compared.filter_map(|at| Some((at, &**self.rules.get(at)?)));
        // Of equally near rules, the first one is nearest.
        let closeness = |(at, rule): &(usize, &Rule)| {
            let conditions = &rule.conditions;
            (conditions.count_mismatches(call), Reverse(conditions.len()), *at)
        };
        let (_, rule) = compared.min_by_key(closeness)?;
        Some((rule, rule.conditions.mismatches(call)))
    }
}

fn listed(failed: &[Mismatch]) -> String {
    let shown = failed.iter().take(MAX_CONDITIONS);
    let shown = shown.map(|it| shorten(&it.to_string(), MAX_CONDITION).into_owned());
    let shown = shown.collect::<Vec<_>>().join("; ");
    match failed.len().saturating_sub(MAX_CONDITIONS) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}
