//! Reports which rules have not answered, and why rules do not match a call.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use mynah_core::{
    base::{
        work::{Stopped, Work},
        yaml::to_json,
    },
    provider::{
        call::{RuleLabel, rule_place},
        counters::Counters,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Rules, RulesFile,
    call_rules::CallRules,
    matching::{Captures, MatchedCall, Mismatch},
    rule::{Answers, Rule},
    select::SelectionContext,
};
use crate::{
    OnExhausted,
    chains::{CallCounters, Plan, Planned},
};

/// The memory of an explained rule without its texts, and of its JSON.
const RULE: usize = 256;

/// The source and the label of a rule, without its file, and the step that has answered.
pub type UsedStep = (Arc<str>, RuleLabel, Option<usize>);

/// A rule that has not answered, or not with all of its steps.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct UnusedRule {
    /// The file of the rules, the component whose metadata has them, or the session.
    pub file: String,
    /// Name or number of the rule.
    pub rule: String,
    /// The steps that have not answered, or an empty list if the rule has no steps.
    pub steps: Vec<usize>,
}

/// Whether a rule matches a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExplainedRule {
    /// Name or number of the rule.
    pub rule: String,
    /// The file of the rule, if the rules of the component are in several files, or its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The file and the line in which the rule begins, if it is in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Whether the rule answers the call.
    pub answers: bool,
    /// Whether all conditions hold. A rule that matches does not answer after an instruction chain in the
    /// prompt or a rule before it, if it has answered as often as its `times` allows, or if the fallback
    /// follows its last entry.
    pub matches: bool,
    /// How often the rule was used in the session, if its uses are counted.
    pub uses: u64,
    /// How many conditions the rule has. One that calls tools also has the condition that the history does
    /// not end with results, unless it has another on results or turns.
    pub conditions: usize,
    /// How many of the conditions hold.
    pub held: usize,
    /// Why conditions do not hold. A condition with others inside can have several reasons.
    pub mismatches: Vec<Mismatch>,
    /// What the patterns of the rule that answers have captured.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub captures: Captures,
}

impl Rules {
    /// Returns the rules without an answer in `used`, which has the sources, rules and steps.
    pub fn unused(&self, used: &BTreeSet<UsedStep>) -> Vec<UnusedRule> {
        let unused = |rule: &Rule| {
            let label = rule.label.clone().in_file(None);
            let is_used = |step| used.contains(&(rule.source.clone(), label.clone(), step));
            let steps: Vec<_> =
                rule.steps().into_iter().filter(|step| !is_used(Some(*step))).collect();
            let is_unused = if rule.has_entries() { !steps.is_empty() } else { !is_used(None) };
            let (file, rule) = (rule.source.to_string(), label.text().to_string());
            is_unused.then_some(UnusedRule { file, rule, steps })
        };
        self.rules.iter().filter_map(|rule| unused(rule)).collect()
    }

    /// Returns the list of expectations in the files as JSON.
    pub fn expectations_as_json(&self) -> Vec<Value> {
        let list = |file: &RulesFile| -> Option<Vec<Value>> {
            let tree = file.text.parse().ok().flatten()?;
            serde_json::from_str(&to_json(tree.root.field("expect")?)).ok()
        };
        self.files.iter().filter_map(list).flatten().collect()
    }
}

impl CallRules<'_> {
    /// Says for each rule whether it matches a call, and whether it answers, unless a chain has answered
    /// before. Counts no uses.
    pub fn explain(
        &self,
        call: &MatchedCall<'_>,
        on_exhausted: OnExhausted,
        counters: &Counters,
        is_answered: bool,
        work: &Work,
    ) -> Result<Vec<ExplainedRule>, Stopped> {
        let (session, component) = (call.session, call.component);
        let uses = CallCounters { counters, session, component, is_explained: true };
        let context = SelectionContext { call, unseen: None, on_exhausted, uses };
        let mut is_selected = is_answered;
        let explain = |rule: &Arc<Rule>| {
            rule.conditions.spend_all(call, work)?;
            let mismatches = rule.conditions.mismatches(call);
            let file = rule.label.file().map(|file| file.to_string());
            let texts = mismatches.iter().map(Mismatch::size).sum::<usize>();
            work.keep(RULE + 2 * (texts + file.as_ref().map_or(0, String::len)))?;
            let (matches, count) = (mismatches.is_empty(), context.uses.of_rule(rule));
            let conditions = rule.conditions.len();
            let held = conditions - rule.conditions.count_mismatches(call);
            let selected = matches && !is_selected && !rule.is_spent(count);
            is_selected |= selected;
            let answers = selected && rule.has_answer(&context, count);
            let captures =
                answers.then(|| rule.conditions.captures(call)).flatten().unwrap_or_default();
            work.keep(captures.values().map(String::len).sum())?;
            let place = rule_place(&rule.source, rule.line());
            let rule = rule.label.text().to_string();
            Ok(ExplainedRule {
                rule,
                file,
                place,
                answers,
                matches,
                uses: count,
                conditions,
                held,
                mismatches,
                captures,
            })
        };
        self.sources().flat_map(|rules| &rules.rules).map(explain).collect()
    }
}

impl Rule {
    /// Returns `true` if the rule answers a call, and not the fallback.
    fn has_answer(&self, context: &SelectionContext<'_, '_>, uses: u64) -> bool {
        let Plan { failures, answer } = self.plan(context, uses);
        !matches!(answer, Planned::Fallback) || context.next_failure(self, failures).is_some()
    }

    /// Returns the numbers of the steps of a chain or a sequence.
    fn steps(&self) -> Vec<usize> {
        match &self.answers {
            Answers::Respond(_) => Vec::new(),
            Answers::Chain { chain, .. } => {
                chain.turns.iter().map(|turn| turn.step.number).collect()
            }
            Answers::Sequence { steps, .. } => steps.numbers().collect(),
        }
    }
}
