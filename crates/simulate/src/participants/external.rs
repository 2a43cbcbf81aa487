//! What participants outside of this process get and answer.

use serde_json::{Map, Value, json};

use crate::{
    Conversation, MadeCall, MessageDraft, ParticipantError, ParticipantRole, Reply, SentMessage,
    Turn,
};

/// The names of the fields of [`turn_fields`].
pub(crate) const TURN_FIELDS: [&str; 7] =
    ["conversation", "last", "unread", "intents", "role", "turn", "now"];

/// Returns what a participant gets in a turn.
pub(super) fn turn_fields(turn: &Turn<'_>, role: ParticipantRole) -> Value {
    let Conversation { messages, .. } = turn.conversation;
    let own = messages.iter().rposition(|message| message.sender == role);
    let unread = &messages[own.map_or(0, |own| own + 1)..];
    json!({
        "conversation": { "id": turn.conversation_id, "messages": list(messages) },
        "last": messages.last().map(fields),
        "unread": list(unread),
        "intents": turn.intents.iter().map(|it| &it.description).collect::<Vec<_>>(),
        "role": role.as_str(),
        "turn": turn.number,
        "now": turn.now.to_string(),
    })
}

fn list(messages: &[SentMessage]) -> Vec<Value> {
    messages.iter().map(fields).collect()
}

fn fields(message: &SentMessage) -> Value {
    let SentMessage { content, timestamp, sender, .. } = message;
    json!({ "sender": sender.as_str(), "content": content, "timestamp": timestamp.to_string() })
}

/// Converts an answer to a reply: null, a message, or a list of messages. A message is a text, or an
/// object with `content` and, optionally, `tool_calls`.
pub(super) fn reply(answer: Value, role: ParticipantRole) -> Result<Reply, ParticipantError> {
    let messages = match answer {
        Value::Null => return Ok(Reply::Pass),
        Value::Array(items) => {
            let item = |item| match item {
                item @ (Value::String(_) | Value::Object(_)) => message(item, role),
                other => {
                    let expected = "a text or an object with `content`";
                    Err(format!("the reply has {} in a list; expected {expected}", kind(&other)))
                }
            };
            items.into_iter().map(item).collect::<Result<Vec<_>, _>>()
        }
        message_or_text => message(message_or_text, role).map(|message| vec![message]),
    };
    messages.map(Reply::Messages).map_err(ParticipantError::new)
}

fn message(answer: Value, role: ParticipantRole) -> Result<MessageDraft, String> {
    match answer {
        Value::String(text) => Ok(MessageDraft::new(role, text)),
        Value::Object(mut fields) => {
            let Some(Value::String(content)) = fields.remove("content") else {
                return Err("the reply is an object without a text in `content`".to_owned());
            };
            let calls = match fields.remove("tool_calls") {
                None | Some(Value::Null) => Vec::new(),
                Some(Value::Array(calls)) => {
                    calls.into_iter().map(call).collect::<Result<_, _>>()?
                }
                Some(_) => return Err("`tool_calls` of the reply is not a list".to_owned()),
            };
            Ok(MessageDraft { tool_calls: calls, ..MessageDraft::new(role, content) })
        }
        other => {
            let kind = kind(&other);
            let expected = "a text, a list of texts, an object with `content`, or null";
            Err(format!("the reply is {kind}; expected {expected}"))
        }
    }
}

fn call(call: Value) -> Result<MadeCall, String> {
    let Value::Object(mut fields) = call else {
        return Err("a tool call of the reply is not an object".to_owned());
    };
    let Some(Value::String(name)) = fields.remove("name") else {
        return Err("a tool call of the reply has no `name`".to_owned());
    };
    let arguments = fields.remove("arguments").unwrap_or(Value::Object(Map::new()));
    let result = fields.remove("result").unwrap_or_default();
    Ok(MadeCall { name, arguments: text(arguments), result: text(result) })
}

/// Returns a string unchanged, null as an empty text, and anything else as compact JSON.
fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
