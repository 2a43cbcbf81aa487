//! The keys of a match in files. The doc comments are also the descriptions in the JSON Schema.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use mynah_core::{
    base::{
        condition::TextCondition,
        mapping::Mapping,
        work::{Stopped, Work},
    },
    chat::Attachment,
};
use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Captures, Count, Distance, MatchedCall, Mismatch,
    comparison::deciding,
    condition::{Condition, Requirement, all_hold},
    count::Bounds,
    field::Field,
    name::{NameCondition, NameSource},
    nested::Nested,
    parameter::{ValueCondition, ValueSource},
    request::{Normalizer, RequestCondition},
    response_format::{FormatCondition, FormatSource},
    texts::{TextConditions, TextsSource},
    tool_result::ResultCondition,
    user::{UserCondition, UserSource},
};

/// The variables of templates, which captured groups must not hide.
pub(in super::super) const VARIABLES: [&str; 8] =
    ["user", "messages", "results", "turn", "metadata", "request", "component", "session"];

/// The conditions on a call. All must hold; without conditions, every call matches.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(try_from = "Mapping<MatchSource>")]
#[schemars(with = "MatchSource")]
pub struct Match {
    pub(super) conditions: Vec<Condition>,
}

/// Conditions on a call. All must hold. Without conditions, every call matches.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Match")]
struct MatchSource {
    /// Name of the component.
    #[schemars(with = "Option<NameSource>")]
    component: Option<NameCondition>,
    /// Name of the model that the client asks for, or else that of the component.
    #[schemars(with = "Option<NameSource>")]
    model: Option<NameCondition>,
    /// Name of the session.
    #[schemars(with = "Option<NameSource>")]
    session: Option<NameCondition>,
    /// Label of the conversation.
    #[schemars(with = "Option<NameSource>")]
    context_id: Option<NameCondition>,
    /// Version of Dapr's API: 1 or 2. OpenAI's API counts as 2.
    #[schemars(extend("enum" = [1, 2, null]))]
    alpha: Option<u8>,
    /// The number of turns of the model so far. An assistant message with nothing but tool calls belongs
    /// to the turn of an assistant message directly before it.
    turn: Option<Count>,
    /// Whether the history ends with the results of tools.
    has_tool_result: Option<bool>,
    /// Whether there is a result of a tool after the last user message.
    has_tool_result_since_user: Option<bool>,
    /// Names of tools. The request must offer all of them.
    #[schemars(length(min = 1))]
    tools: Option<Vec<String>>,
    /// Names of tools. The request must offer all of them and no others.
    offered_only: Option<BTreeSet<String>>,
    /// The tool choice: auto, none, required or the name of a tool.
    tool_choice: Option<String>,
    /// Whether the request has a response format, or a condition on the JSON of the format.
    #[schemars(with = "Option<FormatSource>")]
    response_format: Option<FormatCondition>,
    /// Conditions on metadata of the request. A missing key matches nothing.
    #[serde(default)]
    metadata: BTreeMap<String, TextCondition>,
    /// Conditions on parameters of the request. A missing parameter matches nothing.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, ValueSource>")]
    parameters: BTreeMap<String, ValueCondition>,
    /// The maximum number of generated tokens. A request without it matches nothing.
    max_tokens: Option<Count>,
    /// The sampling temperature. A request without it matches nothing.
    temperature: Option<Bounds<f64>>,
    /// Whether the request asks to scrub personal data from the answer or from an input.
    scrub_pii: Option<bool>,
    /// The last user message. Its parts are joined by line breaks.
    #[serde(default)]
    #[schemars(with = "UserSource")]
    user: TextConditions<UserCondition>,
    /// All system and developer messages, joined by line breaks.
    #[serde(default)]
    #[schemars(with = "TextsSource")]
    system: TextConditions,
    /// The last message, of any role.
    #[serde(default)]
    #[schemars(with = "TextsSource")]
    last_message: TextConditions,
    /// Any message, of any role. With several conditions, each may hold for another message.
    #[serde(default)]
    #[schemars(with = "TextsSource")]
    any_message: TextConditions,
    /// One of the results of tools that end the history.
    last_tool_result: Option<ResultCondition>,
    /// One of the tool calls in the history. The text and the JSON are its arguments.
    any_tool_call: Option<ResultCondition>,
    /// Whether the last user message has an image.
    has_image: Option<bool>,
    /// Whether the last user message has a recording.
    has_audio: Option<bool>,
    /// Whether the last user message has a file.
    has_file: Option<bool>,
    /// The whole request, in the form in which recordings have it.
    request: Option<RequestCondition>,
    /// Conditions of which at least one does not hold.
    #[schemars(with = "Option<Inside>")]
    not: Option<Nested<Match>>,
    /// Lists of conditions. All conditions of at least one of them hold.
    #[schemars(with = "Option<Vec<Inside>>", length(min = 1))]
    any_of: Option<Vec<Nested<Match>>>,
    /// Lists of conditions. All conditions of all of them hold.
    #[schemars(with = "Option<Vec<Inside>>", length(min = 1))]
    all_of: Option<Vec<Nested<Match>>>,
}

