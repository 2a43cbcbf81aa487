//! The results of checks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    engine::journal::is_zero,
    provider::{
        call::RuleLabel,
        scripted::rules::{Expectation, UnusedRule, matching::Mismatch},
    },
};

/// The maximum number of calls in a list.
pub(super) const MAX_LISTED: usize = 100;

/// The result of checks.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Verification {
    /// Whether everything is as expected.
    pub(crate) ok: bool,
    /// Whether no further call can make it so.
    #[serde(skip)]
    pub(crate) is_final: bool,
    /// The result of each expectation.
    pub(crate) expectations: Vec<Verified>,
    /// The rules that have not answered, if this was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unused: Option<Vec<UnusedRule>>,
    /// The calls that no rule, no chain and no fault has answered, if this was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unmatched: Option<Vec<UnmatchedCall>>,
    /// How many calls are waiting because of a delay or a fault, if this was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waiting: Option<usize>,
    /// The calls whose requests are not recorded, each with its error, if this was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unrecorded: Option<Vec<String>>,
    /// Some of the sessions that have calls, if the session that was checked has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) other_sessions: Vec<String>,
    /// How many calls are not checked, because the journal had no room for them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) dropped: u64,
    /// Whether the calls that are not checked could change a result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) incomplete: bool,
    /// What is not as expected, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) report: String,
}

/// The result of an expectation.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Verified {
    /// The name of the expectation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// Whether the number of calls is as expected, even if all calls that are not checked match.
    pub(crate) ok: bool,
    /// Whether the calls that are not checked could change the result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) incomplete: bool,
    /// The number of calls that match.
    pub(crate) matched: u64,
    /// The expected number, as text.
    pub(crate) expected: String,
    /// The calls that match, or the first of them.
    pub(crate) calls: Vec<u64>,
    /// The calls that nearly match, if too few match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) nearest: Vec<NearMiss>,
}

/// A call that neither a rule nor a chain has answered.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct UnmatchedCall {
    /// The number of the call.
    pub(crate) number: u64,
    /// The beginning of the last user message. `null` if there is none, or if the request was invalid.
    pub(crate) text: Option<String>,
    /// The message of the error, if the call has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(crate) error: Option<String>,
    /// The rule that matches most closely. `null` if the component has no rules or refuses the request,
    /// and for all but the first calls.
    pub(crate) nearest: Option<NearRule>,
}

/// A rule that nearly matches a call.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct NearRule {
    /// Name or number of the rule.
    pub(crate) rule: String,
    /// The file of the rule, if the rules of the component are in several files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    /// The conditions that do not hold. Empty if the rule has answered as often as it may, or could not.
    pub(crate) mismatches: Vec<Mismatch>,
}

/// A call that nearly matches.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct NearMiss {
    /// The number of the call.
    pub(crate) number: u64,
    /// The conditions that do not hold.
    pub(crate) mismatches: Vec<Mismatch>,
}

impl NearRule {
    pub(super) fn new(rule: &RuleLabel, mismatches: Vec<Mismatch>) -> Self {
        let (rule, file) = (rule.text().to_string(), rule.file().map(|file| file.to_string()));
        Self { rule, file, mismatches }
    }
}

impl Verified {
    pub(super) fn new(expectation: &Expectation) -> Self {
        Self {
            name: expectation.name.clone(),
            ok: false,
            incomplete: false,
            matched: 0,
            expected: expectation.count.to_string(),
            calls: Vec::new(),
            nearest: Vec::new(),
        }
    }

    pub(super) fn count(&mut self, number: u64) {
        self.matched += 1;
        if self.calls.len() < MAX_LISTED {
            self.calls.push(number);
        }
    }

    /// Decides whether the number of calls is as expected. `dropped` calls are not checked.
    pub(super) fn decide(&mut self, expectation: &Expectation, dropped: u64) {
        let count = expectation.count;
        let holds_now = count.holds(self.matched);
        self.ok = holds_now && count.holds(self.matched.saturating_add(dropped));
        self.incomplete = dropped > 0
            && if holds_now {
                !self.ok
            } else {
                // More calls can only help if there are too few.
                count.is_too_few(self.matched)
            };
    }
}
