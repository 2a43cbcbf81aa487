//! Rules: the answers of a scripted component, chosen by the content of the request.
//!
//! A request gets the answer of the first rule whose conditions hold. Some rules count how often they
//! have answered, separately for each session.

// matching     the conditions of rules
// rule         the types of rules
// index        finds the rules that may match
// variables    the variables of templates
// provider     answers by rules
// unmatched    reports the nearest rule
// missed       reports the nearest recorded exchange
// recorded     reports what is suspicious in recordings
// usage        reports which rules have not answered
// select       selects the rule and the step
//   uses         counts the uses of rules
//   call_rules   the rules that a call sees
// session_rules the rules that tests have set
// expectation  the calls that a file expects
// rules_text   the texts that rules are read from
// found        finds the files in folders
// read         reads files
//   source       the format of rules
//   rule_reader  reads a rule
//   texts        the texts of a step that may be templates
//   text_files   the texts of recorded requests that are in files
//   reader       collects errors
// aimock       converts fixture files of aimock

pub mod aimock;
mod call_rules;
mod expectation;
mod found;
pub mod index;
pub mod matching;
mod missed;
mod provider;
mod read;
mod reader;
mod recorded;
mod rule;
mod rule_reader;
pub(crate) mod rules_text;
mod select;
mod session_rules;
mod source;
mod texts;
#[cfg(test)]
mod tests;
pub(crate) mod text_files;
mod unmatched;
mod usage;
mod uses;
mod variables;

use std::{collections::BTreeMap, path::Path, sync::Arc};

use mynah_core::{
    base::{diagnostics::Diagnostic, files, template::Templates, text::nearest},
    chat::Request,
    provider::CallContext,
};

pub use self::{
    call_rules::RuleSources,
    expectation::Expectation,
    found::FoundRules,
    missed::{Missed, is_missed},
    provider::RuleProvider,
    read::is_rules_file,
    rules_text::RulesText,
    session_rules::SessionRules,
    source::schema,
    unmatched::Unmatched,
    usage::{ExplainedRule, UnusedRule, UsedStep},
    variables::{Variables, known},
};
use self::{
    index::Index,
    matching::{CallOrigin, MatchedCall},
    rule::Rule,
};
use super::ScriptedSettings;

/// The rules of one or several files, and the calls that they expect.
#[derive(Debug)]
pub struct Rules {
    files: Vec<RulesFile>,
    /// By priority, then in the order of the files.
    rules: Vec<Arc<Rule>>,
    index: Index,
    templates: Arc<Templates>,
    /// Rules that are never reached, and what has no meaning in fixtures of aimock.
    warnings: Vec<Diagnostic>,
}

/// A file of rules.
#[derive(Debug)]
pub struct RulesFile {
    /// The text of the file.
    pub text: RulesText,
    /// The calls that the file expects.
    pub expectations: Vec<Expectation>,
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

    /// Returns the texts that the rules were read from.
    pub fn texts(&self) -> impl Iterator<Item = &RulesText> {
        self.files.iter().map(|file| &file.text)
    }

    /// Returns `true` if the rules were read from the texts of `others`, and maybe from more.
    pub fn includes(&self, others: &Self) -> bool {
        others.texts().all(|text| self.texts().any(|own| own == text))
    }

    /// Returns `true` if the rules are in the metadata of a component, not in files.
    pub fn are_in_metadata(&self) -> bool {
        self.texts().all(|text| text.file.is_none())
    }

    /// Returns the files.
    pub fn files(&self) -> &[RulesFile] {
        &self.files
    }

    /// Returns each rule without all others, by the line in which it begins.
    pub fn apart(&self) -> BTreeMap<usize, Self> {
        let alone = |rule: &Arc<Rule>| Self {
            files: Vec::new(),
            index: Index::new([&rule.conditions]),
            rules: vec![rule.clone()],
            templates: self.templates.clone(),
            warnings: Vec::new(),
        };
        self.rules.iter().filter_map(|rule| Some((rule.line()?, alone(rule)))).collect()
    }

    /// Returns the warnings about the files.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Returns a warning for each rule of which none of these components meets the condition.
    pub fn unknown_components(&self, components: &[&str]) -> Vec<Diagnostic> {
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
            Some(rule.warning(message).in_file(Path::new(&*rule.source)))
        };
        self.rules.iter().filter_map(unknown).collect()
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
        redactor: context.redactor(),
    };
    MatchedCall::with_origin(request, origin)
}

/// Rules are equal if they were read from the same files with the same content.
impl PartialEq for Rules {
    fn eq(&self, other: &Self) -> bool {
        self.texts().eq(other.texts())
    }
}

impl Eq for Rules {}
