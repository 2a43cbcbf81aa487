//! Arguments are an object, the same twice, and valid where the schema can be met. Bytes that are
//! a JSON object are a schema; any others choose one that can be met.

use mynah::wire::{json::read, proto};
use serde_json::{Value, json};

use super::choices::Choices;

pub fn run(data: &[u8]) -> bool {
    let given = serde_json::from_slice(data).ok().filter(Value::is_object);
    let can_be_met = given.is_none();
    let schema = given.unwrap_or_else(|| Choices(data).object(3));
    let Some(arguments) = arguments(&schema) else { return false };
    assert!(arguments.is_object(), "{arguments} for {schema}");
    if can_be_met {
        let options = jsonschema::options().should_validate_formats(true);
        let validator = options.build(&schema).expect("a schema");
        assert!(validator.is_valid(&arguments), "{arguments} for {schema}");
    }
    true
}

/// What echo calls a tool of that schema with.
fn arguments(schema: &Value) -> Option<Value> {
    let body = json!({
        "inputs": [{"messages": [{"ofUser": {"content": [{"text": "use it in Rome, for a@b.co"}]}}]}],
        "tools": [{"function": {"name": "use_it", "parameters": schema}}],
        "toolChoice": "use_it",
    });
    // Too deep for a message, or not at once to be answered.
    let request = read(body.to_string().as_bytes()).ok()?;
    let answer = super::answer(request)?.expect("a schema never fails a call");
    let message = answer.outputs[0].choices[0].message.clone().expect("a message");
    let Some(proto::conversation_tool_calls::ToolTypes::Function(call)) =
        message.tool_calls[0].tool_types.clone()
    else {
        panic!("a call of nothing");
    };
    Some(serde_json::from_str(&call.arguments).expect("arguments in JSON"))
}