/// The schema of conditions inside of a condition.
#[derive(JsonSchema)]
#[schemars(transparent, extend("minProperties" = 1))]
#[expect(dead_code, reason = "describes the format only")]
struct Inside(Match);

impl Match {
    /// Returns `true` if all conditions hold for a call.
    pub fn holds(&self, call: &MatchedCall<'_>) -> bool {
        all_hold(&self.conditions, call)
    }

    /// Returns what the patterns capture if all conditions hold for a call, or else `None`.
    pub fn captures(&self, call: &MatchedCall<'_>) -> Option<Captures> {
        if !self.holds(call) {
            return None;
        }
        let mut captures = Captures::new();
        self.conditions.iter().for_each(|condition| condition.capture(call, &mut captures));
        Some(captures)
    }

    /// Returns the conditions that do not hold for a call.
    pub fn mismatches(&self, call: &MatchedCall<'_>) -> Vec<Mismatch> {
        if self.holds(call) { Vec::new() } else { deciding(&self.conditions, call) }
    }

    /// Returns the number of conditions that do not hold for a call.
    pub fn count_mismatches(&self, call: &MatchedCall<'_>) -> usize {
        self.conditions.iter().filter(|condition| !condition.holds(call)).count()
    }

    /// Returns `true` if all conditions hold for a call. Counts the work.
    pub fn check(&self, call: &MatchedCall<'_>, work: &Work) -> Result<bool, Stopped> {
        for condition in &self.conditions {
            work.spend(condition.work(call))?;
            if !condition.holds(call) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Counts the work of checking all conditions for a call.
    pub fn spend_all(&self, call: &MatchedCall<'_>, work: &Work) -> Result<(), Stopped> {
        self.conditions.iter().try_for_each(|condition| work.spend(condition.work(call)))
    }

    /// Uses the normalization of a file.
    pub(in super::super) fn set_normalizer(&mut self, normalizer: &Arc<Normalizer>) {
        self.conditions.iter_mut().for_each(|condition| condition.set_normalizer(normalizer));
    }

    /// Returns the recorded request, if there is a condition on the whole request.
    pub(in super::super) fn request(&self) -> Option<&RequestCondition> {
        self.conditions.iter().find_map(|condition| match condition {
            Condition::Request(request) => Some(&**request),
            _ => None,
        })
    }

    /// Returns the condition on the name of the component.
    pub(in super::super) fn component(&self) -> Option<&TextCondition> {
        self.conditions.iter().find_map(|condition| match condition {
            Condition::Text(Field::Component, name) => Some(name),
            _ => None,
        })
    }

    /// Returns the number of conditions.
    pub fn len(&self) -> usize {
        self.conditions.len()
    }

    /// Returns the number of conditions in the file, without the one that
    /// [`exclude_results`](Self::exclude_results) adds.
    pub(in super::super) fn stated(&self) -> usize {
        let stated = |condition: &&Condition| !matches!(condition, Condition::AnswersNoResult);
        self.conditions.iter().filter(stated).count()
    }

    /// Returns how far a call is from matching.
    pub(in super::super) fn distance(&self, call: &MatchedCall<'_>) -> Distance {
        Distance::new(&self.conditions, call)
    }

    /// Returns `true` if there are no conditions, so that every call matches.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Adds the condition that the history does not end with the results of tools, unless there is a
    /// condition on results or turns. Otherwise, a rule that calls tools would answer the results with
    /// the same calls forever.
    pub(in super::super) fn exclude_results(&mut self) {
        if !self.conditions.iter().any(Condition::is_about_results) {
            self.conditions.push(Condition::AnswersNoResult);
        }
    }

    /// Returns the names of the groups that the patterns capture.
    pub fn capture_names(&self) -> impl Iterator<Item = &str> {
        self.conditions.iter().flat_map(Condition::capture_names)
    }

    /// Returns the patterns of the conditions.
    pub(in super::super) fn patterns(&self) -> impl Iterator<Item = &Regex> {
        self.conditions.iter().flat_map(Condition::patterns)
    }

    /// Returns what a call must have for the conditions to hold, as far as an index can find it.
    pub(in super::super) fn requirements(&self) -> impl Iterator<Item = Requirement<'_>> {
        self.conditions.iter().flat_map(Condition::requirements)
    }

    /// Checks that each name stands for one text in templates.
    fn check_capture_names(&self) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for name in self.capture_names() {
            if VARIABLES.contains(&name) {
                let reason = "which is a variable of templates; rename the group";
                return Err(format!("a pattern has a group named {name:?}, {reason}"));
            }
            if !seen.insert(name) {
                return Err(format!(
                    "two patterns have a group named {name:?}; rename one of them"
                ));
            }
        }
        Ok(())
    }
}

