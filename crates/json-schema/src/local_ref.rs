//! Resolves references within a schema.

use percent_encoding::percent_decode_str;
use serde_json::Value;

/// Returns the schema that a local `$ref`, such as `#/$defs/name`, points to.
pub fn resolve_local_ref<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
    root.pointer(&pointer)
}
