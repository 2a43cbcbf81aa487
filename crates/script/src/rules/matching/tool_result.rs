//! Conditions on the results of tools, and on tool calls.

use std::collections::BTreeMap;

use mynah_core::{
    base::{
        condition::{PARTS, TextCondition},
        json_pointer::JsonPointer,
        number::are_equal,
        schema_keys::having,
        text::{nearest, shorten},
        text_or_mapping::{TextOrMapping, text_or_mapping},
    },
    text_keys,
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{
    call::ToolText,
    captures::{Captures, capture},
    field::Searched,
    name::{NameCondition, NameSource},
};

/// Maximum number of characters of a description.
const MAX_SHOWN: usize = 1_000;

/// A condition on a result of a tool, or on the arguments of a call. A string is short for `contains`.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(with = "ResultSource")]
pub(super) struct ResultCondition {
    pub(super) tool: Option<NameCondition>,
    pub(super) id: Option<NameCondition>,
    pub(super) text: Option<TextCondition>,
    pub(super) json: BTreeMap<String, Value>,
    pub(super) last_only: bool,
}

/// The schema of a condition.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the format only")]
enum ResultSource {
    Contains(String),
    Parts(Box<ResultParts>),
}

text_keys! {
    /// A condition on a result of a tool. All its parts must hold for the same result.
    #[derive(Debug, Default, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[schemars(
        rename = "ToolResultCondition",
        extend("anyOf" = having(&[&["tool", "id", "json"], &PARTS[..]].concat()))
    )]
    pub(super) struct ResultParts {
        /// Name of the tool.
        #[schemars(with = "Option<NameSource>")]
        tool: Option<NameCondition>,
        /// Id of the tool call.
        #[schemars(with = "Option<NameSource>")]
        id: Option<NameCondition>,
        /// Values in a result that is JSON, by JSON Pointers such as /forecast/0/temp. Numbers are equal
        /// if their values are.
        #[schemars(extend("minProperties" = 1))]
        json: Option<BTreeMap<JsonPointer, Value>>,
        /// Whether only the very last result counts. Default: any of the results at the end of the
        /// history.
        #[serde(default)]
        last_only: bool,
    }
}

impl ResultCondition {
    /// Returns `true` if the condition holds for a result.
    pub(super) fn holds(&self, result: &ToolText<'_>) -> bool {
        self.selects(result)
            && self.text.as_ref().is_none_or(|text| text.holds(&result.text))
            && self.json.iter().all(|(pointer, value)| {
                let found = result.json().and_then(|json| json.pointer(pointer));
                found.is_some_and(|found| are_equal(found, value))
            })
    }

    /// Returns the work of checking the condition for results, in steps.
    pub(super) fn work(&self, results: &[ToolText<'_>]) -> usize {
        let of_name = |condition: &Option<NameCondition>, name: &str| {
            condition.as_ref().map_or(0, |condition| condition.0.work(name.len()))
        };
        let of_result = |result: &ToolText<'_>| {
            let text = self.text.as_ref().map_or(0, |text| text.work(result.text.len()));
            let json = self.json.len().saturating_mul(result.text.len());
            let id = result.id.unwrap_or_default();
            [of_name(&self.tool, result.tool), of_name(&self.id, id), text, json]
        };
        let steps = self.eligible(results).flat_map(of_result);
        steps.fold(0, usize::saturating_add)
    }

    /// Returns `true` if the conditions on the names in a result hold.
    pub(super) fn selects(&self, result: &ToolText<'_>) -> bool {
        is_named(&self.tool, Some(result.tool)) && is_named(&self.id, result.id)
    }

    /// Returns `true` if one of the results is from the tool that the condition names, or from one with a
    /// similar name.
    pub(super) fn is_of_tool(&self, results: &[ToolText<'_>]) -> bool {
        let is_similar = |name: &str| {
            let named = self.tool.as_ref().and_then(|condition| condition.0.whole());
            named.is_some_and(|named| nearest(named, [name]).is_some())
        };
        let mut tools = self.eligible(results).map(|result| result.tool);
        tools.any(|tool| is_named(&self.tool, Some(tool)) || is_similar(tool))
    }

    /// Returns the results for which the condition may hold, newest first.
    pub(super) fn eligible<'r, 'c>(
        &self,
        results: &'r [ToolText<'c>],
    ) -> impl Iterator<Item = &'r ToolText<'c>> + use<'r, 'c> {
        results.iter().rev().take(if self.last_only { 1 } else { results.len() })
    }

