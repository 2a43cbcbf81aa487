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
        // Of equally near rules, the first one is nearest.
        let closeness = |(index, rule): &(usize, &Arc<Rule>)| {
            let failed = rule.conditions.mismatches(call).len();
            (failed, Reverse(rule.conditions.len()), *index)
        };
        let nearest = self.rules.iter().enumerate().min_by_key(closeness);
        let Some((_, rule)) = nearest else { return "there are no rules".to_owned() };
        let label = &rule.label;
        match rule.conditions.mismatches(call).as_slice() {
            [] => format!("no rule matches; {label} has answered as often as its times allows"),
            failed => format!("no rule matches; the nearest is {label}: {}", listed(failed)),
        }
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
