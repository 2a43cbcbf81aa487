//! Checks that generated arguments are deterministic and an object, and that they are valid if the
//! schema is satisfiable. If the input is a JSON object, it is the schema. Any other input selects
//! a satisfiable schema.

use mynah::internals::wire::{json::read, proto};
use serde_json::{Value, json};

use super::choices::Choices;

pub fn run(data: &[u8]) -> bool {
    let schema = serde_json::from_slice(data).ok().filter(Value::is_object);
    let is_satisfiable = schema.is_none();
    let schema = schema.unwrap_or_else(|| Choices(data).object(3));
    let Some(arguments) = arguments(&schema) else { return false };
    assert!(arguments.is_object(), "{arguments} for {schema}");
    if is_satisfiable {
        let options = jsonschema::options().should_validate_formats(true);
        let validator = options.build(&schema).expect("a schema");
        assert!(validator.is_valid(&arguments), "{arguments} for {schema}");
    }
    true
}

/// Returns the arguments with which echo calls a tool that has this schema.
fn arguments(schema: &Value) -> Option<Value> {
    let body = json!({
        "inputs": [{"messages": [{"ofUser": {"content": [{"text": "use it in Rome, for a@b.co"}]}}]}],
        "tools": [{"function": {"name": "use_it", "parameters": schema}}],
        "toolChoice": "use_it",
    });
    // Skip schemas that are nested too deeply, and requests that are too large for this thread.
    let request = read(body.to_string().as_bytes()).ok()?;
    let answer = super::answer(request)?.expect("a schema never makes a call fail");
    let message = answer.outputs[0].choices[0].message.clone().expect("a message");
    let Some(proto::conversation_tool_calls::ToolTypes::Function(call)) =
        message.tool_calls[0].tool_types.clone()
    else {
        panic!("a call without a function");
    };
    Some(serde_json::from_str(&call.arguments).expect("arguments are JSON"))
}
