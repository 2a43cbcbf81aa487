//! The explanation as a text for the terminal.

use std::fmt::Write;

use crate::{
    base::terminal::{Styling, preview},
    provider::echo::explain::{
        ExplainedArgument, ExplainedTool, ExplainedToolCall, Origin, ToolsExplanation,
    },
};

/// The maximum width of a column in characters. Longer cells are not aligned.
const MAX_WIDTH: usize = 40;

/// Returns a paragraph for each tool, the called tools first.
pub(super) fn text(explained: &ToolsExplanation, styling: Styling) -> String {
    let mut text = String::new();
    let (called, others): (Vec<_>, Vec<_>) =
        explained.tools.iter().partition(|tool| !tool.calls.is_empty());
    for tool in called.into_iter().chain(others) {
        add_tool(&mut text, tool, styling);
    }
    text
}

fn add_tool(
    text: &mut String,
    ExplainedTool { tool, calls, reason }: &ExplainedTool,
    styling: Styling,
) {
    let tool = styling.bold(&preview(tool));
    for call in calls {
        let words = call.words.iter().map(|word| format!("'{}'", preview(word)));
        let why = match words.collect::<Vec<_>>().join(", ") {
            words if words.is_empty() => styling.dim(&call.rule),
            words => format!("{words} {}", styling.dim(&format!("({})", call.rule))),
        };
        *text += &format!("{tool} is called: {why}\n");
        add_arguments(text, call, styling);
    }
    if let Some(reason) = reason {
        *text += &format!("{tool} is not called: {}\n", preview(reason));
    }
}

fn add_arguments(text: &mut String, call: &ExplainedToolCall, styling: Styling) {
    let rows = call.arguments.iter().map(|ExplainedArgument { name, value, origin }| {
        [preview(name), preview(&value.to_string()), source(origin)]
    });
    let rows: Vec<_> = rows.collect();
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.filter(|width| *width <= MAX_WIDTH).max().unwrap_or(0)
    };
    let (names, values) = (width(0), width(1));
    for [name, value, source] in &rows {
        let source = styling.dim(source);
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {name:names$}  {value:values$}  {source}");
    }
    if !call.left_out.is_empty() {
        *text += &format!("  left out: {}\n", preview(&call.left_out.join(", ")));
    }
}

fn source(origin: &Origin) -> String {
    match origin {
        // The value shows long words already.
        Origin::Stated { rule, words } if words.chars().count() > MAX_WIDTH => (*rule).to_owned(),
        Origin::Stated { rule, words } => format!("'{}' ({rule})", preview(words)),
        Origin::Const => "const of the schema".to_owned(),
        Origin::Default => "default of the schema".to_owned(),
        Origin::Example => "example of the schema".to_owned(),
        Origin::Enum => "enum of the schema".to_owned(),
        Origin::Sample => "sample".to_owned(),
    }
}