impl TryFrom<Mapping<MatchSource>> for Match {
    type Error = String;

    fn try_from(Mapping(source): Mapping<MatchSource>) -> Result<Self, String> {
        if source.tools.as_ref().is_some_and(Vec::is_empty) {
            return Err("tools is empty; expected at least one name".to_owned());
        }
        if let Some(version) = source.alpha.filter(|version| !matches!(version, 1 | 2)) {
            return Err(format!("alpha is {version}; expected 1 or 2"));
        }
        let result = Self { conditions: conditions(source)? };
        result.check_capture_names()?;
        Ok(result)
    }
}

/// Returns the conditions in the order in which they are checked: the cheapest first.
fn conditions(source: MatchSource) -> Result<Vec<Condition>, String> {
    let name = |field, name: Option<NameCondition>| name.map(|it| Condition::Text(field, it.0));
    let texts = |field, texts: TextConditions| {
        texts.0.into_iter().map(move |text| Condition::Text(field, text))
    };
    let has = |kind, expected: Option<bool>| expected.map(|it| Condition::Has(kind, it));
    let user = source.user.0.into_iter().map(|it| Condition::Text(Field::User(it.read), it.text));
    let metadata = source.metadata.into_iter().map(|(key, it)| Condition::Metadata(key, it));
    let cheap = [
        name(Field::Component, source.component),
        name(Field::Model, source.model),
        name(Field::Session, source.session),
        name(Field::ContextId, source.context_id),
        source.alpha.map(Condition::Alpha),
        source.turn.map(Condition::Turn),
        source.has_tool_result.map(Condition::HasToolResult),
        source.has_tool_result_since_user.map(Condition::HasToolResultSinceUser),
        source.tool_choice.map(Condition::ToolChoice),
        source.response_format.map(|it| it.0),
        source.max_tokens.map(Condition::MaxTokens),
        source.temperature.map(Condition::Temperature),
        source.scrub_pii.map(Condition::ScrubPii),
        has(Attachment::Image, source.has_image),
        has(Attachment::Audio, source.has_audio),
        has(Attachment::File, source.has_file),
        source.offered_only.map(Condition::OfferedOnly),
    ];
    let parameters =
        source.parameters.into_iter().map(|(name, it)| Condition::Parameter(name, it.0));
    let results = source.last_tool_result.map(Box::new).map(Condition::LastToolResult);
    let calls = source.any_tool_call.map(Box::new).map(Condition::AnyToolCall);
    let (tools, any) = (source.tools.into_iter().flatten(), source.any_message.0.into_iter());
    let not = source.not.map(|it| inside("not", it)).transpose()?.map(Condition::Not);
    let request = source.request.map(Box::new).map(Condition::Request);
    let any_of = lists("any_of", source.any_of)?.map(Condition::AnyOf);
    let all_of = lists("all_of", source.all_of)?.into_iter().flatten().flatten();
    let conditions = cheap
        .into_iter()
        .flatten()
        .chain(tools.map(Condition::Tool))
        .chain(metadata)
        .chain(parameters)
        .chain(user)
        .chain(texts(Field::System, source.system))
        .chain(texts(Field::LastMessage, source.last_message))
        .chain(results)
        .chain(calls)
        .chain(any.map(Condition::AnyMessage))
        .chain(request)
        .chain(all_of)
        .chain(not)
        .chain(any_of);
    Ok(conditions.collect())
}

/// Returns the conditions inside of a condition.
fn inside(key: &str, Nested(inner): Nested<Match>) -> Result<Vec<Condition>, String> {
    if inner.is_empty() {
        return Err(format!("{key} has no conditions; expected at least one, such as {{user: a}}"));
    }
    Ok(inner.conditions)
}

/// Returns the lists of conditions inside of a condition.
fn lists(
    key: &str,
    lists: Option<Vec<Nested<Match>>>,
) -> Result<Option<Vec<Vec<Condition>>>, String> {
    if lists.as_ref().is_some_and(Vec::is_empty) {
        return Err(format!("{key} is empty; expected at least one mapping such as {{user: a}}"));
    }
    lists.map(|lists| lists.into_iter().map(|it| inside(key, it)).collect()).transpose()
}
