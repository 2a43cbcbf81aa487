//! What is suspicious about the rules of a recording.

use std::{collections::BTreeSet, path::Path};

use mynah_core::base::diagnostics::Diagnostic;

use super::{Rules, matching::request::RequestCondition, rule::Rule};
use crate::steps::{Item, ScriptedCall, Step};

impl Rules {
    /// Returns a warning for each rule of another component than the one whose recording the rules are.
    /// `components` are all components: [others](Self::unknown_components) are reported anyway.
    pub fn of_other_components(&self, component: &str, components: &[&str]) -> Vec<Diagnostic> {
        let warning = |rule: &Rule| {
            let request = rule.conditions.request().map(RequestCondition::component);
            let of_request = request.filter(|it| *it != component).map(|it| format!("{it:?}"));
            let of_call = || {
                let condition = rule.conditions.component().filter(|it| !it.holds(component))?;
                let is_known = components.iter().any(|name| condition.holds(name));
                is_known.then(|| condition.description())
            };
            let other = of_request.or_else(of_call)?;
            let message = format!(
                "{} is never reached: it is for component {other}, and the file is the recording of {component:?}",
                rule.label
            );
            Some(located(rule, message))
        };
        self.rules.iter().filter_map(|rule| warning(rule)).collect()
    }

    /// Returns a warning for each rule that calls a tool which its recorded request does not offer.
    pub fn unoffered_tools(&self) -> Vec<Diagnostic> {
        let warning = |rule: &Rule| {
            let request = rule.conditions.request()?;
            let called: BTreeSet<_> = rule.answers.steps().into_iter().flat_map(called).collect();
            let unoffered: Vec<_> =
                called.into_iter().filter(|name| !request.offers(name)).collect();
            let message = format!(
                "{} calls tools that its request does not list in `tools`: {}",
                rule.label,
                unoffered.join(", ")
            );
            (!unoffered.is_empty()).then(|| located(rule, message))
        };
        self.rules.iter().filter_map(|rule| warning(rule)).collect()
    }
}

/// Returns the names of the tools that a step calls.
fn called(step: &Step) -> BTreeSet<&str> {
    let own = step.items.iter().flat_map(calls).map(|it| &*it.call.name);
    own.chain(step.other_choices.iter().flat_map(called)).collect()
}

fn calls(item: &Item) -> &[ScriptedCall] {
    if let Item::Calls(calls) = item { calls } else { &[] }
}

fn located(rule: &Rule, message: String) -> Diagnostic {
    rule.warning(message).in_file(Path::new(&*rule.source))
}
