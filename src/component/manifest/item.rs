//! Reads the items of `spec.metadata`.

use super::fields::{FieldReader, Located};
use crate::base::{
    diagnostics::Place,
    yaml::{Node, Value},
};

/// An item of `spec.metadata`.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) place: Place,
    pub(crate) name: String,
    pub(crate) source: Source,
}

/// The source of an item's value.
#[derive(Debug)]
pub(crate) enum Source {
    /// The value itself. Empty if the item has no value.
    Value(Located),
    /// The name of an environment variable.
    Variable(Located),
    /// A key in a secret. The default is used if the secret is empty or missing.
    Secret { secret: SecretKeyRef, default: Located },
}

/// A reference to a key in a secret.
#[derive(Debug)]
pub(crate) struct SecretKeyRef {
    pub(crate) name: Located,
    /// The key. Defaults to the name of the secret.
    pub(crate) key: String,
}

const FIELDS: [&str; 4] = ["name", "value", "secretKeyRef", "envRef"];

/// Reads `spec.metadata`.
pub(super) fn read_items(node: Option<&Node>, fields: &mut FieldReader) -> Vec<Item> {
    let Some(node) = node else { return Vec::new() };
    let Value::List(nodes) = &node.value else {
        fields.report.error(node.place, "spec.metadata must be a list of items {name, value}");
        return Vec::new();
    };
    nodes.iter().filter_map(|node| read_item(node, fields)).collect()
}

fn read_item(node: &Node, fields: &mut FieldReader) -> Option<Item> {
    let Value::Map(entries) = &node.value else {
        let message = "an item of spec.metadata must be a mapping {name, value}";
        fields.report.error(node.place, message);
        return None;
    };
    for (field, entry) in entries {
        if !FIELDS.iter().any(|known| known.eq_ignore_ascii_case(field)) {
            let known = FIELDS.join(", ");
            let message =
                format!("unknown field {field:?} in a metadata item; expected one of: {known}");
            fields.report.warning(entry.place, message);
        }
    }
    let Some(name) = fields.text("the name of a metadata item", node.field("name")) else {
        fields.report.error(node.place, "an item of spec.metadata needs a name");
        return None;
    };
    Some(Item { place: node.place, name: name.text, source: read_source(node, fields)? })
}

/// Reads the source of an item's value. As in daprd, `value` overrides `envRef`, even if `value` is
/// empty, and `secretKeyRef` overrides `value`.
fn read_source(item: &Node, fields: &mut FieldReader) -> Option<Source> {
    let value = match item.field("value") {
        Some(node) => Some(fields.value(node)?),
        None => None,
    };
    let variable = fields.text("envRef", item.field("envRef"));
    let secret = item.field("secretKeyRef").and_then(|node| read_secret_key_ref(node, fields));
    let empty = Located { place: item.place, text: String::new() };
    Some(match (value, variable, secret) {
        (None, Some(variable), _) => Source::Variable(variable),
        (value, _, Some(secret)) => Source::Secret { secret, default: value.unwrap_or(empty) },
        (value, _, None) => Source::Value(value.unwrap_or(empty)),
    })
}

fn read_secret_key_ref(node: &Node, fields: &mut FieldReader) -> Option<SecretKeyRef> {
    if !matches!(node.value, Value::Map(_)) {
        fields.report.error(node.place, "secretKeyRef must be a mapping {name, key}");
        return None;
    }
    let Some(name) = fields.text("the name of a secretKeyRef", node.field("name")) else {
        fields.report.warning(node.place, "secretKeyRef is ignored: it has no name");
        return None;
    };
    let key = fields.text("the key of a secretKeyRef", node.field("key"));
    let key = key.map_or_else(|| name.text.clone(), |key| key.text);
    Some(SecretKeyRef { name, key })
}
