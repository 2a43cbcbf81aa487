//! A tool with results that do not change.

use std::borrow::Cow;

use futures_util::FutureExt;
use serde_json::Value;

use super::file::StaticAnswer;
use crate::tool_loop::{RunTool, ToolContext, ToolError, ToolFuture, ToolOutput};

#[derive(Debug)]
pub(super) struct StaticTool(Vec<StaticAnswer>);

impl StaticTool {
    pub(super) fn new(answers: Vec<StaticAnswer>) -> Self {
        Self(answers)
    }

    /// Returns the first answer whose conditions hold.
    fn answer(&self, arguments: &Value) -> Result<ToolOutput, ToolError> {
        match self.0.iter().find(|answer| answer.matches(arguments)) {
            Some(StaticAnswer { answer: Ok(result), .. }) => Ok(result.clone()),
            Some(StaticAnswer { answer: Err(error), .. }) => Err(ToolError::refused(error)),
            None => Err(ToolError::refused("no static result matches the arguments")),
        }
    }
}

impl RunTool for StaticTool {
    fn run(&self, arguments: Value, _: ToolContext) -> ToolFuture<'_> {
        async move { self.answer(&arguments) }.boxed()
    }
}

impl StaticAnswer {
    fn matches(&self, arguments: &Value) -> bool {
        self.conditions.iter().all(|(name, condition)| {
            arguments.get(name).is_some_and(|argument| condition.holds(&text(argument)))
        })
    }
}

fn text(argument: &Value) -> Cow<'_, str> {
    match argument {
        Value::String(text) => text.into(),
        other => other.to_string().into(),
    }
}
