//! The `daprd` mode: reproduces Dapr's own `conversation.echo`, for tests written against it.
//!
//! Dapr's echo repeats the text of every message and calls every offered tool in every turn, with
//! arguments that are not JSON.

use mynah_core::{
    chat::{FinishReason, Message, Request, Response, Role, Tool, ToolCall, Usage},
    provider::ProviderError,
};
use serde_json::Value;

/// Replies to a request, ignoring its tool choice, response format and temperature.
pub(super) fn reply(request: &Request) -> Result<Response, ProviderError> {
    let mut tool_calls = call_all(&request.tools)?;
    tool_calls.extend(request.messages.iter().flat_map(earlier_calls).cloned());
    let content = request.messages.iter().flat_map(content_lines).collect::<Vec<_>>().join("\n");
    let words = content.split_whitespace().count() as u64;
    let finish_reason =
        if tool_calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
    Ok(Response {
        content,
        tool_calls,
        finish_reason,
        usage: Some(Usage { prompt_tokens: words, completion_tokens: words, ..Usage::default() }),
        ..Response::default()
    })
}

/// Returns one call to each offered tool. The ids are numbers.
fn call_all(tools: &[Tool]) -> Result<Vec<ToolCall>, ProviderError> {
    let call = |(index, tool): (usize, &Tool)| {
        Ok(ToolCall {
            id: Some(index.to_string()),
            name: tool.name.clone(),
            arguments: arguments(tool)?,
        })
    };
    tools.iter().enumerate().map(call).collect()
}

/// Returns the property names in a tool's schema, sorted and separated by commas.
fn arguments(tool: &Tool) -> Result<String, ProviderError> {
    let schema = tool.parameters.as_ref().map(|schema| schema.read());
    match schema.as_ref().and_then(|schema| schema.get("properties")) {
        None => Ok(String::new()),
        Some(Value::Object(properties)) => {
            let mut names: Vec<&str> = properties.keys().map(String::as_str).collect();
            names.sort_unstable();
            Ok(names.join(","))
        }
        Some(other) => {
            let got = go_type(other);
            Err(ProviderError::internal(format!(
                "tool function properties must be a map[string]any, got {got}"
            )))
        }
    }
}

/// Returns the type to which Go decodes a JSON value.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// Returns the tool calls in a message of the history. They are repeated unchanged.
fn earlier_calls(message: &Message) -> &[ToolCall] {
    match &message.role {
        Role::Assistant { tool_calls } => tool_calls,
        _ => &[],
    }
}

/// Returns the text that each part of a message adds to the content.
fn content_lines(message: &Message) -> Vec<String> {
    let line = |part: &String| match &message.role {
        // A tool message from ConverseAlpha1 has no id and no name. It is repeated as plain text.
        Role::Tool { id: None, name } if name.is_empty() => part.clone(),
        Role::Tool { id, name } => {
            let id = id.as_deref().unwrap_or_default();
            format!("Tool Response for tool ID '{id}' with name '{name}': {part}")
        }
        _ => part.clone(),
    };
    message.parts.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use mynah_core::chat::{LazyJson, ToolChoice};

    fn tool(name: &str, properties: &Value) -> Tool {
        let schema = json!({ "properties": properties });
        Tool { name: name.into(), description: None, parameters: Some(LazyJson::new(schema)) }
    }

    fn call(id: Option<&str>, name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: id.map(Into::into), name: name.into(), arguments: arguments.into() }
    }

    #[test]
    fn repeats_all_messages_and_calls() {
        let earlier = call(None, "f", "{}");
        let parts = vec!["a".into(), "b".into()];
        let request = Request {
            messages: vec![
                Message::new(Role::Assistant { tool_calls: vec![earlier.clone()] }, ""),
                Message {
                    role: Role::Tool { id: None, name: "f".into() },
                    name: None,
                    parts,
                    attachments: Vec::new(),
                },
                Message::new(Role::User, "x\u{a0}y"),
            ],
            tools: vec![tool("g", &json!({"b": {}, "A": {}, "a": {}}))],
            tool_choice: ToolChoice::None,
            ..Request::default()
        };
        let response = reply(&request).unwrap();
        let result = "Tool Response for tool ID '' with name 'f':";
        assert_eq!(response.content, format!("\n{result} a\n{result} b\nx\u{a0}y"));
        assert_eq!(response.tool_calls, [call(Some("0"), "g", "A,a,b"), earlier]);
        assert_eq!(response.finish_reason, FinishReason::ToolCalls);
        assert_eq!(
            response.usage,
            Some(Usage { prompt_tokens: 22, completion_tokens: 22, ..Usage::default() })
        );
    }

    #[test]
    fn rejects_properties_that_are_not_an_object() {
        let cases = [
            (json!("x"), "string"),
            (json!(1), "float64"),
            (json!(true), "bool"),
            (json!([]), "[]interface {}"),
            (json!(null), "<nil>"),
        ];
        for (properties, name) in cases {
            let request = Request { tools: vec![tool("f", &properties)], ..Request::default() };
            let expected = format!("tool function properties must be a map[string]any, got {name}");
            assert_eq!(reply(&request), Err(ProviderError::internal(expected)));
        }
    }
}
