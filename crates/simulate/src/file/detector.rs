//! The detectors in a file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::model::JudgeSource;
use crate::detectors::Condition;

/// What detects outcomes: an outcome with the messages that have it, or a model.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "DetectorFields")]
#[schemars(with = "DetectorFields")]
pub(crate) enum DetectorSource {
    Match { outcome: String, condition: Box<Condition> },
    Judge(JudgeSource),
}

/// What detects outcomes: `outcome` and `match`, or `judge`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = [{ "required": ["outcome", "match"] }, { "required": ["judge"] }],
    "dependentSchemas" = { "judge": { "properties": { "outcome": false, "match": false } } },
))]
struct DetectorFields {
    /// Name of the outcome.
    outcome: Option<String>,
    /// A condition on the conversation. If it holds, the outcome is reached.
    r#match: Option<Condition>,
    /// A model that decides which outcome a conversation has reached, if any.
    judge: Option<JudgeSource>,
}

impl TryFrom<DetectorFields> for DetectorSource {
    type Error = &'static str;

    fn try_from(fields: DetectorFields) -> Result<Self, &'static str> {
        match (fields.outcome, fields.r#match, fields.judge) {
            (Some(outcome), Some(condition), None) => {
                Ok(Self::Match { outcome, condition: Box::new(condition) })
            }
            (None, None, Some(judge)) => Ok(Self::Judge(judge)),
            _ => Err("a detector needs either outcome and match, or judge"),
        }
    }
}
