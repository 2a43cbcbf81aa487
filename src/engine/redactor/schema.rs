//! Removes secrets from JSON Schemas.

use serde_json::{Map, Value};

use super::{Redactor, hide};
use crate::base::secrets::is_secret_name;

/// The keywords whose values are shown in the schema of a secret.
const SHOWN: [&str; 12] = [
    "$ref",
    "additionalProperties",
    "description",
    "format",
    "maxItems",
    "maxLength",
    "minItems",
    "minLength",
    "pattern",
    "required",
    "title",
    "type",
];
/// The keywords whose values are like the secret.
const VALUES: [&str; 4] = ["const", "default", "enum", "examples"];

impl Redactor {
    /// Removes the secrets from the properties of a schema.
    pub(super) fn redact_properties(&self, properties: &mut Map<String, Value>) {
        for (name, schema) in properties {
            if is_secret_name(name) {
                self.redact_schema(schema);
            } else {
                self.redact(schema);
            }
        }
    }

    /// Removes the secrets from the schema of a secret.
    fn redact_schema(&self, schema: &mut Value) {
        match schema {
            Value::Object(members) => {
                for (name, value) in members {
                    match name.as_str() {
                        name if VALUES.contains(&name) => hide(value),
                        name if SHOWN.contains(&name) && !value.is_object() => self.redact(value),
                        _ => self.redact_schema(value),
                    }
                }
            }
            Value::Array(schemas) => schemas.iter_mut().for_each(|it| self.redact_schema(it)),
            _ => hide(schema),
        }
    }
}
