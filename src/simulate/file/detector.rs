//! The detectors in a file, and the conditions on messages.

use schemars::JsonSchema;
use serde::Deserialize;

use super::short::Short;
use crate::{
    base::condition::TextCondition,
    simulate::{ParticipantRole, Pattern},
};

/// What detects outcomes: an outcome with the messages that have it, or a model.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "DetectorFields")]
#[schemars(with = "DetectorFields")]
pub(in crate::simulate) enum DetectorSource {
    Match { outcome: String, r#match: Box<MatchSource> },
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
    /// The messages with which the outcome is reached.
    r#match: Option<MatchSource>,
    /// A model that decides which outcome a conversation has reached, if any.
    judge: Option<JudgeSource>,
}

impl TryFrom<DetectorFields> for DetectorSource {
    type Error = &'static str;

    fn try_from(fields: DetectorFields) -> Result<Self, &'static str> {
        match (fields.outcome, fields.r#match, fields.judge) {
            (Some(outcome), Some(r#match), None) => {
                Ok(Self::Match { outcome, r#match: Box::new(r#match) })
            }
            (None, None, Some(judge)) => Ok(Self::Judge(judge)),
            _ => Err("a detector needs either outcome and match, or judge"),
        }
    }
}

/// A model that judges conversations.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::simulate) struct JudgeSource {
    /// Name of the component.
    pub(in crate::simulate) component: String,
}

/// Conditions on a message. All must hold.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "MatchFields")]
#[schemars(with = "MatchFields")]
pub(in crate::simulate) struct MatchSource {
    pub(in crate::simulate) sender: Option<ParticipantRole>,
    pub(in crate::simulate) content: Option<TextCondition>,
    pub(in crate::simulate) keywords: Vec<String>,
    pub(in crate::simulate) patterns: Vec<Pattern>,
    pub(in crate::simulate) tool_called: Option<Short<CalledTool>>,
    pub(in crate::simulate) any: Vec<Self>,
    pub(in crate::simulate) all: Vec<Self>,
    pub(in crate::simulate) not: Option<Box<Self>>,
}

/// Conditions on a message. All must hold.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Match", extend("minProperties" = 1))]
struct MatchFields {
    /// Who sent the message.
    sender: Option<ParticipantRole>,
    /// A condition on the text.
    content: Option<TextCondition>,
    /// Words or phrases. The text contains one of them; upper and lower case are equal.
    #[schemars(length(min = 1))]
    keywords: Option<Vec<String>>,
    /// Regular expressions. One of them matches somewhere in the text.
    #[schemars(length(min = 1))]
    patterns: Option<Vec<Pattern>>,
    /// Name of a tool that the sender called for the message.
    tool_called: Option<Short<CalledTool>>,
    /// Conditions of which one must hold.
    #[schemars(length(min = 1))]
    any: Option<Vec<MatchSource>>,
    /// Conditions that must all hold.
    #[schemars(length(min = 1))]
    all: Option<Vec<MatchSource>>,
    /// Conditions that must not all hold.
    not: Option<Box<MatchSource>>,
}

/// A tool call.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::simulate) struct CalledTool {
    /// Name of the tool.
    pub(in crate::simulate) name: String,
    /// A condition on the arguments as compact JSON.
    pub(in crate::simulate) arguments: Option<TextCondition>,
    /// A condition on the result.
    pub(in crate::simulate) result: Option<TextCondition>,
}

impl TryFrom<MatchFields> for MatchSource {
    type Error = String;

    fn try_from(fields: MatchFields) -> Result<Self, String> {
        let MatchFields { sender, content, tool_called, not, .. } = fields;
        let is_empty = sender.is_none() && content.is_none() && tool_called.is_none();
        let lists = [fields.any.is_none(), fields.all.is_none(), fields.keywords.is_none()];
        let has_list = lists.contains(&false) || fields.patterns.is_some();
        if is_empty && not.is_none() && !has_list {
            let keys = "sender, content, keywords, patterns, tool_called, any, all and not";
            return Err(format!("the condition is empty; expected one of {keys}"));
        }
        Ok(Self {
            sender,
            content,
            keywords: filled("keywords", fields.keywords)?,
            patterns: filled("patterns", fields.patterns)?,
            tool_called,
            any: filled("any", fields.any)?,
            all: filled("all", fields.all)?,
            not,
        })
    }
}

/// Rejects empty lists, because it is not obvious whether they hold.
fn filled<T>(key: &str, list: Option<Vec<T>>) -> Result<Vec<T>, String> {
    match list {
        Some(list) if list.is_empty() => Err(format!("{key} is empty; expected a list")),
        list => Ok(list.unwrap_or_default()),
    }
}