    /// Returns the conditions on texts, with the texts that they are about.
    pub(super) fn texts(&self) -> impl Iterator<Item = (Searched, &TextCondition)> {
        let tool = self.tool.as_ref().map(|name| (Searched::ResultTools, &name.0));
        let id = self.id.as_ref().map(|name| (Searched::ResultIds, &name.0));
        let text = self.text.as_ref().map(|text| (Searched::Results, text));
        [tool, id, text].into_iter().flatten()
    }

    /// Adds what the patterns capture in the newest result for which the condition holds.
    pub(super) fn capture(&self, results: &[ToolText<'_>], captures: &mut Captures) {
        let Some(result) = self.eligible(results).find(|it| self.holds(it)) else { return };
        if let Some(NameCondition(tool)) = &self.tool {
            capture(tool, result.tool, captures);
        }
        if let Some(NameCondition(id)) = &self.id {
            capture(id, result.id.unwrap_or_default(), captures);
        }
        if let Some(text) = &self.text {
            capture(text, &result.text, captures);
        }
    }

    /// Returns the key of the first part that fails for a result, what it expects and what it finds.
    pub(super) fn failure(
        &self,
        result: &ToolText<'_>,
    ) -> Option<(String, String, Option<String>)> {
        if let Some(tool) = self.tool.as_ref()
            && let Some(failure) = tool.0.failure(result.tool)
        {
            return Some((".tool".to_owned(), failure.expected, Some(failure.seen.into_owned())));
        }
        if let Some(id) = &self.id {
            let Some(seen) = result.id else {
                return Some((".id".to_owned(), id.0.description(), None));
            };
            if let Some(failure) = id.0.failure(seen) {
                return Some((".id".to_owned(), failure.expected, Some(failure.seen.into_owned())));
            }
        }
        if let Some(text) = &self.text
            && let Some(failure) = text.failure(&result.text)
        {
            return Some((String::new(), failure.expected, Some(failure.seen.into_owned())));
        }
        self.json.iter().find_map(|(pointer, value)| {
            let found = result.json().and_then(|json| json.pointer(pointer));
            let fails = found.is_none_or(|found| !are_equal(found, value));
            let key = || format!(".json.{pointer}");
            let expected = || shorten(&value.to_string(), MAX_SHOWN).into_owned();
            fails.then(|| (key(), expected(), found.map(Value::to_string)))
        })
    }

    /// Describes the whole condition, on a result or on a call.
    pub(super) fn description(&self, what: &str) -> String {
        let tool = self.tool.as_ref().map(|tool| format!("tool {}", tool.0.description()));
        let id = self.id.as_ref().map(|id| format!("id {}", id.0.description()));
        let text = self.text.as_ref().map(TextCondition::description);
        let json = self.json.iter().map(|(pointer, value)| format!("{pointer} {value}"));
        let parts: Vec<_> = [tool, id, text].into_iter().flatten().chain(json).collect();
        format!("a {what} with {}", shorten(&parts.join(" and "), MAX_SHOWN))
    }
}

impl TryFrom<ResultParts> for ResultCondition {
    type Error = String;

    fn try_from(mut parts: ResultParts) -> Result<Self, String> {
        let text = parts.text()?;
        let ResultParts { tool, id, json, last_only, .. } = parts;
        if json.as_ref().is_some_and(BTreeMap::is_empty) {
            return Err("json is empty; expected at least one JSON Pointer".to_owned());
        }
        if text.is_none() && tool.is_none() && id.is_none() && json.is_none() {
            let expected = PARTS.join(", ");
            return Err(format!(
                "the condition is empty; expected one of tool, id, json, {expected}"
            ));
        }
        let json = json.into_iter().flatten().map(|(pointer, value)| (pointer.0, value)).collect();
        Ok(Self { tool, id, text, json, last_only })
    }
}

impl<'de> Deserialize<'de> for ResultCondition {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        text_or_mapping(source)
    }
}

impl TextOrMapping for ResultCondition {
    type Parts = ResultParts;

    const EXPECTED: &'static str = "a text that is contained, or a condition such as {tool: a}";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Self { text: Some(TextCondition::contains(text)), ..Self::default() })
    }
}

/// Returns `true` if there is no condition, or if it holds for the name.
fn is_named(condition: &Option<NameCondition>, name: Option<&str>) -> bool {
    condition.as_ref().is_none_or(|it| name.is_some_and(|name| it.0.holds(name)))
}
