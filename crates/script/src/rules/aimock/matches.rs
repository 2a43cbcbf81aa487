//! Converts the conditions of a fixture.

use serde::Deserialize;
use serde_json::{Map, Value, json, value::RawValue};

use super::source::{Fields, Source};

/// The converted conditions of a fixture.
pub(super) struct FixtureMatch {
    /// The conditions of the rule, as JSON.
    pub(super) conditions: String,
    /// The turn from which on the fixture answers. Of several fixtures, that of the latest turn does.
    pub(super) turn_index: Option<i64>,
    /// How often the fixtures with the same conditions have answered before.
    pub(super) sequence_index: Option<u64>,
}

/// One text, or several that must all be contained.
#[derive(Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    All(Vec<String>),
}

/// Converts conditions. Returns `None` if there is an error, or if they hold for no chat.
pub(super) fn convert<'a>(source: &mut Source<'a>, raw: &'a RawValue) -> Option<FixtureMatch> {
    let mut fields = source.object(raw, "`match`")?;
    if !is_for_chats(source, &mut fields, raw) {
        return None;
    }
    let mut conditions = Map::new();
    texts(source, &mut fields, &mut conditions);
    last_result(source, &mut fields, &mut conditions);
    if let Some(session) = source.take::<String>(&mut fields, "context", "a string") {
        // A mapping, so that the name is never read as a number.
        conditions.insert("session".to_owned(), json!({ "equals": session }));
    }
    if let Some(tool) = source.take::<String>(&mut fields, "toolName", "a string") {
        conditions.insert("tools".to_owned(), json!([tool]));
    }
    if let Some(model) = source.take::<String>(&mut fields, "model", "a string") {
        // A version may follow the name.
        let pattern = format!(r"^{}(-\d.*)?$", regex_syntax::escape(&model));
        conditions.insert("model".to_owned(), json!({ "matches": pattern }));
    }
    if let Some(expected) = source.take::<bool>(&mut fields, "hasToolResult", "true or false") {
        conditions.insert("has_tool_result_since_user".to_owned(), expected.into());
    }
    response_format(source, &mut fields, &mut conditions);
    let turn_index: Option<i64> = source.take(&mut fields, "turnIndex", "an integer");
    if let Some(turn) = turn_index.filter(|turn| *turn > 0) {
        conditions.insert("turn".to_owned(), json!({ "at_least": turn }));
    }
    let number = "a number that is not negative";
    let sequence_index = source.take(&mut fields, "sequenceIndex", number);
    source.warn_of_rest(&fields, "match");
    let conditions = Value::Object(conditions).to_string();
    Some(FixtureMatch { conditions, turn_index, sequence_index })
}

/// Lets a fixture that calls tools also answer their results, as in aimock. A rule does so only if it has
/// a condition on results or turns.
pub(super) fn of_any_turn(conditions: String, respond: &str) -> String {
    let calls_tools = respond.contains(r#""tool_call":"#);
    let Some(mut fields) = serde_json::from_str::<Map<String, Value>>(&conditions).ok() else {
        return conditions;
    };
    let keys = ["turn", "has_tool_result_since_user", "last_tool_result"];
    if !calls_tools || keys.iter().any(|key| fields.contains_key(*key)) {
        return conditions;
    }
    fields.insert("turn".to_owned(), json!({ "at_least": 0 }));
    Value::Object(fields).to_string()
}

/// Returns `true` if a fixture is for chats. There is a warning otherwise.
fn is_for_chats<'a>(source: &mut Source<'a>, fields: &mut Fields<'a>, raw: &'a RawValue) -> bool {
    let endpoint: Option<String> = source.take(fields, "endpoint", "a string");
    if let Some(endpoint) = endpoint.filter(|endpoint| endpoint != "chat") {
        source.skip(raw, format_args!("mynah has no endpoint {endpoint:?}"));
        return false;
    }
    let is_for_embeddings = fields.remove("inputText").is_some();
    if is_for_embeddings {
        let reason = "because fixtures answer chats only";
        source.skip(raw, format_args!("the condition `inputText` never holds, {reason}"));
    }
    !is_for_embeddings
}

fn texts<'a>(source: &mut Source<'a>, fields: &mut Fields<'a>, to: &mut Map<String, Value>) {
    if let Some(user) = source.take::<String>(fields, "userMessage", "a string") {
        let condition = json!({ "contains": user, "join": "", "skip_empty": true });
        to.insert("user".to_owned(), condition);
    }
    let expected = "a string or a list of strings";
    let contained: Vec<_> = match source.take::<Texts>(fields, "systemMessage", expected) {
        Some(Texts::One(text)) => vec![text],
        Some(Texts::All(texts)) => texts,
        None => return,
    };
    if !contained.is_empty() {
        let contained: Vec<_> =
            contained.into_iter().map(|text| json!({ "contains": text })).collect();
        to.insert("system".to_owned(), contained.into());
    }
}

fn last_result<'a>(source: &mut Source<'a>, fields: &mut Fields<'a>, to: &mut Map<String, Value>) {
    let id: Option<String> = source.take(fields, "toolCallId", "a string");
    let contains: Option<String> = source.take(fields, "toolResultContains", "a string");
    if id.is_none() && contains.is_none() {
        return;
    }
    let mut condition = Map::from_iter([("last_only".to_owned(), true.into())]);
    condition.extend(id.map(|id| ("id".to_owned(), id.into())));
    condition.extend(contains.map(|text| ("contains".to_owned(), text.into())));
    to.insert("last_tool_result".to_owned(), condition.into());
}

/// Requests have a response format if the answer has to be JSON.
fn response_format<'a>(
    source: &mut Source<'a>,
    fields: &mut Fields<'a>,
    to: &mut Map<String, Value>,
) {
    let format: Option<String> = source.take(fields, "responseFormat", "a string");
    if let Some(format) = format {
        let presence = if format == "text" { "absent" } else { "present" };
        to.insert("response_format".to_owned(), presence.into());
    }
}
