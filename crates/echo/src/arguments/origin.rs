//! Where the values of a call come from.

use std::{collections::BTreeMap, ptr};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::schema::FlatSchema;

/// Where a value comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "source", rename_all = "snake_case")]
pub enum Origin {
    /// A message of the user.
    Stated {
        /// How the value was found.
        rule: &'static str,
        /// The words that state the value.
        words: String,
    },
    /// `const` of the schema.
    Const,
    /// `default` of the schema.
    Default,
    /// `examples` of the schema.
    Example,
    /// `enum` of the schema.
    Enum,
    /// Nothing else provides a value.
    #[default]
    Sample,
}

impl Origin {
    /// Returns the origin of a value that the schema provides.
    pub(super) fn in_schema(flat: &FlatSchema, value: &Value) -> Self {
        let is_value = |it: &Value| ptr::eq(it, value);
        if flat.values("default").any(is_value) {
            Self::Default
        } else if flat.listed("examples").any(is_value) {
            Self::Example
        } else if flat.listed("enum").any(is_value) {
            Self::Enum
        } else {
            Self::Const
        }
    }
}

/// Where the values of a call come from, by the paths of their properties. For arrays, it is where the
/// first item comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Trace {
    pub(super) origins: BTreeMap<Vec<String>, Origin>,
    /// The properties that objects do not have.
    pub(super) left_out: BTreeMap<Vec<String>, Vec<String>>,
}

impl Trace {
    /// Returns where a value comes from. If it has parts, one that the user stated decides.
    pub(crate) fn origin(&self, path: &[String]) -> Origin {
        let parts = self.origins.range(path.to_vec()..);
        let parts = parts.take_while(|(part, _)| part.starts_with(path)).map(|(_, origin)| origin);
        let stated = parts.clone().find(|origin| matches!(origin, Origin::Stated { .. }));
        stated.or(self.origins.get(path)).cloned().unwrap_or_default()
    }

    /// Returns the properties that an object does not have.
    pub(crate) fn left_out(&self, path: &[String]) -> &[String] {
        self.left_out.get(path).map_or(&[], Vec::as_slice)
    }
}
