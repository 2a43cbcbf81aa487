//! Hashes of offered tools.

use std::{borrow::Cow, cell::RefCell};

use mynah_core::{
    chat::{LazyJson, Tool},
    provider::recently_used::RecentlyUsed,
};
use serde_json::Value;
use twox_hash::XxHash3_64;

use super::canonical::canonical;

/// The length of a hash.
pub(super) const HASH: usize = 16;
/// The maximum number of tools whose hashes a thread keeps.
const MAX_TOOLS: usize = 64;

thread_local! {
    /// The hashes of the latest tools: applications offer the same ones every time.
    static HASHES: RefCell<RecentlyUsed<Hashed>> =
        const { RefCell::new(RecentlyUsed::new(MAX_TOOLS)) };
}

/// What a model sees of a tool beside its name, and the hash of that.
struct Hashed {
    description: Option<String>,
    schema: Option<LazyJson>,
    hash: String,
}

/// Returns a hash of what a model sees of a tool beside its name.
pub fn tool_hash(tool: &Tool) -> String {
    let is_of = |it: &Hashed| it.schema == tool.parameters && it.description == tool.description;
    let hashed = HASHES.with_borrow_mut(|kept| kept.get(is_of, || (Hashed::new(tool), size(tool))));
    hashed.hash.clone()
}

impl Hashed {
    fn new(tool: &Tool) -> Self {
        Self {
            description: tool.description.clone(),
            schema: tool.parameters.as_ref().map(LazyJson::detached),
            hash: hash(tool),
        }
    }
}

fn hash(tool: &Tool) -> String {
    let description = tool.description.as_deref().unwrap_or_default();
    let schema = tool.parameters.as_ref().map_or(Value::Null, |it| canonical(it.read()));
    let text = match schema {
        Value::Null => Cow::Borrowed(description),
        schema => Cow::Owned(format!("{description}\0{schema}")),
    };
    format!("{:016x}", XxHash3_64::oneshot(text.as_bytes()))
}

fn size(tool: &Tool) -> usize {
    let texts = tool.description.as_ref().map_or(0, String::len);
    size_of::<Hashed>() + HASH + texts + tool.parameters.as_ref().map_or(0, LazyJson::size)
}
