//! Arguments for a call of a tool, made from its JSON Schema.
//!
//! The way of a value: [`schema`] flattens the schemas that apply to it into one node, a value that
//! the schema itself gives is taken if it [`fits`], else [`generator`] makes one by type, with
//! [`containers`] for what has values inside. Strings ([`text`]) look at the message, the format,
//! the name and the pattern. All within [`limits`].

mod containers;
mod fits;
mod formats;
mod from_message;
mod generator;
mod limits;
mod names;
mod number;
mod pattern;
mod schema;
#[cfg(test)]
mod tests;
mod text;

use serde_json::{Value, json};

use generator::Generator;
pub(crate) use limits::Budget;

/// What the values are made from.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Context<'a> {
    /// Name of the tool, or title of the answer.
    pub(crate) subject: &'a str,
    /// Text of the message with the latest mention of the tool; empty if none.
    pub(crate) mention: &'a str,
    /// Text of the last user message.
    pub(crate) question: &'a str,
    /// Numbers are 42 whatever the bounds.
    pub(crate) literal: bool,
}

/// A value made from a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Generated {
    /// Compact JSON, members in byte order.
    pub(crate) json: String,
    /// Why the value may be invalid, in words for a log line.
    pub(crate) shortfall: Option<String>,
}

/// An object without members.
const NOTHING: &str = "{}";

impl Generated {
    fn nothing(shortfall: &str) -> Self {
        Self { json: NOTHING.to_owned(), shortfall: Some(shortfall.to_owned()) }
    }
}

/// Arguments of a call: always a JSON object.
pub(crate) fn arguments(
    schema: Option<&Value>,
    context: &Context,
    budget: &mut Budget,
) -> Generated {
    let Some(schema) = schema.filter(|schema| !schema.is_null()) else {
        return Generated { json: NOTHING.to_owned(), shortfall: None };
    };
    let object = json!({"type": "object"});
    let made = generate(schema, &[&object, schema], context, budget);
    if made.json.starts_with('{') { made } else { Generated::nothing("not an object") }
}

/// A value of any type.
pub(crate) fn value(schema: &Value, context: &Context, budget: &mut Budget) -> Generated {
    generate(schema, &[schema], context, budget)
}

/// Where no valid value is found, a second pass puts the nearest one into each gap.
fn generate<'a>(
    root: &'a Value,
    schemas: &[&'a Value],
    context: &Context<'a>,
    budget: &mut Budget,
) -> Generated {
    for fill_gaps in [false, true] {
        let granted = budget.call();
        let mut generator = Generator::new(root, context, granted, fill_gaps);
        let made = generator.value(schemas, "", 0);
        budget.charge(granted, generator.limits);
        if let Ok(value) = made
            && let Ok(json) = serde_json::to_string(&value)
        {
            return Generated { json, shortfall: generator.shortfall };
        }
    }
    Generated::nothing("no value within the limits")
}
