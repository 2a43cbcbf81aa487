//! Reads calls back from text.

use std::collections::BTreeMap;

use mynah_core::chat::{LazyJson, Message, Role, Tool};
use serde_json::Value;

use super::{
    Arguments, CallKey,
    call::{CALL, display_name, strip_label, tool_name},
};

/// Reads calls that a model writes as text, by the definitions of the tools.
///
/// Text does not preserve the case of tool names and the types of values. The definitions restore
/// the names, keep the commas in values, and decide which values are strings. Calls to other tools
/// are read like [`extract`] does.
#[derive(Debug, Clone, Default)]
pub struct CallReader(BTreeMap<String, (String, Value)>);

impl CallReader {
    /// Creates a reader for calls to `tools`. If the names of several tools are the same in text, an
    /// exact match wins, or else the first name.
    pub fn new<'a>(tools: impl IntoIterator<Item = &'a Tool>) -> Self {
        let mut readable = BTreeMap::new();
        for Tool { name, parameters, .. } in tools {
            let text = tool_name(&display_name(name));
            let schema = || parameters.as_ref().map_or(Value::Null, LazyJson::read);
            if text == *name || !readable.contains_key(&text) {
                readable.insert(text, (name.clone(), schema()));
            }
        }
        Self(readable)
    }
}

/// A call read from text by [`extract`] or [`extract_all`].
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractedCall {
    /// Name of the tool. In lower case, unless a [`CallReader`] knows the tool.
    pub name: String,
    /// Arguments. A value that is valid JSON is parsed, and any other value is a string.
    pub arguments: Arguments,
    /// Whether a value ends in `...` and may therefore be incomplete. Such a call is never a
    /// duplicate.
    pub is_truncated: bool,
}

/// Extracts the call at the end of an assistant message, in the format of
/// [`call_message`](super::call_message). Returns `None` if there is no such call.
///
/// Arguments are split at `, `, and parts without `: ` are ignored. Arguments may also be a JSON
/// object.
///
/// ```
/// use mynah_agent::tool_loop::transcript::extract;
/// use mynah_core::chat::{Message, Role};
/// let text = "AI ACTION (Turn 2): Executing Get Weather with parameters: city: Oslo, days: 3";
/// let message = Message::new(Role::Assistant { tool_calls: vec![] }, text);
/// let call = extract(&message).unwrap();
/// assert_eq!(call.name, "get_weather");
/// assert_eq!(call.arguments.to_string(), r#"{"city":"Oslo","days":3}"#);
/// ```
pub fn extract(message: &Message) -> Option<ExtractedCall> {
    let Role::Assistant { .. } = message.role else { return None };
    let text = message.text();
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let line = text.rsplit('\n').next()?;
    let reader = CallReader::default();
    line.match_indices(CALL).find_map(|(at, _)| reader.read_line(&line[at..]))
}

/// Extracts all calls of an assistant message, in order: the lines at the end of the message that
/// are calls and nothing else. Returns no calls if there is text directly before them, without a
/// blank line.
///
/// ```
/// use mynah_agent::tool_loop::transcript::extract_all;
/// use mynah_core::chat::{Message, Role};
/// let text = "Both at once.\n\nAI ACTION (Turn 2): Executing Now\nAI ACTION (Turn 2): Executing Today";
/// let message = Message::new(Role::Assistant { tool_calls: vec![] }, text);
/// let names: Vec<_> = extract_all(&message).into_iter().map(|call| call.name).collect();
/// assert_eq!(names, ["now", "today"]);
/// ```
pub fn extract_all(message: &Message) -> Vec<ExtractedCall> {
    CallReader::default().read_all(message)
}

impl CallReader {
    pub(super) fn read_all(&self, message: &Message) -> Vec<ExtractedCall> {
        let Role::Assistant { .. } = message.role else { return Vec::new() };
        let text = message.text();
        if !text.contains(CALL) {
            return Vec::new();
        }
        let mut lines = text.trim_end_matches('\n').rsplit('\n').peekable();
        let mut calls = Vec::new();
        while let Some(call) = lines.peek().and_then(|line| self.read_line(line)) {
            calls.push(call);
            lines.next();
        }
        if lines.next().is_some_and(|line| !line.trim().is_empty()) {
            return Vec::new();
        }
        calls.reverse();
        calls
    }

