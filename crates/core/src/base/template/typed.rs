//! Single expressions that keep the type of their value.

use minijinja::value::ValueKind;
use serde_json::Value as Schema;

use super::strings::PathStep;

/// Returns `true` if a schema allows a string at the end of a path, but no value of this kind.
pub(super) fn wants_text(schema: &Schema, path: &[PathStep], kind: ValueKind) -> bool {
    let schema = path.iter().try_fold(schema, |schema, step| match step {
        PathStep::Key(key) => schema.get("properties")?.get(key),
        PathStep::Item => schema.get("items"),
    });
    match schema.and_then(|schema| schema.get("type")) {
        Some(Schema::String(name)) => name == "string",
        Some(Schema::Array(names)) => {
            let allows = |name: &str| names.iter().any(|it| it == name);
            allows("string") && !names_of(kind).iter().any(|name| allows(name))
        }
        _ => false,
    }
}

/// Returns the names of a kind of value in JSON Schema.
fn names_of(kind: ValueKind) -> &'static [&'static str] {
    match kind {
        ValueKind::Number => &["integer", "number"],
        ValueKind::Bool => &["boolean"],
        ValueKind::None => &["null"],
        ValueKind::Seq | ValueKind::Iterable => &["array"],
        ValueKind::Map => &["object"],
        _ => &[],
    }
}
