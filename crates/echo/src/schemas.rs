//! The schemas of called tools.

use std::{cell::RefCell, rc::Rc};

use mynah_core::{
    chat::{LazyJson, Tool},
    provider::recently_used::RecentlyUsed,
};
use self_cell::self_cell;
use serde_json::Value;

use super::{
    arguments::{Described, ReplyBudget},
    effort::Effort,
};

/// The maximum number of schemas that a serving thread keeps.
const MAX_SCHEMAS: usize = 64;
/// An estimate of the size of a described schema for each byte of its encoding.
const SIZE_PER_BYTE: usize = 24;

thread_local! {
    /// The latest schemas.
    static SCHEMAS: RefCell<RecentlyUsed<ToolSchema>> =
        const { RefCell::new(RecentlyUsed::new(MAX_SCHEMAS)) };
}

self_cell!(
    /// The schema of a tool's arguments, with what it says of them.
    pub(super) struct ToolSchema {
        owner: Source,
        #[covariant]
        dependent: Described,
    }
);

/// What a description is of.
struct Source {
    tool: String,
    encoded: LazyJson,
    schema: Value,
}

impl ToolSchema {
    fn read(tool: &str, schema: &LazyJson, budget: &ReplyBudget) -> Self {
        let tool = tool.to_owned();
        let source = Source { tool, encoded: schema.detached(), schema: schema.read() };
        Self::new(source, |it| Described::arguments(&it.schema, &it.tool, budget))
    }

    pub(super) fn described(&self) -> &Described<'_> {
        self.borrow_dependent()
    }

    /// Returns `true` if this is the whole description of a tool. A call that may do less work may get a
    /// part of it.
    fn describes(&self, tool: &str, schema: &LazyJson) -> bool {
        let source = self.borrow_owner();
        source.tool == tool && source.encoded == *schema && self.described().is_complete()
    }
}

/// Describes the schema of a tool. A serving thread keeps the latest schemas.
pub(super) fn described(tool: &Tool, budget: &ReplyBudget) -> Option<Rc<ToolSchema>> {
    let schema = tool.parameters.as_ref()?;
    Some(match budget.effort() {
        Effort::Brief => SCHEMAS.with_borrow_mut(|kept| keep(kept, &tool.name, schema, budget)),
        Effort::Full(_) => Rc::new(ToolSchema::read(&tool.name, schema, budget)),
    })
}

/// Returns the description of a schema, which is read unless `kept` contains it.
fn keep(
    kept: &mut RecentlyUsed<ToolSchema>,
    tool: &str,
    schema: &LazyJson,
    budget: &ReplyBudget,
) -> Rc<ToolSchema> {
    let read = || (ToolSchema::read(tool, schema, budget), SIZE_PER_BYTE * schema.size());
    kept.get(|it| it.describes(tool, schema), read)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{RecentlyUsed, ReplyBudget, keep};
    use crate::effort::Effort;
    use mynah_core::chat::LazyJson;

    proptest! {
        #[test]
        fn schemas_do_not_depend_on_the_cache(minimums in prop::collection::vec(0..4, 1..20)) {
            let decode_upper = |text: &[u8]| Value::from(text.to_ascii_uppercase());
            let mut caches = [0, 1, 64].map(RecentlyUsed::new);
            let budget = ReplyBudget::new(&Effort::Brief);
            for minimum in minimums {
                let json = LazyJson::new(json!({ "minimum": minimum }));
                let other = LazyJson::encoded(json.encoding().to_vec().into(), decode_upper);
                for (schema, tool) in [(&json, "a"), (&other, "a"), (&json, "b")] {
                    for cache in &mut caches {
                        let found = keep(cache, tool, schema, &budget);
                        prop_assert_eq!(&found.borrow_owner().schema, &schema.read());
                        prop_assert_eq!(&found.borrow_owner().tool, tool);
                    }
                }
            }
        }
    }
}