    /// Reads a line that consists of a call and nothing else.
    pub(super) fn read_line(&self, line: &str) -> Option<ExtractedCall> {
        let call = strip_label(line, CALL)?.strip_prefix("Executing ")?;
        let (name, parameters) = call.split_once(" with parameters:").unwrap_or((call, ""));
        let name = tool_name(name);
        if name.is_empty() {
            return None;
        }
        let (name, schema) = match self.0.get(&name) {
            Some((name, schema)) => (name.clone(), Some(schema)),
            None => (name, None),
        };
        let (arguments, is_truncated) = read_parameters(parameters, schema);
        Some(ExtractedCall { name, arguments, is_truncated })
    }
}

/// Reads parameters, and returns whether one of them is truncated. With the JSON Schema of the
/// tool's arguments, values keep their commas, and the schema decides which values are strings.
fn read_parameters(parameters: &str, schema: Option<&Value>) -> (Arguments, bool) {
    if parameters.trim_start().starts_with('{')
        && let Ok(arguments) = parameters.parse()
    {
        return (arguments, false);
    }
    let properties = schema.and_then(|schema| schema["properties"].as_object());
    let pairs: Vec<_> = match properties {
        Some(properties) => split_parameters(parameters, |name| properties.contains_key(name)),
        None => parameters.split(", ").filter_map(|piece| piece.split_once(": ")).collect(),
    };
    let pairs = pairs.into_iter().map(|(name, value)| (name.trim(), value.trim()));
    let is_truncated = pairs.clone().any(|(_, value)| value.ends_with("..."));
    let read = |(name, value)| {
        let schema = properties.and_then(|properties| properties.get(name));
        (name, read_value(value, schema))
    };
    (pairs.map(read).collect(), is_truncated)
}

impl ExtractedCall {
    /// Returns the key of the call, or `None` if its arguments are truncated.
    pub(super) fn key(&self) -> Option<CallKey> {
        (!self.is_truncated).then(|| CallKey::new(&self.name, &self.arguments))
    }
}

/// Splits parameters at each `, ` that is followed by the name of a property and `: `.
pub(super) fn split_parameters(
    parameters: &str,
    is_property: impl Fn(&str) -> bool,
) -> Vec<(&str, &str)> {
    let is_start =
        |piece: &str| piece.split_once(": ").is_some_and(|(name, _)| is_property(name.trim()));
    let (mut pairs, mut start) = (Vec::new(), 0);
    let ends = parameters.match_indices(", ").map(|(at, _)| (at, at + 2));
    for (end, next) in ends.chain([(parameters.len(), parameters.len())]) {
        // Only the text up to the next comma can be the name of a property.
        let piece = parameters[next..].split(", ").next().unwrap_or_default();
        if end == parameters.len() || is_start(piece) {
            pairs.extend(parameters[start..end].split_once(": "));
            start = next;
        }
    }
    pairs
}

/// Reads a value. Text that is JSON is parsed, unless the schema allows only a string.
fn read_value(text: &str, schema: Option<&Value>) -> Value {
    match serde_json::from_str(text) {
        Ok(value) if schema.is_none_or(|schema| allows(schema, &value)) => value,
        Ok(value) if !schema.is_some_and(|schema| allows(schema, &text.into())) => value,
        Ok(_) | Err(_) => text.into(),
    }
}

/// Returns `true` if a schema allows the type of a value. Keywords other than `type`, `enum`,
/// `const`, `anyOf` and `oneOf` are ignored.
fn allows(schema: &Value, value: &Value) -> bool {
    let any = |schemas: &Value| {
        schemas.as_array().is_some_and(|all| all.iter().any(|schema| allows(schema, value)))
    };
    if let Some(kind) = schema.get("type") {
        let is_kind = |kind: &Value| kind.as_str().is_some_and(|kind| is_of_type(value, kind));
        return is_kind(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is_kind));
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.contains(value);
    }
    match (schema.get("const"), schema.get("anyOf").or_else(|| schema.get("oneOf"))) {
        (Some(only), _) => only == value,
        (None, Some(schemas)) => any(schemas),
        (None, None) => true,
    }
}

fn is_of_type(value: &Value, kind: &str) -> bool {
    match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::Number(_) => matches!(kind, "number" | "integer"),
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
    }
}
