//! Rules: the answers of a scripted component, chosen by the content of the request.
//!
//! A request gets the answer of the first rule whose conditions hold. Some rules count how often they
//! have answered, separately for each session.

// matching     the conditions of rules
// rule         the types of rules
// index        finds the rules that may match
// template     texts with expressions
// provider     answers by rules
// unmatched    reports the nearest rule
// usage        reports which rules have not answered
// select       selects the rule and the step
//   uses         counts the uses of rules
// expectation  the calls that a file expects
// read         reads a file
//   rule_reader  reads a rule
//   step_reader  reads the steps of a rule
//   texts        the texts of a step that may be templates
//   reader       reads mappings and scalars, and collects errors
// schema       the JSON Schema of the file format
// aimock       converts fixture files of aimock

pub mod aimock;
mod expectation;
pub mod index;
pub mod matching;
mod provider;
mod read;
mod reader;
mod rule;
mod rule_reader;
mod schema;
mod select;
mod step_reader;
mod texts;
#[cfg(test)]
mod tests;
pub mod template;
mod unmatched;
mod usage;
mod uses;

use std::{path::Path, sync::Arc};

pub use self::{
    expectation::Expectation, provider::RuleProvider, schema::schema, unmatched::Unmatched,
};
use self::{
    index::Index,
    matching::{CallOrigin, MatchedCall},
    rule::Rule,
    template::Templates,
};
pub(crate) use self::{
    read::is_rules_file,
    usage::{ExplainedRule, UnusedRule},
};
use super::ScriptedSettings;
use crate::{
    base::{diagnostics::Diagnostic, files, text::nearest},
    chat::Request,
    provider::CallContext,
};

/// The rules of a file, and the calls that it expects.
#[derive(Debug)]
pub struct Rules {
    /// What counters and reports call the file. No two files with different rules have the same.
    source: Arc<str>,
    text: String,
    /// By priority, then in the order of the file.
    rules: Vec<Arc<Rule>>,
    index: Index,
    templates: Templates,
    expectations: Vec<Expectation>,
    /// Rules that are never reached, and what has no meaning in fixtures of aimock.
    warnings: Vec<Diagnostic>,
}

impl Rules {
    /// Loads the rules in a YAML or JSON file, or chat fixtures of aimock. Run `mynah schema rules` for
    /// the file format.
    ///
    /// # Errors
    ///
    /// Fails with all errors in the file, or if it cannot be read.
    pub fn load(file: &Path) -> Result<Self, Vec<Diagnostic>> {
        let text = files::read_regular(file).map_err(|error| vec![error])?;
        Self::read(text, file)
    }

    /// Returns the text that the rules were read from.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns what counters and reports call the file.
    pub(crate) fn source(&self) -> &Arc<str> {
        &self.source
    }

    /// Returns the warnings about the file.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Returns a warning for each rule of which none of these components meets the condition.
    pub(crate) fn unknown_components(&self, components: &[&str]) -> Vec<Diagnostic> {
        let unknown = |rule: &Arc<Rule>| {
            let component = rule.conditions.component()?;
            if components.iter().any(|name| component.holds(name)) {
                return None;
            }
            let written = component.whole().unwrap_or_default();
            let hint = nearest(written, components.iter().copied())
                .map_or_else(String::new, |name| format!("; did you mean {name:?}?"));
            let expected = component.description();
            let message =
                format!("{} is never reached: no component is {expected}{hint}", rule.label);
            Some(Diagnostic::warning(message).at(rule.place).in_file(Path::new(&*self.source)))
        };
        self.rules.iter().filter_map(unknown).collect()
    }

    /// Returns the calls that the file expects.
    pub fn expectations(&self) -> &[Expectation] {
        &self.expectations
    }
}

/// Returns the call of a component, as the conditions of rules see it.
fn matched_call<'c>(
    request: &'c Request,
    context: &'c CallContext,
    component: &'c str,
    settings: &'c ScriptedSettings,
) -> MatchedCall<'c> {
    let origin = CallOrigin {
        component,
        model: Some(&settings.model),
        session: context.session_name(),
        alpha1: context.is_alpha1(),
    };
    MatchedCall::with_origin(request, origin)
}

/// Rules are equal if they were read from the same file with the same content.
impl PartialEq for Rules {
    fn eq(&self, other: &Self) -> bool {
        (&self.source, &self.text) == (&other.source, &other.text)
    }
}

impl Eq for Rules {}
