//! The calls that a file of rules expects.

use schemars::JsonSchema;
use serde::Deserialize;

use super::matching::{Count, Match};

/// Calls that are expected, and their number.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// Name in reports.
    pub name: Option<String>,
    /// The conditions on the calls that are counted. Default: all calls.
    #[serde(default)]
    pub r#match: Match,
    /// The number of these calls. Default: at least 1.
    #[serde(default = "at_least_one")]
    pub count: Count,
}

fn at_least_one() -> Count {
    Count::at_least(1)
}
