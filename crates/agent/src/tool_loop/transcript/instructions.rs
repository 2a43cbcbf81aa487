//! Tells models without tool support how to call tools.

use std::fmt::Write;

use mynah_core::chat::{LazyJson, Tool};

use super::{Arguments, call::call_line};

/// Returns a system prompt that describes tools and how to call them as text. The
/// [text rendering](super::Rendering::Text) needs it, because its requests offer no tools.
///
/// ```
/// use mynah_agent::tool_loop::{ToolRegistry, transcript::instructions};
///
/// # #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # struct Place { city: String }
/// let mut registry = ToolRegistry::new();
/// registry.register("get_weather", "The weather in a city", |place: Place| place.city)?;
/// let text = instructions(registry.tools());
/// assert!(text.contains("\n- Get Weather: The weather in a city. Parameters: {"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn instructions<'a>(tools: impl IntoIterator<Item = &'a Tool>) -> String {
    let example = Arguments::from([("name", "value".into()), ("other_name", 5.into())]);
    let example = call_line("name_of_the_tool", &example, 1);
    let mut text = format!(
        "You can call tools. To call one, write a line like this and nothing after it:\n\
         {example}\n\
         Then wait. The next message has the result and starts with TOOL RESPONSE. \
         Each value may have at most 50 characters. Longer values are a JSON object on the same \
         line: with parameters: {{\"name\": \"long value\"}}. Without parameters, leave out \
         everything from \"with\" on. When you do not need a tool, just answer.\n\n\
         Tools:"
    );
    for Tool { name, description, parameters } in tools {
        let name = super::display_name(name);
        let description = description.as_deref().unwrap_or_default().trim_end_matches('.');
        let parameters = parameters.as_ref().map_or_else(|| "{}".into(), LazyJson::read);
        // Writing to a text does not fail.
        let _ = write!(text, "\n- {name}: {description}. Parameters: {parameters}");
    }
    text
}
