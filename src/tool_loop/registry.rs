//! The tools of a program, by name.

use std::future::Future;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use thiserror::Error as ThisError;

use super::{
    CallError, RunTool, ToolError,
    registered::Registered,
    tool::{Typed, schema_of},
};
use crate::chat::{LazyJson, Tool};

const LONGEST_NAME: usize = 64;

/// The tools that a program offers, in the order in which they were registered.
///
/// ```
/// use mynah::tool_loop::ToolRegistry;
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
/// registry.register("get_weather", "The weather of a place", async |place: Place| {
///     Ok(format!("Weather in {}: 72°F, sunny", place.location))
/// })?;
/// assert_eq!(registry.definitions()[0]["function"]["parameters"]["required"], json!(["location"]));
/// let result = registry.run("get_weather", r#"{"location": "Paris"}"#).await?;
/// assert_eq!(result, "Weather in Paris: 72°F, sunny");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct ToolRegistry(Vec<Registered>);

/// Why a tool cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum RegistryError {
    /// Not every model takes that name.
    #[error("invalid tool name {0:?}: a name is 1 to 64 ASCII letters, digits, _ and -")]
    Name(String),
    /// The name is taken.
    #[error("there is a tool named {0} already")]
    Duplicate(String),
    /// The arguments are described by what is no schema, or no schema of an object.
    #[error("invalid schema of the arguments of {tool}: {why}")]
    Schema {
        /// The tool.
        tool: String,
        /// What is wrong.
        why: String,
    },
}

impl ToolRegistry {
    /// A registry without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a closure. The schema of its arguments is that of their type, where doc comments
    /// are descriptions; what it returns goes to the model, text as it is and all else as JSON.
    /// Whatever the closure shares is moved into it.
    pub fn register<A, W, T>(
        &mut self,
        name: &str,
        description: &str,
        function: impl Fn(A) -> W + Send + Sync + 'static,
    ) -> Result<(), RegistryError>
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        W: Future<Output = Result<T, ToolError>> + Send,
        T: Serialize,
    {
        let definition = Tool {
            name: name.to_owned(),
            description: Some(description.to_owned()),
            parameters: Some(LazyJson::new(schema_of::<A>())),
        };
        self.add(definition, Typed::new(function))
    }

    /// Adds a tool that is defined at run time.
    pub fn add(
        &mut self,
        definition: Tool,
        tool: impl RunTool + 'static,
    ) -> Result<(), RegistryError> {
        let name = &definition.name;
        if !is_name(name) {
            return Err(RegistryError::Name(name.clone()));
        }
        if self.find(name).is_some() {
            return Err(RegistryError::Duplicate(name.clone()));
        }
        let name = name.clone();
        let registered = Registered::new(definition, Box::new(tool))
            .map_err(|why| RegistryError::Schema { tool: name, why })?;
        self.0.push(registered);
        Ok(())
    }

    /// The definitions, as requests carry them.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.0.iter().map(Registered::definition)
    }

    /// The definitions in OpenAI's form.
    pub fn definitions(&self) -> Value {
        self.tools().map(openai_definition).collect()
    }

    /// Runs a tool once, with no limits. A panic of the tool is an error, too.
    pub async fn run(&self, name: &str, arguments: &str) -> Result<String, CallError> {
        let tool = self.find(name).ok_or_else(|| CallError::Unknown(name.to_owned()))?;
        let failed = |why| CallError::of(name, why);
        let arguments = tool.checked(arguments).map_err(failed)?;
        Ok(tool.run(arguments).await.map_err(failed)?.text)
    }

    pub(super) fn find(&self, name: &str) -> Option<&Registered> {
        self.0.iter().find(|registered| registered.name() == name)
    }

    pub(super) fn into_tools(self) -> Vec<Registered> {
        self.0
    }
}

fn is_name(name: &str) -> bool {
    let is_of_a_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_of_a_name)
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
