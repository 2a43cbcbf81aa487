//! JSON Pointers in files.

use schemars::JsonSchema;
use serde::Deserialize;

/// A JSON Pointer, such as /reply. The empty pointer selects the whole document.
///
/// Source: RFC 6901.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("pattern" = "^(/([^~]|~[01])*)?$"))]
pub struct JsonPointer(pub String);

impl TryFrom<String> for JsonPointer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if !text.is_empty() && !text.starts_with('/') {
            let expected = format!("/{text}");
            return Err(format!("{text:?} is not a JSON Pointer; expected {expected:?}"));
        }
        if text.split('~').skip(1).any(|rest| !rest.starts_with(['0', '1'])) {
            let hint = "a ~ is written as ~0, and a / in a key as ~1";
            return Err(format!("{text:?} is not a JSON Pointer; {hint}"));
        }
        Ok(Self(text))
    }
}
