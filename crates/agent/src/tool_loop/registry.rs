//! Registers tools by name.

use std::{marker::PhantomData, sync::Arc};

use mynah_core::{
    base::{json_schema::Schema, number::normalize_integers},
    chat::{LazyJson, Tool},
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use thiserror::Error as ThisError;

use super::{
    CallDecision, CallError, CallFailure, RunTool, ToolContext, ToolOutput, ToolSettings,
    UpcomingCall,
    function::{ToolFunction, TypedTool, schema_of},
    panics::catch_panic,
    tool::Hooks,
};

const MAX_NAME_LEN: usize = 64;

/// A collection of tools, in the order in which they were registered. Clones share the tools.
///
/// ```
/// use mynah_agent::tool_loop::ToolRegistry;
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use serde_json::json;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Place {
///     /// City and state, e.g. San Francisco, CA
///     location: String,
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = ToolRegistry::new();
/// registry.register("get_weather", "The weather of a place", |place: Place| {
///     format!("Weather in {}: 72°F, sunny", place.location)
/// })?;
/// assert_eq!(registry.definitions()[0]["function"]["parameters"]["required"], json!(["location"]));
/// let result = registry.run("get_weather", r#"{"location": "Paris"}"#).await?;
/// assert_eq!(result, "Weather in Paris: 72°F, sunny");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct ToolRegistry {
    pub(super) tools: Vec<RegisteredTool>,
    pub(super) hooks: Hooks,
}

/// The error returned if a tool cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum RegistryError {
    /// The name is empty, is longer than 64 characters, or contains characters other than ASCII
    /// letters, digits, `_` and `-`. Many models reject such names.
    #[error("invalid tool name {0:?}; expected 1 to 64 ASCII letters, digits, _ or -")]
    InvalidName(String),
    /// Another tool has the same name.
    #[error("a tool named {0} is already registered")]
    DuplicateName(String),
    /// The parameters are not a valid JSON Schema for an object.
    #[error("invalid parameter schema of {tool}: {reason}")]
    InvalidSchema {
        /// Name of the tool.
        tool: String,
        /// Why the schema is invalid.
        reason: String,
    },
}

