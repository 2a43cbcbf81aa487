//! Decodes the schemas of called tools.

use std::{cell::RefCell, rc::Rc};

use serde_json::Value;

use super::effort::Effort;
use crate::{chat::LazyJson, provider::recently_used::RecentlyUsed};

/// The maximum number of decoded schemas that a serving thread keeps.
const MAX_SCHEMAS: usize = 64;
/// An estimate of the size of a decoded schema for each byte of its encoding.
const SIZE_PER_BYTE: usize = 16;

thread_local! {
    static CACHE: RefCell<SchemaCache> = const { RefCell::new(SchemaCache::new(MAX_SCHEMAS)) };
}

/// Decodes a schema. A serving thread keeps the latest schemas.
pub(super) fn decode(schema: &LazyJson, effort: &Effort) -> Rc<Value> {
    match effort {
        Effort::Brief => CACHE.with_borrow_mut(|cache| cache.decode(schema)),
        Effort::Full(_) => Rc::new(schema.read()),
    }
}

/// The latest schemas, with their encodings.
struct SchemaCache(RecentlyUsed<(LazyJson, Rc<Value>)>);

impl SchemaCache {
    const fn new(max_schemas: usize) -> Self {
        Self(RecentlyUsed::new(max_schemas))
    }

    fn decode(&mut self, schema: &LazyJson) -> Rc<Value> {
        let make = || ((schema.detached(), Rc::new(schema.read())), SIZE_PER_BYTE * schema.size());
        Rc::clone(&self.0.get(|(encoded, _)| encoded == schema, make).1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::SchemaCache;
    use crate::chat::LazyJson;

    proptest! {
        #[test]
        fn schemas_do_not_depend_on_the_cache(minimums in prop::collection::vec(0..4, 1..20)) {
            let decode_upper = |text: &[u8]| Value::from(text.to_ascii_uppercase());
            let mut caches = [0, 1, 64].map(SchemaCache::new);
            for minimum in minimums {
                let json = LazyJson::new(json!({ "minimum": minimum }));
                let other = LazyJson::encoded(json.encoding().to_vec().into(), decode_upper);
                for schema in [json, other] {
                    for cache in &mut caches {
                        prop_assert_eq!(&*cache.decode(&schema), &schema.read());
                    }
                }
            }
        }
    }
}
