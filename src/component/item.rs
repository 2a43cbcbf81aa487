//! An item of `spec.metadata` as it is written, and where its value comes from.

use super::manifest::{Reader, Written};
use crate::base::{
    diagnostics::Place,
    yaml::{Node, Value},
};

/// An item of `spec.metadata`.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) place: Place,
    pub(super) name: String,
    pub(super) source: Source,
}

/// Where the value of an item comes from.
#[derive(Debug)]
pub(super) enum Source {
    /// It stands there; empty where nothing does.
    Value(Written),
    /// From the environment variable of that name.
    Variable(Written),
    /// From a secret store; what stands there counts where the secret is empty or missing.
    Secret { secret: SecretKeyRef, otherwise: Written },
}

/// What names a secret.
#[derive(Debug)]
pub(super) struct SecretKeyRef {
    pub(super) name: Written,
    /// The value among those of the secret: the one of its own name, if none is written.
    pub(super) key: String,
}

const FIELDS: [&str; 4] = ["name", "value", "secretKeyRef", "envRef"];

impl Reader {
    pub(super) fn items(&mut self, node: Option<&Node>) -> Vec<Item> {
        let Some(node) = node else { return Vec::new() };
        let Value::List(nodes) = &node.value else {
            self.report.error(node.place, "spec.metadata must be a list of items {name, value}");
            return Vec::new();
        };
        nodes.iter().filter_map(|node| self.item(node)).collect()
    }

    fn item(&mut self, node: &Node) -> Option<Item> {
        let Value::Map(entries) = &node.value else {
            self.report
                .error(node.place, "an item of spec.metadata must be a mapping {name, value}");
            return None;
        };
        for (field, entry) in entries {
            if !FIELDS.iter().any(|known| known.eq_ignore_ascii_case(field)) {
                let known = FIELDS.join(", ");
                let message = format!("field {field:?} is not read; an item has {known}");
                self.report.warning(entry.place, message);
            }
        }
        let Some(name) = self.text("the name of a metadata item", node.field("name")) else {
            self.report.error(node.place, "an item of spec.metadata needs a name");
            return None;
        };
        Some(Item { place: node.place, name: name.text, source: self.source(node)? })
    }

    /// As in daprd, a value beats `envRef`, even an empty one, and `secretKeyRef` beats a value.
    fn source(&mut self, item: &Node) -> Option<Source> {
        let value = match item.field("value") {
            Some(node) => Some(self.value(node)?),
            None => None,
        };
        let variable = self.text("envRef", item.field("envRef"));
        let secret = item.field("secretKeyRef").and_then(|node| self.secret_key_ref(node));
        let nothing = Written { place: item.place, text: String::new() };
        Some(match (value, variable, secret) {
            (None, Some(variable), _) => Source::Variable(variable),
            (value, _, Some(secret)) => {
                Source::Secret { secret, otherwise: value.unwrap_or(nothing) }
            }
            (value, _, None) => Source::Value(value.unwrap_or(nothing)),
        })
    }

    fn secret_key_ref(&mut self, node: &Node) -> Option<SecretKeyRef> {
        if !matches!(node.value, Value::Map(_)) {
            self.report.error(node.place, "secretKeyRef must be a mapping {name, key}");
            return None;
        }
        let Some(name) = self.text("the name of a secretKeyRef", node.field("name")) else {
            self.report.warning(node.place, "secretKeyRef is not read, since it has no name");
            return None;
        };
        let key = self.text("the key of a secretKeyRef", node.field("key"));
        let key = key.map_or_else(|| name.text.clone(), |key| key.text);
        Some(SecretKeyRef { name, key })
    }
}
