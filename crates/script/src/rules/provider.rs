//! The provider that answers by rules.

use std::{borrow::Cow, ops::Range, sync::Arc};

use mynah_core::{
    chat::{ErrorKind, Request},
    provider::{
        Answer, Answering, CallContext, Provider, ProviderError, call::AnsweredBy,
        counters::Counters,
    },
};

use super::{
    RuleSources, matched_call,
    rule::Rule,
    select::{Selection, SelectionContext},
    texts::render,
    uses::key,
    variables::Variables,
};
use crate::{
    ScriptedSettings,
    chains::{CallCounters, NumberedStep},
    faults::{Fault, FaultKey, Phase, request_hash},
    steps::{Item, Step, StepError, answer},
    turn::{self, Script},
};

/// Maximum size of a request in bytes whose rule is found within a millisecond.
const MAX_BRIEF_REQUEST: usize = 64 * 1024;
/// Maximum number of bytes that patterns search within a millisecond.
const MAX_BRIEF_SEARCH: usize = 256 * 1024;

/// A provider that answers by rules. Another provider answers the requests that match no rule.
pub struct RuleProvider {
    component: String,
    settings: ScriptedSettings,
    rules: RuleSources,
    fallback: Arc<dyn Provider>,
    /// Used outside of a sidecar.
    counters: Arc<Counters>,
}

impl RuleProvider {
    /// Creates the provider for a component. `fallback` answers the requests that match no rule.
    pub fn new(
        component: impl Into<String>,
        settings: ScriptedSettings,
        rules: impl Into<RuleSources>,
        fallback: Arc<dyn Provider>,
    ) -> Self {
        let (component, rules, counters) = (component.into(), rules.into(), Arc::default());
        Self { component, settings, rules, fallback, counters }
    }

    /// Generates the answer of a rule, and records it: a rule whose step fails has not answered.
    fn scripted_answer(
        &self,
        Selection { rules, rule, step: NumberedStep { number, step } }: &Selection,
        request: &Arc<Request>,
        context: &CallContext,
    ) -> Result<Answer, StepError> {
        let allow_unoffered = rule.allow_unoffered.unwrap_or(self.settings.allow_unoffered);
        let settings = ScriptedSettings { allow_unoffered, ..self.settings.clone() };
        let mut step = Cow::Borrowed(&**step);
        if rule.has_templates {
            let variables = self.variables(rule, request, context);
            let rendered = render(&step, &rules.templates, &variables);
            step = Cow::Owned(rendered.map_err(StepError::new)?);
        }
        let fault = self.fault(rule, &step, request, context);
        if let Some(fault) = fault {
            fault.apply_to(step.to_mut());
        }
        let answer = answer(&step, &self.component, &settings, request, context)?;
        context.record_answer(|| AnsweredBy::Rule {
            source: rule.source.clone(),
            rule: rule.label.clone(),
            line: rule.line(),
            step: rule.has_entries().then_some(*number),
        });
        if fault.is_some_and(|fault| fault.effect.is_failure()) {
            context.record_answer(|| AnsweredBy::Fault);
        }
        Ok(answer)
    }

    /// Returns the fault that a call has because of its rule.
    fn fault<'r>(
        &self,
        rule: &'r Rule,
        step: &Step,
        request: &Request,
        context: &CallContext,
    ) -> Option<&'r Fault> {
        if rule.faults.is_empty() {
            return None;
        }
        let counter = format!("{}/fault", key(rule));
        let key = FaultKey { counter: &counter, draw: rule.label.text() };
        let hash = request_hash(&self.component, request);
        let select = |phase| rule.faults.select(phase, key, hash, context);
        let has_calls = step.items.iter().any(|item| matches!(item, Item::Calls(_)));
        let of_calls = || has_calls.then(|| select(Phase::ToolCalls)).flatten();
        select(Phase::Request).or_else(of_calls)
    }

    /// Returns the variables of a rule's templates.
    fn variables(&self, rule: &Rule, request: &Arc<Request>, context: &CallContext) -> Variables {
        let call = matched_call(request, context, &self.component, &self.settings);
        let captures = rule.conditions.captures(&call).unwrap_or_default();
        Variables::new(request.clone(), &*self.component, context.session_name(), captures)
    }
}

impl Script for RuleProvider {
    type Selection = Selection;

    fn is_long_to_select(&self, request: &Request, context: &CallContext) -> bool {
        let rules = self.rules.of_call(context.session_name());
        if rules.is_empty() {
            return false;
        }
        let (size, searches) = (request.size(), rules.searches());
        size > MAX_BRIEF_REQUEST || size.saturating_mul(searches) > MAX_BRIEF_SEARCH
    }

    fn select(
        &self,
        request: &Request,
        context: &CallContext,
    ) -> Result<Option<Selection>, ProviderError> {
        let session = context.session_name();
        let rules = self.rules.of_call(session);
        if rules.is_empty() {
            return Ok(None);
        }
        let call = matched_call(request, context, &self.component, &self.settings);
        let counters = context.counters().unwrap_or(&self.counters);
        let component = &self.component;
        let uses = CallCounters { counters, session, component, is_explained: false };
        let (unseen, on_exhausted) = (context.unseen(), self.settings.on_exhausted);
        rules.select(&SelectionContext { call: &call, unseen, on_exhausted, uses })
    }

    fn long_answer(selection: &Selection, request: &Request) -> Option<usize> {
        selection.long_answer(request)
    }

    fn perform(
        &self,
        selection: Selection,
        request: &Arc<Request>,
        context: &CallContext,
    ) -> Result<Answering, ProviderError> {
        let Selection { rule, step: NumberedStep { number, step }, .. } = &selection;
        let number = *number;
        tracing::debug!(
            rule = %rule.label,
            step = number,
            id = step.id,
            id_message = step.id_message,
            "turn of a rule"
        );
        let answer = self.scripted_answer(&selection, request, context);
        answer.map(Answering::from).map_err(|error| {
            let error = match rule.has_entries() {
                true => error.within(format!("step {number}")),
                false => error,
            };
            let error = error.within(&rule.label).to_string();
            ProviderError::new(ErrorKind::InvalidArgument, error)
        })
    }

    fn fallback(&self) -> Result<Arc<dyn Provider>, ProviderError> {
        Ok(self.fallback.clone())
    }
}

impl Provider for RuleProvider {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        turn::answer(self, request, context)
    }

    fn instruction_ranges(&self, text: &str) -> Vec<Range<usize>> {
        self.fallback.instruction_ranges(text)
    }

    fn reset(&self, session: Option<&str>) {
        self.fallback.reset(session);
    }
}