impl ToolRegistry {
    /// Creates an empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a function or closure as a tool. It takes the arguments, and optionally a
    /// [`ToolContext`].
    ///
    /// An async function runs in the task of the loop. Any other function runs on a blocking thread.
    /// After its timeout, the loop continues, but the function runs to its end: a function that takes
    /// long should watch [`ToolContext::cancel`].
    ///
    /// The parameter schema is generated from the type of the arguments, whose doc comments become
    /// descriptions. The model receives a returned string unchanged, and any other value as compact
    /// JSON. To set the limits of the tool, call [`with_settings`](RegisteredTool::with_settings) on it.
    ///
    /// # Errors
    ///
    /// Fails if the name is invalid or already registered, or if the arguments are not of an object
    /// type.
    pub fn register<P: 'static, F>(
        &mut self,
        name: &str,
        description: &str,
        function: F,
    ) -> Result<&mut RegisteredTool, RegistryError>
    where
        F: ToolFunction<P, Arguments: DeserializeOwned + JsonSchema + Send>,
    {
        self.register_with_schema(name, description, schema_of::<F::Arguments>(), function)
    }

    /// Registers a function or closure as a tool, like [`register`](Self::register), with a JSON Schema
    /// that is known only at run time.
    ///
    /// ```
    /// # use mynah_agent::tool_loop::ToolRegistry;
    /// # use serde_json::{Value, json};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    /// let mut registry = ToolRegistry::new();
    /// registry.register_with_schema("repeat", "Repeats a text", schema, |arguments: Value| {
    ///     arguments["text"].clone()
    /// })?;
    /// assert_eq!(registry.run("repeat", r#"{"text": "hello"}"#).await?, "hello");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the name is invalid or already registered, or if the schema is not a valid JSON
    /// Schema for an object.
    pub fn register_with_schema<P: 'static, F>(
        &mut self,
        name: &str,
        description: &str,
        schema: Value,
        function: F,
    ) -> Result<&mut RegisteredTool, RegistryError>
    where
        F: ToolFunction<P, Arguments: DeserializeOwned + Send>,
    {
        let definition = Tool {
            name: name.to_owned(),
            description: Some(description.to_owned()),
            parameters: Some(LazyJson::new(schema)),
        };
        self.add(definition, TypedTool { function: Arc::new(function), parameters: PhantomData })
    }

    /// Registers a tool that is defined at run time. Without parameters in the definition, the tool
    /// accepts any object.
    ///
    /// # Errors
    ///
    /// Fails if the name is invalid or already registered, or if the parameters are not a valid
    /// JSON Schema for an object.
    pub fn add(
        &mut self,
        definition: Tool,
        tool: impl RunTool + 'static,
    ) -> Result<&mut RegisteredTool, RegistryError> {
        let name = definition.name.clone();
        if !is_valid_name(&name) {
            return Err(RegistryError::InvalidName(name));
        }
        if self.get(&name).is_some() {
            return Err(RegistryError::DuplicateName(name));
        }
        let registered = RegisteredTool::new(definition, Arc::new(tool))
            .map_err(|reason| RegistryError::InvalidSchema { tool: name, reason })?;
        Ok(self.tools.push_mut(registered))
    }

    /// Adds the tools of another registry whose names are not registered yet, with their settings.
    pub fn add_missing(&mut self, other: &Self) {
        for tool in &other.tools {
            if self.get(tool.name()).is_none() {
                self.tools.push(tool.clone());
            }
        }
    }

    /// Iterates over the tool definitions.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().map(RegisteredTool::definition)
    }

    /// Returns a tool.
    pub fn get(&self, name: &str) -> Option<&RegisteredTool> {
        self.tools.iter().find(|tool| tool.name() == name)
    }

    /// Returns a tool, to change its settings.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut RegisteredTool> {
        self.tools.iter_mut().find(|tool| tool.name() == name)
    }

    /// Returns the tool definitions in OpenAI's format: `[{"type": "function", "function": …}]`.
    pub fn definitions(&self) -> Value {
        self.tools().map(openai_definition).collect()
    }

    /// Adds a hook that is asked before each call in a loop. Hooks are asked one after another, in
    /// the order in which they were added, until one decides that the call does not run. They are
    /// not asked about calls that do not run anyway, such as duplicates.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use mynah_agent::tool_loop::{CallDecision, LoopSettings, ToolLoop, ToolRegistry};
    /// # use mynah_echo::{Echo, EchoSettings};
    /// # use serde_json::{Value, json};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut registry = ToolRegistry::new();
    /// # let schema = json!({"type": "object"});
    /// # registry.register_with_schema("delete_file", "Deletes a file", schema, async |_: Value| Ok(""))?;
    /// registry.before_call(async |call| match call.name.as_str() {
    ///     "delete_file" => CallDecision::Refuse("files are read-only".to_owned()),
    ///     _ => CallDecision::Run,
    /// });
    /// # let tool_loop = ToolLoop::new(registry, LoopSettings::default())?;
    /// # let model = Arc::new(Echo::new("echo", EchoSettings::default()));
    /// let result = tool_loop.run(model, "Delete the file.").await;
    /// assert_eq!(result.calls[0].result, "Error executing delete_file: files are read-only");
    /// # Ok(())
    /// # }
    /// ```
    pub fn before_call<W>(&mut self, hook: impl Fn(UpcomingCall) -> W + Send + Sync + 'static)
    where
        W: Future<Output = CallDecision> + Send + 'static,
    {
        self.hooks.push(hook);
    }

    /// Runs a tool once, without hooks, a timeout, retries or other limits. `arguments` is the text of a
    /// JSON object.
    ///
    /// # Errors
    ///
    /// Fails if no tool has this name, if the arguments are invalid, or if the tool fails or
    /// panics.
    pub async fn run(&self, name: &str, arguments: &str) -> Result<String, CallError> {
        let result = async {
            let unknown = || CallFailure::UnknownTool(name.to_owned());
            let tool = self.get(name).ok_or_else(unknown)?;
            tool.run(tool.parse_arguments(arguments)?, ToolContext::default()).await
        };
        let failed = |failure| CallError { tool: name.to_owned(), failure };
        Ok(result.await.map_err(failed)?.text)
    }
}

fn is_valid_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=MAX_NAME_LEN).contains(&name.len()) && name.bytes().all(is_allowed)
}

fn openai_definition(tool: &Tool) -> Value {
    let mut function = json!({"name": tool.name});
    if let Some(description) = &tool.description {
        function["description"] = json!(description);
    }
    if let Some(parameters) = &tool.parameters {
        function["parameters"] = parameters.read();
    }
    json!({"type": "function", "function": function})
}

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
