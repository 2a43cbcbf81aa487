//! A registered tool.

use std::sync::Arc;

use mynah_core::{
    base::{json_schema::Schema, number::normalize_integers},
    chat::{LazyJson, Tool},
};
use serde_json::{Map, Value, json};

use super::{CallFailure, RunTool, ToolContext, ToolOutput, ToolSettings, panics::catch_panic};

/// A tool in a [`ToolRegistry`](super::ToolRegistry), with its definition and the compiled schema of
/// its arguments.
#[derive(Clone)]
pub struct RegisteredTool {
    definition: Arc<Tool>,
    schema: Arc<Schema>,
    tool: Arc<dyn RunTool>,
    pub(super) settings: Option<ToolSettings>,
}

impl RegisteredTool {
    /// Compiles the schema of the arguments. A tool without a schema accepts any object. Fails with
    /// a message if the schema is invalid or does not describe an object.
    pub(super) fn new(definition: Tool, tool: Arc<dyn RunTool>) -> Result<Self, String> {
        let schema = definition.parameters.as_ref().map_or_else(|| json!({}), LazyJson::read);
        if let Some(kind) = schema.get("type").filter(|kind| *kind != "object") {
            return Err(format!("arguments must be of type \"object\", not {kind}"));
        }
        let schema = Schema::compile(&schema)?.into();
        Ok(Self { definition: definition.into(), schema, tool, settings: None })
    }

    /// Sets the limits of the tool, instead of [`LoopSettings::tools`](super::LoopSettings::tools).
    pub fn with_settings(&mut self, settings: ToolSettings) -> &mut Self {
        self.settings = Some(settings);
        self
    }

    /// Returns the limits of the tool, or `None` if those of the loop apply.
    pub fn settings(&self) -> Option<&ToolSettings> {
        self.settings.as_ref()
    }

    /// Returns the definition that is offered to models.
    pub fn definition(&self) -> &Tool {
        &self.definition
    }

    pub(super) fn name(&self) -> &str {
        &self.definition.name
    }

    /// Parses the arguments and validates them against the schema.
    pub(super) fn parse_arguments(&self, arguments: &str) -> Result<Value, CallFailure> {
        let arguments = Value::Object(parse_object(arguments)?);
        self.schema.check(&arguments).map_err(CallFailure::InvalidArguments)?;
        Ok(arguments)
    }

    /// Runs the tool. A panic is caught and returned as a failure.
    pub(super) async fn run(
        &self,
        arguments: Value,
        context: ToolContext,
    ) -> Result<ToolOutput, CallFailure> {
        let abandoned = context.cancel.clone().drop_guard();
        // The future owns its arguments and does not change the loop's state.
        let result = catch_panic(async { self.tool.run(arguments, context).await }).await;
        abandoned.disarm();
        Ok(result.map_err(CallFailure::Panicked)??)
    }
}

impl std::fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RegisteredTool").field(&self.name()).finish()
    }
}

/// Parses a JSON object. Blank text, which some models send for tools without parameters, counts as
/// an empty object. Whole numbers become integers because many models write integers as `2.0`.
fn parse_object(text: &str) -> Result<Map<String, Value>, CallFailure> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let mut members: Map<_, _> =
        serde_json::from_str(text).map_err(|error| CallFailure::InvalidJson(error.to_string()))?;
    members.values_mut().for_each(normalize_integers);
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_anything_but_one_object() {
        for text in ["a,b", "[]", "null", "1", r#"{"a":1"#, r#"{"a":1} {}"#] {
            assert!(matches!(parse_object(text), Err(CallFailure::InvalidJson(_))), "{text}");
        }
        assert!(parse_object(&"[".repeat(100_000)).is_err());
    }
}
