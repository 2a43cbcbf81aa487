//! Explains which rule would answer a call, and which tools echo would call.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Component, redactor::Redactor};
use crate::{
    base::work::{Stopped, Work},
    chat::Request,
    pii,
    provider::{
        counters::Counters,
        echo::explain::ToolsExplanation,
        scripted::{
            ChainOutcome, ExplainedChain,
            rules::{
                ExplainedRule,
                matching::{CallOrigin, MatchedCall},
            },
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
    /// The instruction chain in the prompt, which goes before all rules. `null` if there is none, or if it
    /// is exhausted and leaves the request to the rules.
    pub(crate) chain: Option<ExplainedChain>,
    /// The name or number of the rule that would answer. `null` if no rule would: then the instruction
    /// chain or the fallback answers.
    pub(crate) answered_by: Option<String>,
    /// All rules of the session and of the component, in the order in which they are tried.
    pub(crate) rules: Vec<ExplainedRule>,
    /// Which tools echo would call, and why. `null` if echo would not answer, or does so in the mode
    /// `daprd`.
    pub(crate) echo: Option<ToolsExplanation>,
}

/// A call to explain.
#[derive(Debug)]
pub(crate) struct ExplainedCall<'c> {
    pub(crate) request: Request,
    pub(crate) session: &'c str,
    pub(crate) is_alpha1: bool,
    pub(crate) redactor: &'c Redactor,
}

/// Makes a request to a component what its rules see: scrubbed, and with the component's own tools.
pub(super) fn show_to_rules(
    component: &Component,
    request: &mut Request,
    work: &Work,
) -> Result<(), Stopped> {
    scrub_inputs(component, request, work)?;
    component.offer_tools(request);
    Ok(())
}

/// Scrubs a request to a component as a call does, so that conditions see the texts that rules see.
pub(super) fn scrub_inputs(
    component: &Component,
    request: &mut Request,
    work: &Work,
) -> Result<(), Stopped> {
    work.spend(pii::COST.saturating_mul(request.scrubbed_len()))?;
    component.scrub_inputs(request);
    Ok(())
}

/// Explains a call of a component. Counts no uses of rules.
pub(crate) fn explain(
    component: &Component,
    counters: &Counters,
    call: ExplainedCall<'_>,
    work: &Work,
) -> Result<Explanation, Stopped> {
    let ExplainedCall { mut request, session, is_alpha1, redactor } = call;
    show_to_rules(component, &mut request, work)?;
    let request = Arc::new(request);
    let outcome = component.script.as_ref().map_or(ChainOutcome::Absent, |script| {
        ChainOutcome::of_call(&component.name, script, &request, session, counters)
    });
    let (chain, request) = match outcome {
        ChainOutcome::Absent => (None, request),
        ChainOutcome::Answers(chain) => (Some(chain), request),
        ChainOutcome::PassesOn(request) => (None, request),
    };
    let origin = CallOrigin {
        component: &component.name,
        model: component.model.as_deref(),
        session,
        alpha1: is_alpha1,
        redactor,
    };
    let matched = MatchedCall::with_origin(&request, origin);
    let on_exhausted = component.script.as_ref().map(|script| script.on_exhausted);
    let (on_exhausted, is_answered) = (on_exhausted.unwrap_or_default(), chain.is_some());
    let rules = component.rules.of_call(session);
    let rules = rules.explain(&matched, on_exhausted, counters, is_answered, work)?;
    let answered_by = rules.iter().find(|rule| rule.answers).map(|rule| rule.rule.clone());
    let echo = component.echo.as_ref().filter(|_| !is_answered && answered_by.is_none());
    let echo = echo.map(|echo| echo.explain(&request, work)).transpose()?.flatten();
    let (component, session) = (component.name.clone(), session.to_owned());
    Ok(Explanation { component, session, chain, answered_by, rules, echo })
}
