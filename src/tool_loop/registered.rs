//! A tool that is registered.

use std::{any::Any, panic::AssertUnwindSafe};

use futures_util::FutureExt;
use serde_json::{Value, json};

use super::{RunTool, Why, arguments::parse, output::Output};
use crate::{
    base::json_schema::Schema,
    chat::{LazyJson, Tool},
};

/// A tool, its definition, and the schema that its arguments are checked against.
pub(super) struct Registered {
    definition: Tool,
    schema: Schema,
    tool: Box<dyn RunTool>,
}

impl Registered {
    /// A definition without a schema takes any object. What is no schema is said.
    pub(super) fn new(definition: Tool, tool: Box<dyn RunTool>) -> Result<Self, String> {
        let schema = definition.parameters.as_ref().map_or_else(|| json!({}), LazyJson::read);
        match schema.get("type") {
            None => {}
            Some(kind) if kind == "object" => {}
            Some(kind) => return Err(format!("arguments are of type \"object\", not {kind}")),
        }
        Ok(Self { schema: Schema::compile(&schema)?, definition, tool })
    }

    pub(super) fn name(&self) -> &str {
        &self.definition.name
    }

    pub(super) fn definition(&self) -> &Tool {
        &self.definition
    }

    /// The arguments, if they are valid.
    pub(super) fn checked(&self, arguments: &str) -> Result<Value, Why> {
        let arguments = Value::Object(parse(arguments)?);
        self.schema.check(&arguments).map_err(Why::Invalid)?;
        Ok(arguments)
    }

    /// What the model gets to read.
    pub(super) async fn run(&self, arguments: Value) -> Result<Output, Why> {
        // The tool gets new arguments at each call, and keeps nothing of ours.
        let work = AssertUnwindSafe(async { self.tool.run(arguments).await });
        match work.catch_unwind().await {
            Ok(Ok(result)) => Ok(result.into()),
            Ok(Err(error)) => Err(Why::Error(error.message().to_owned())),
            Err(panic) => Err(Why::Panicked(panic_text(&*panic))),
        }
    }
}

impl std::fmt::Debug for Registered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no text".to_owned())
}
