//! The format of an answer.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json, value::RawValue};

use super::{invalid, read::lazy_json};
use crate::{chat::LazyJson, wire::error::Error};

/// The format of an answer, as chat completions and responses have it.
pub(super) struct AnswerFormat<'a> {
    pub(super) kind: &'a str,
    pub(super) name: Option<&'a RawValue>,
    pub(super) strict: Option<&'a RawValue>,
    pub(super) schema: Option<&'a RawValue>,
    /// The keys of the type and of the schema, for errors.
    pub(super) params: [&'static str; 2],
}

impl AnswerFormat<'_> {
    /// Returns the JSON Schema of the answer, or `None` if the answer is a text.
    pub(super) fn schema(&self, body: &Bytes) -> Result<Option<LazyJson>, Error> {
        let [kind_param, schema_param] = self.params;
        match self.kind {
            "text" => Ok(None),
            "json_object" => Ok(Some(LazyJson::new(json!({ "type": self.kind })))),
            "json_schema" => {
                let missing = || invalid(schema_param, "missing");
                Ok(Some(self.with_name(self.schema.ok_or_else(missing)?, body)))
            }
            kind => {
                let expected = "expected \"text\", \"json_object\" or \"json_schema\"";
                Err(invalid(kind_param, format!("{kind:?} is not supported; {expected}")))
            }
        }
    }

    /// Adds the name and the strictness to a schema, where Dapr's API has them.
    fn with_name(&self, schema: &RawValue, body: &Bytes) -> LazyJson {
        if self.name.is_none() && self.strict.is_none() {
            return lazy_json(schema, body);
        }
        let [name, strict] = [self.name, self.strict].map(|it| it.map_or("null", RawValue::get));
        let text = format!(r#"{{"name":{name},"strict":{strict},"schema":{schema}}}"#);
        LazyJson::encoded(text.into(), decode_named)
    }
}

#[derive(Deserialize)]
struct NamedSchema {
    name: Value,
    strict: Value,
    schema: Value,
}

fn decode_named(text: &[u8]) -> Value {
    let Ok(NamedSchema { name, strict, mut schema }) = serde_json::from_slice(text) else {
        tracing::warn!("a JSON Schema is nested too deeply and is ignored");
        return Value::Object(Map::new());
    };
    if let Value::Object(members) = &mut schema {
        let name = Some(name).filter(Value::is_string).map(|it| ("name".to_owned(), it));
        let strict = Some(strict).filter(Value::is_boolean).map(|it| ("strict".to_owned(), it));
        members.extend(name.into_iter().chain(strict));
    }
    schema
}
