//! Explains which rule would answer a call.

use schemars::JsonSchema;
use serde::Serialize;

use super::Component;
use crate::{
    chat::Request,
    provider::{
        counters::Counters,
        scripted::rules::{
            ExplainedRule,
            matching::{CallOrigin, MatchedCall},
        },
    },
};

/// Which rule would answer a call, and why the others would not.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Explanation {
    /// The name of the component.
    pub(crate) component: String,
    /// The name of the session.
    pub(crate) session: String,
    /// The name or number of the rule that would answer. `null` if no rule would: then an instruction
    /// chain or the fallback answers.
    pub(crate) answered_by: Option<String>,
    /// All rules of the component, in the order in which they are tried.
    pub(crate) rules: Vec<ExplainedRule>,
}

/// A call to explain.
#[derive(Debug)]
pub(crate) struct ExplainedCall<'c> {
    pub(crate) request: &'c Request,
    pub(crate) session: &'c str,
    pub(crate) is_alpha1: bool,
}

/// Explains a call of a component. Counts no uses of rules.
pub(crate) fn explain(
    component: &Component,
    counters: &Counters,
    call: &ExplainedCall<'_>,
) -> Explanation {
    let origin = CallOrigin {
        component: &component.name,
        model: component.model.as_deref(),
        session: call.session,
        alpha1: call.is_alpha1,
    };
    let matched = MatchedCall::with_origin(call.request, origin);
    let rules = component.rules.as_ref();
    let rules = rules
        .map(|rules| rules.explain(&matched, component.on_exhausted, counters))
        .unwrap_or_default();
    let answered_by = rules.iter().find(|rule| rule.answers).map(|rule| rule.rule.clone());
    let (component, session) = (component.name.clone(), call.session.to_owned());
    Explanation { component, session, answered_by, rules }
}
