//! The fallback that reports which recorded exchange was nearest.

use std::sync::Arc;

use mynah_core::{
    base::{text::shorten, word_diff::word_diff, work::Work},
    chat::{ErrorDetails, ErrorKind, Request},
    provider::{Answering, CallContext, Provider, ProviderError, call::AnsweredBy},
};

use super::{
    RuleSources, matched_call,
    matching::{
        MatchedCall,
        request::{Difference, RequestCondition},
    },
    unmatched::{fail_with, listed},
};
use crate::ScriptedSettings;

/// The reason of the error of a request that was not recorded.
const MISSED: &str = "NOT_RECORDED";

/// Maximum number of differences in a message.
const MAX_DIFFERENCES: usize = 3;
/// Maximum length of a difference in a message, in characters. gRPC sends errors in headers.
const MAX_DIFFERENCE: usize = 300;

/// Returns `true` if an error says that a request was not recorded.
pub fn is_missed(error: &ProviderError) -> bool {
    error.details.as_ref().is_some_and(|details| details.reason == MISSED)
}

/// A provider for the requests that were not recorded: fails with [`ErrorKind::FailedPrecondition`].
pub struct Missed {
    component: String,
    settings: ScriptedSettings,
    rules: RuleSources,
    /// The file of the recording, for messages.
    file: Arc<str>,
}

impl Missed {
    /// Creates the provider for a component with the recording in a file.
    pub fn new(
        component: impl Into<String>,
        settings: ScriptedSettings,
        rules: impl Into<RuleSources>,
        file: impl Into<Arc<str>>,
    ) -> Self {
        Self { component: component.into(), settings, rules: rules.into(), file: file.into() }
    }

    fn error(&self, request: &Request, context: &CallContext) -> ProviderError {
        let call = matched_call(request, context, &self.component, &self.settings);
        let rules = self.rules.of_call(context.session_name());
        let nearest = rules.nearest(&call, &Work::unlimited()).ok().flatten();
        let file = &self.file;
        let message = match nearest {
            None => format!("nothing is recorded in {file}; record the component with --record"),
            Some((rule, mismatches)) => {
                let what = match rule.conditions.request() {
                    Some(recorded) => differences(recorded, &call),
                    None => listed(&mismatches),
                };
                format!(
                    "the request is not recorded in {file}; the nearest is {}: {what}",
                    rule.label
                )
            }
        };
        let details = ErrorDetails { reason: MISSED.to_owned(), ..ErrorDetails::default() };
        context.record_answer(|| AnsweredBy::Missed);
        let error = ProviderError::new(ErrorKind::FailedPrecondition, message);
        ProviderError { details: Some(details.into()), ..error }
    }
}

impl Provider for Missed {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        fail_with(&context.clone(), move || self.error(&request, &context))
    }
}

/// Says what a call has instead of the recorded request.
fn differences(recorded: &RequestCondition, call: &MatchedCall<'_>) -> String {
    let all = recorded.differences(&call.redacted(recorded.normalizer()));
    let shown = all.iter().take(MAX_DIFFERENCES).map(shown).collect::<Vec<_>>().join("; ");
    let more = match all.len().saturating_sub(MAX_DIFFERENCES) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let missing = recorded.missing_normalization(&call.form(), call.redactor);
    let hint = missing.map_or_else(String::new, |normalizer| {
        format!("; the requests would be equal with normalize: {normalizer}")
    });
    format!("{shown}{more}{hint}")
}

fn shown(Difference { path, expected, seen }: &Difference) -> String {
    let short = |text: &str| shorten(text, MAX_DIFFERENCE / 2).into_owned();
    let what = match (expected, seen) {
        (Some(expected), Some(seen)) => word_diff(expected, seen),
        (Some(expected), None) => format!("[-{}-]", short(expected)),
        (None, Some(seen)) => format!("{{+{}+}}", short(seen)),
        (None, None) => String::new(),
    };
    format!("{path}: {}", shorten(&what, MAX_DIFFERENCE))
}
